#include "lean_operations.h"

#include <algorithm>
#include <array>
#include <set>

#include "rewriting.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;

/// Values that others overwrite under a condition, and variables that are written: what an operation reads of them may
/// be something else later.
struct Overwritten {
  std::set<int> values;
  std::set<int> variables;

  explicit Overwritten(const Operations& section) {
    for (const Operation& operation : section) {
      values.insert(operation.into);
      variables.insert(operation.variable);
    }
  }
  [[nodiscard]] bool reads(const Operation& operation) const {
    return std::ranges::any_of(operation.operands, [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::literal) return false;
      return (operand.kind == Operand::Kind::value ? values : variables).contains(operand.index);
    });
  }
};

/// The flags of the machine as a cache: one that is needed again is set again.
class FlagCache {
 public:
  FlagCache(const Operations& section, unsigned flags)
      : section_(section),
        flags_(flags),
        overwritten_(section),
        rewriting_(section),
        uses_left_(section.size(), 0),
        set_by_(section.size(), -1),
        set_twice_(section.size(), false) {
    for (const Operation& operation : section) {
      if (operation.predicate >= 0) ++uses_left_[root_of(operation.predicate)];
      if (operation.flag_into < 0) continue;
      ++uses_left_[root_of(operation.flag_into)];
      set_twice_[root_of(operation.flag_into)] = true;
    }
  }

  std::optional<Operations> run() {
    for (std::size_t n = 0; n < section_.size(); ++n) {
      const Operation& operation = section_[n];
      if (operation.predicate >= 0 && !provide(root_of(operation.predicate))) return std::nullopt;
      Operation made = rewriting_.of(n);
      if (operation.predicate >= 0) {
        const std::size_t root = root_of(operation.predicate);
        if (set_by_[root] >= 0) made.predicate = set_by_[root];
        use(root);
      }
      if (operation.flag_into >= 0) use(root_of(operation.flag_into));
      const bool sets = operation.condition && operation.flag_into < 0 && !operation.goes_on;
      if (sets && !hold(n)) return std::nullopt;
      rewriting_.put(n, std::move(made));
      if (sets && uses_left_[n] == 0) std::erase(held_, n);
    }
    Operations made = rewriting_.take();
    drop_needless(made);  // a flag that had to go before it was read for the first time
    return made;
  }

 private:
  [[nodiscard]] std::size_t root_of(int n) const {
    while (section_[as_index(n)].flag_into >= 0) n = section_[as_index(n)].flag_into;
    return as_index(n);
  }

  void use(std::size_t root) {
    std::erase(held_, root);
    if (--uses_left_[root] > 0) held_.push_back(root);
  }

  bool hold(std::size_t root) {
    if (held_.size() == flags_) {
      const auto oldest = std::ranges::find_if(held_, [&](std::size_t held) { return again(held).has_value(); });
      if (oldest == held_.end()) return false;
      held_.erase(oldest);
    }
    held_.push_back(root);
    return true;
  }

  bool provide(std::size_t root) {
    if (std::ranges::find(held_, root) != held_.end()) return true;
    std::optional<Operation> setting = again(root);
    if (!setting || !hold(root)) return false;
    set_by_[root] = rewriting_.add(*std::move(setting));
    return true;
  }

  /// An operation that sets the flag again, if there is one.
  [[nodiscard]] std::optional<Operation> again(std::size_t root) const {
    const Operation& first = section_[root];
    const bool told_by_word = first.condition == Condition::negative || first.condition == Condition::zero;
    if (set_twice_[root] || !told_by_word || first.into >= 0 || first.predicate >= 0 || first.variable >= 0) {
      return std::nullopt;
    }
    if (first.only_flag) {
      if (overwritten_.reads(first)) return std::nullopt;
      return rewriting_.of(root);
    }
    // Operations of which an equal difference, or nothing, is the word 0.
    static constexpr std::array kPlain{Op::FSUB, Op::USUB, Op::UOR, Op::UAND, Op::UXOR, Op::UPASSA};
    if (overwritten_.values.contains(static_cast<int>(root)) || std::ranges::find(kPlain, first.op) == kPlain.end()) {
      return std::nullopt;
    }
    Operation test;
    test.op = Op::UPASSA;
    test.operands = {{Operand::Kind::value, rewriting_.number(static_cast<int>(root)), -1, false}};
    test.width = first.width;
    test.condition = first.condition;
    test.only_flag = true;
    test.name = first.name;
    test.place = first.place;
    return test;
  }

  const Operations& section_;
  unsigned flags_;
  Overwritten overwritten_;
  Rewriting rewriting_;
  std::vector<int> uses_left_;
  std::vector<int> set_by_;  // the operation that set the flag again; -1: none
  std::vector<bool> set_twice_;
  std::vector<std::size_t> held_;  // flags that will be read again, the one used last at the end
};

}  // namespace

std::optional<Operations> flags_in_time(const Operations& section, unsigned flags) {
  return FlagCache(section, flags).run();
}

Operations values_in_time(const Operations& section) {
  constexpr std::size_t kLong = 12;  // operations
  const Overwritten overwritten(section);
  const auto may_be_again = [&](int n) {
    const Operation& operation = section[as_index(n)];
    const bool plain = operation.into < 0 && operation.predicate < 0 && operation.variable < 0 &&
                       !operation.condition && operation.after < 0 && operation.op != Op::FMULL;
    const bool of_words = std::ranges::none_of(
        operation.operands, [](const Operand& operand) { return operand.kind == Operand::Kind::value; });
    return plain && of_words && !overwritten.reads(operation) && !overwritten.values.contains(n);
  };
  Rewriting rewriting(section);
  std::vector<int> latest(section.size(), -1);
  for (std::size_t n = 0; n < section.size(); ++n) {
    Operation made = rewriting.of(n);
    for (std::size_t o = 0; o < made.operands.size(); ++o) {
      const Operand& old = section[n].operands[o];
      if (old.kind != Operand::Kind::value || !may_be_again(old.index)) continue;
      int& number = latest[as_index(old.index)];
      if (number < 0) number = rewriting.number(old.index);
      if (rewriting.size() > as_index(number) + kLong) number = rewriting.add(rewriting.of(as_index(old.index)));
      made.operands[o].index = number;
    }
    rewriting.put(n, std::move(made));
  }
  return rewriting.take();
}

}  // namespace gdr::compiler
