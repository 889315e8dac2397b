// A linear scan [Poletto and Sarkar, ACM TOPLAS 21 (1999) 895]: of the values that do not fit into the registers, those
// that are needed longest go to local memory.
#include "lean_places.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "rewriting.h"

namespace gdr::compiler {
namespace {

using isa::Op;
using isa::Width;

constexpr unsigned kCopyWords = isa::kVectorElements * isa::short_words(Width::long_word);

/// A place, from the operation that first writes it to its last reader.
struct Life {
  std::size_t from = 0;
  std::size_t until = 0;
  Width width = Width::short_word;
  bool read = false;
  bool in_register = true;
  bool must_be_register = false;  // the port of local memory writes a variable
  unsigned address = 0;           // of the register, or the number of the word among those of its width

  [[nodiscard]] unsigned words() const { return isa::kVectorElements * isa::short_words(width); }
};

/// Lives by the operation that writes the place first; `root` has that operation for each one.
struct Lives {
  std::vector<std::size_t> root;
  std::vector<Life> all;

  explicit Lives(const Operations& section) : all(section.size()) {
    for (std::size_t n = 0; n < section.size(); ++n) {
      root.push_back(section[n].into >= 0 ? root[as_index(section[n].into)] : n);
      Life& life = all[root[n]];
      if (root[n] == n) life = {n, n, section[n].width, false, true, false, 0};
      life.until = n;
      if (section[n].variable >= 0) life.must_be_register = true;
      for (const Operand& operand : section[n].operands) {
        if (operand.kind != Operand::Kind::value) continue;
        Life& of_operand = all[root[as_index(operand.index)]];
        of_operand.until = std::max(of_operand.until, n);
        of_operand.read = true;
      }
    }
  }
};

/// Short words of registers.
class Registers {
 public:
  /// `taken`: those that are in use already; empty: none.
  explicit Registers(const std::vector<bool>& taken) : taken_(taken) { taken_.resize(isa::kGprShortWords, false); }

  std::optional<unsigned> place(const Life& life) {
    for (unsigned first = 0; first + life.words() <= taken_.size(); first += isa::short_words(life.width)) {
      const auto begin = taken_.begin() + first;
      if (std::find(begin, begin + life.words(), true) != begin + life.words()) continue;
      std::fill(begin, begin + life.words(), true);
      return first;
    }
    return std::nullopt;
  }
  /// The last long word that is free.
  std::optional<unsigned> place_copy() {
    for (unsigned first = isa::kGprShortWords; first >= kCopyWords;) {
      first -= kCopyWords;
      const auto begin = taken_.begin() + first;
      if (std::find(begin, begin + kCopyWords, true) != begin + kCopyWords) continue;
      std::fill(begin, begin + kCopyWords, true);
      return first;
    }
    return std::nullopt;
  }
  void release(const Life& life) {
    const auto begin = taken_.begin() + life.address;
    std::fill(begin, begin + life.words(), false);
  }

 private:
  std::vector<bool> taken_;
};

class Allocation {
 public:
  Allocation(const Microcode& code, const Operations& section, const std::vector<bool>& gpr_taken)
      : code_(code), section_(section), registers_(gpr_taken), lives_(section), rewriting_(section) {}

  std::optional<PlacedSection> run(unsigned spare, unsigned local_words) {
    for (; spare >= kCopyWords; spare -= kCopyWords) {
      const std::optional<unsigned> address = registers_.place_copy();
      if (!address) return std::nullopt;
      copies_.insert(copies_.begin(), *address);
    }
    if (!give_registers()) return std::nullopt;
    give_local_memory();
    if (local_words_ > local_words || !copy_operands()) return std::nullopt;
    return PlacedSection{rewriting_.take(), std::move(places_), local_words_};
  }

 private:
  bool give_registers() {
    std::vector<std::size_t> live;
    for (std::size_t n = 0; n < section_.size(); ++n) {
      Life& life = lives_.all[n];
      if (lives_.root[n] != n || !life.read) continue;
      std::erase_if(live, [&](std::size_t other) {
        const bool over = lives_.all[other].until <= n;
        if (over) registers_.release(lives_.all[other]);
        return over;
      });
      std::optional<unsigned> address = registers_.place(life);
      while (!address) {
        const auto needed_longest = std::ranges::max_element(live, {}, [&](std::size_t other) {
          return lives_.all[other].must_be_register ? 0 : lives_.all[other].until;
        });
        if (needed_longest == live.end()) break;
        Life& longest = lives_.all[*needed_longest];
        if (longest.must_be_register || (longest.until <= life.until && !life.must_be_register)) break;
        longest.in_register = false;
        registers_.release(longest);
        live.erase(needed_longest);
        address = registers_.place(life);
      }
      life.in_register = address.has_value();
      if (!address && life.must_be_register) return false;
      if (!address) continue;
      life.address = *address;
      live.push_back(n);
    }
    return true;
  }

  void give_local_memory() {
    std::array<std::vector<std::size_t>, 2> free_from;  // for each word, short ones and long ones
    for (std::size_t n = 0; n < section_.size(); ++n) {
      Life& life = lives_.all[n];
      if (lives_.root[n] != n || !life.read || life.in_register) continue;
      std::vector<std::size_t>& words = free_from[life.width == Width::long_word ? 1 : 0];
      auto word = std::ranges::find_if(words, [&](std::size_t from) { return from <= n; });
      if (word == words.end()) {
        word = words.insert(words.end(), 0);
        local_words_ += life.words();
      }
      *word = life.until;
      life.address = static_cast<unsigned>(word - words.begin());
    }
  }

  enum class Port : std::uint8_t { free, local, broadcast, immediate };

  [[nodiscard]] Port port_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::literal) return Port::immediate;
    if (operand.kind == Operand::Kind::value) {
      return lives_.all[lives_.root[as_index(operand.index)]].in_register ? Port::free : Port::local;
    }
    return code_.variables[as_index(operand.index)].home == Variable::Home::broadcast ? Port::broadcast : Port::local;
  }

  /// A result must be read where it is written.
  [[nodiscard]] bool may_be_copied(const Operand& operand) const {
    if (operand.kind != Operand::Kind::variable) return true;
    const Variable& variable = code_.variables[as_index(operand.index)];
    return variable.record != Record::result || variable.own;
  }

  bool copy_operands() {
    for (std::size_t n = 0; n < section_.size(); ++n) {
      const Operation& old = section_[n];
      std::optional<std::size_t> copied;
      if (old.operands.size() == 2) {
        const Operand& first = old.operands[0];
        const Operand& second = old.operands[1];
        const bool same =
            first.kind == second.kind && first.index == second.index && first.component == second.component;
        const Port port = port_of(first);
        if (!same && port != Port::free && port == port_of(second)) {
          const bool takes_second =
              may_be_copied(second) && (second.kind == Operand::Kind::value || first.kind != Operand::Kind::value);
          copied = takes_second ? 1 : 0;
        }
      }
      int copy = -1;
      if (copied) {
        copy = copy_of(old.operands[*copied], old);
        if (copy < 0) return false;
      }
      Operation made = rewriting_.of(n);
      if (copied) {
        Operand& operand = made.operands[*copied];
        const bool is_value = operand.kind == Operand::Kind::value;
        operand = {Operand::Kind::value, copy, is_value ? operand.component : -1, operand.negated};
      }
      rewriting_.put(n, std::move(made));
      const Life& life = lives_.all[lives_.root[n]];
      places_.push_back({false, life.read && life.in_register, life.read && !life.in_register,
                         life.in_register ? life.address : 0, life.in_register ? 0 : life.address});
    }
    return true;
  }

  /// A copy in one of the spare registers, which are used in turns; -1 if there are none.
  int copy_of(const Operand& operand, const Operation& reader) {
    if (copies_.empty()) return -1;
    Operation made;
    made.op = Op::UPASSA;
    made.operands = {{operand.kind, operand.index, -1, false}};
    made.place = reader.place;
    switch (operand.kind) {
      case Operand::Kind::value:
        made.operands[0].index = rewriting_.number(operand.index);
        made.width = section_[as_index(operand.index)].width;
        made.name = section_[as_index(operand.index)].name;
        break;
      case Operand::Kind::variable:
        made.width = code_.variables[as_index(operand.index)].width;
        made.name = code_.variables[as_index(operand.index)].name;
        made.vector = reader.vector;
        if (port_of(operand) == Port::broadcast) made.op = Op::BM;
        break;
      case Operand::Kind::literal:
        made.width = code_.literals[as_index(operand.index)].width;
        break;
    }
    places_.push_back({false, true, false, copies_[turn_++ % copies_.size()], 0});
    return rewriting_.add(std::move(made));
  }

  const Microcode& code_;
  const Operations& section_;
  Registers registers_;
  std::vector<unsigned> copies_;  // addresses of registers for copies
  Lives lives_;
  Rewriting rewriting_;
  std::vector<Places> places_;
  unsigned local_words_ = 0;
  unsigned turn_ = 0;
};

}  // namespace

std::optional<PlacedSection> placed(const Microcode& code, const Operations& section, unsigned spare,
                                    const ScheduleOptions& options) {
  return Allocation(code, section, options.gpr_taken).run(spare, options.local_words);
}

Fullest fullest(const Operations& section) {
  const Lives lives(section);
  Fullest most;
  for (std::size_t n = 0; n < section.size(); ++n) {
    Fullest here{0, n, {}};
    for (std::size_t root = 0; root <= n; ++root) {
      const Life& life = lives.all[root];
      if (lives.root[root] != root || !life.read || life.until <= n) continue;
      here.words += life.words();
      here.values.push_back(root);
    }
    if (here.words > most.words) most = std::move(here);
  }
  return most;
}

}  // namespace gdr::compiler
