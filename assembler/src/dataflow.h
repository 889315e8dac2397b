// Which writes reach which reads on every way through the kernel, run after run, and which operations any result
// depends on. Control flow is static: initialization, loop initialization, the loop body any number of times, loop
// termination, and loop initialization again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "code.h"

namespace gdr::assembler {

/// Words that keep values, numbered through: T, flags (one for each element), GPR, LM, BM. The j-record has no number:
/// nothing writes it.
inline constexpr unsigned kFirstFlagWord = isa::kTShortWords;
inline constexpr unsigned kFirstGprWord = kFirstFlagWord + (isa::kFlags + 1) * isa::kVectorElements;
inline constexpr unsigned kFirstLmWord = kFirstGprWord + isa::kGprShortWords;
inline constexpr unsigned kFirstBmWord = kFirstLmWord + isa::kLmShortWords;
inline constexpr unsigned kAllWords = kFirstBmWord + isa::kBmShortWords;

/// The numbered words of one element of an access; none of a record.
[[nodiscard]] isa::WordRange numbered_words(const isa::Access& access, unsigned element);
/// Those of a variable, a register's name excepted.
[[nodiscard]] isa::WordRange numbered_words(const Symbol& symbol);
/// Those that a collect takes.
[[nodiscard]] isa::WordRange numbered_words(const CodeCollect& collect, const Declared& declared);

/// Calls visit(word, element) for every numbered word, of all elements in turn; words that elements share once.
template <class Visit>
void for_words(const CodeAccess& access, unsigned elements, Visit visit) {
  const bool shared = access.indirect || (access.step == 0 && access.storage != isa::Storage::flag);
  for (unsigned element = 0; element < (shared ? 1 : elements); ++element) {
    const isa::WordRange words = numbered_words(access, element);
    for (unsigned word = words.first; word < words.last; ++word) visit(word, element);
  }
}

/// Number of a write; the first ones are not lines'.
using Definition = std::uint32_t;
inline constexpr Definition kUnwritten = 0;
inline constexpr Definition kFromHost = 1;

/// A line by its place among all lines, sections in order.
struct FlowLine {
  const CodeLine* line = nullptr;
  isa::Section section = isa::Section::initialization;
  Definition first = 0;  // of its writes, which are numbered in their order
  Definition last = 0;   // one past
};

class Flow {
 public:
  Flow(const SectionCode& code, const Declared& declared);

  [[nodiscard]] std::span<const FlowLine> lines() const { return lines_; }

  struct Write {
    std::size_t line = 0;
    const CodeAccess* access = nullptr;
  };
  /// Of a definition behind kFromHost.
  [[nodiscard]] const Write& write(Definition definition) const { return writes_[definition]; }
  [[nodiscard]] std::size_t definitions() const { return writes_.size(); }

  /// Definitions, ascending, that a read may find in any of its words. All of LM from its base on for an indirect one.
  [[nodiscard]] std::span<const Definition> reaching(const CodeAccess& read) const;
  /// Definitions of a word behind a section's last line.
  [[nodiscard]] std::span<const Definition> leaving(isa::Section section, unsigned word) const;

  /// True if a result may depend on the operation of a unit in a line.
  [[nodiscard]] bool lives(std::size_t line, isa::Unit unit) const { return live_operations_[line][index(unit)]; }
  /// True if a result may depend on what is written.
  [[nodiscard]] bool lives(Definition definition) const { return live_[definition]; }

 private:
  using Set = std::uint32_t;  // index into sets_
  using State = std::vector<Set>;
  static std::size_t index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

  Set single(Definition definition);
  Set joined(Set a, Set b);
  void join(State& state, const State& other);
  void number_writes(const SectionCode& code);
  void load_inputs(State& state);
  /// Runs a section; notes what reads find if `note`.
  void walk(isa::Section section, State& state, bool note);
  void follow();
  void mark_live();

  const SectionCode& code_;
  const Declared& declared_;
  std::vector<FlowLine> lines_;
  std::array<std::size_t, isa::kSections + 1> first_line_{};
  std::vector<Write> writes_;
  std::map<const CodeAccess*, Definition> definition_of_;
  std::vector<std::vector<Definition>> sets_;
  std::map<std::vector<Definition>, Set> set_numbers_;
  std::map<std::pair<Set, Set>, Set> joins_;
  std::array<State, isa::kSections> out_;
  std::map<const CodeAccess*, Set> reads_;
  std::vector<Set> collected_;  // what collects find
  std::vector<bool> live_;
  std::vector<std::array<bool, isa::kUnits + 1>> live_operations_;
};

/// True if other writes of the word stay beside this one: it is gated, or of one PE.
[[nodiscard]] bool is_partial(const CodeLine& line, const CodeAccess& write);

}  // namespace gdr::assembler
