// Data flow: which writes reach which reads on every path through the kernel, run after run, and on which operations a
// result depends. Control flow is static: initialization, loop initialization, the loop body any number of times, loop
// termination, and loop initialization again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "encode/code.h"

namespace gdr::assembler {

/// Consecutive numbers for all words that keep values: T, flags (one for each element), GPR, LM, BM. Words of the
/// j-record have no number because nothing writes them.
inline constexpr unsigned kFirstFlagWord = isa::kTShortWords;
inline constexpr unsigned kFirstGprWord = kFirstFlagWord + (isa::kFlags + 1) * isa::kVectorElements;
inline constexpr unsigned kFirstLmWord = kFirstGprWord + isa::kGprShortWords;
inline constexpr unsigned kFirstBmWord = kFirstLmWord + isa::kLmShortWords;
inline constexpr unsigned kAllWords = kFirstBmWord + isa::kBmShortWords;

/// The numbered words of one element of an access; empty for an access to the j-record.
[[nodiscard]] isa::WordRange numbered_words(const isa::Access& access, unsigned element);
/// The numbered words of a variable; not for the name of a register.
[[nodiscard]] isa::WordRange numbered_words(const Symbol& symbol);
/// The numbered words that a collect takes.
[[nodiscard]] isa::WordRange numbered_words(const CodeCollect& collect, const Declared& declared);

/// Calls visit(word, element) for every numbered word of all elements in turn. Words that the elements share are
/// visited once.
template <class Visit>
void for_words(const CodeAccess& access, unsigned elements, Visit visit) {
  const bool shared = access.indirect || (access.step == 0 && access.storage != isa::Storage::flag);
  for (unsigned element = 0; element < (shared ? 1 : elements); ++element) {
    const isa::WordRange words = numbered_words(access, element);
    for (unsigned word = words.first; word < words.last; ++word) visit(word, element);
  }
}

/// Number of a write. The first numbers do not belong to lines.
using Definition = std::uint32_t;
inline constexpr Definition kUnwritten = 0;
inline constexpr Definition kFromHost = 1;

/// A line, by its index among all lines of the sections in order.
struct FlowLine {
  const CodeLine* line = nullptr;
  isa::Section section = isa::Section::initialization;
  Definition first = 0;  // number of its first write; its writes are numbered in order
  Definition last = 0;   // one past its last write
};

class Flow {
 public:
  Flow(const SectionCode& code, const Declared& declared);

  [[nodiscard]] std::span<const FlowLine> lines() const { return lines_; }

  struct Write {
    std::size_t line = 0;
    const CodeAccess* access = nullptr;
  };
  /// The write with this number, which must be greater than kFromHost.
  [[nodiscard]] const Write& write(Definition definition) const { return writes_[definition]; }
  [[nodiscard]] std::size_t definitions() const { return writes_.size(); }

  /// Definitions, in ascending order, that a read may find in any of its words. An indirect read may find those of all
  /// LM words from its base on.
  [[nodiscard]] std::span<const Definition> reaching(const CodeAccess& read) const;
  /// The same for the words of one element, which is below the line's vector length. Elements may find different writes
  /// if lines with a shorter vector length wrote some of them.
  [[nodiscard]] std::span<const Definition> reaching(const CodeAccess& read, unsigned element) const;
  /// Definitions that may be in a word after a section's last line.
  [[nodiscard]] std::span<const Definition> leaving(isa::Section section, unsigned word) const;

  /// True if a result may depend on the operation of this unit in this line.
  [[nodiscard]] bool lives(std::size_t line, isa::Unit unit) const { return live_operations_[line][index(unit)]; }
  /// True if a result may depend on what this definition writes.
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
  void note_read(const CodeAccess& access, unsigned elements, const State& state);
  /// Follows a section. If `note` is true, records what its reads find.
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
  std::map<const CodeAccess*, std::array<Set, isa::kVectorElements>> uneven_reads_;  // elements find different writes
  std::vector<Set> collected_;                                                       // definitions that collects find
  std::vector<bool> live_;
  std::vector<std::array<bool, isa::kUnits + 1>> live_operations_;
};

/// True if values of other writes remain in the word after this write, because it is gated or writes in one PE only.
[[nodiscard]] bool is_partial(const CodeLine& line, const CodeAccess& write);

}  // namespace gdr::assembler
