// What only experiments have: a flag by which they go on, and words that are read after they were overwritten.
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "lower.h"

namespace gdr::compiler {

using isa::Condition;
using isa::Op;

void Lowering::go_on_unless(int done) {
  const Truth is_done = truth(done);
  const auto tested = [&](const Operand& value) {
    Operation& test = builder_.of(value);
    test.condition = Condition::negative;
    test.only_flag = true;
    test.goes_on = true;
  };
  if (is_done.operation < 0) {  // known; the flag is written all the same, for without it no step is told as the last
    return tested(builder_.operation(Op::UPASSA, {builder_.integer(is_done.known ? 0 : -1, kShort)}, kShort));
  }
  builder_.source("done", node(done).place);
  // A comparison that nothing else reads sets the flag itself, if it says that the experiment is not done.
  const Operation& comparison = builder_.at(is_done.operation);
  if (is_done.inverted && comparison.only_flag && comparison.flag_into < 0 && comparison.predicate < 0 &&
      comparison.into < 0 && !is_read(is_done.operation)) {
    builder_.at(is_done.operation).goes_on = true;
    return;
  }
  const Operand base = builder_.copy(builder_.integer(-1, kShort), kShort);
  const Operand word = builder_.merge(base, builder_.integer(0, kShort), is_done, false);
  tested(builder_.operation(Op::UPASSA, {word}, kShort));
}

bool Lowering::is_read(int flag) {
  for (int n = 0; n < builder_.next(); ++n) {
    const Operation& reader = builder_.at(n);
    if (reader.predicate == flag || reader.flag_into == flag) return true;
  }
  return false;
}

namespace {

/// Orders that a section's operations must have: before each operation in the list, the operation itself.
class Order {
 public:
  explicit Order(const Operations& section) : after_(section.size()) {
    for (std::size_t n = 0; n < section.size(); ++n) {
      const Operation& operation = section[n];
      for (const Operand& operand : operation.operands) {
        if (operand.kind == Operand::Kind::value) add(operand.index, n);
      }
      add(operation.into, n), add(operation.predicate, n), add(operation.flag_into, n), add(operation.after, n);
    }
    for (std::size_t n = 0; n < section.size(); ++n) {
      if (section[n].into >= 0) add_readers_of_value(section, section[n].into, n);
      if (section[n].variable >= 0) add_readers_of_word(section, section[n].variable, n);
    }
  }

  /// True if `to` must come after `from`.
  [[nodiscard]] bool leads(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(after_.size(), false);
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (next == to) return true;
      if (seen[next]) continue;
      seen[next] = true;
      open.insert(open.end(), after_[next].begin(), after_[next].end());
    }
    return false;
  }

  /// For each operation, those that must come before it.
  [[nodiscard]] std::vector<std::vector<std::size_t>> before() const {
    std::vector<std::vector<std::size_t>> needed(after_.size());
    for (std::size_t n = 0; n < after_.size(); ++n) {
      for (const std::size_t later : after_[n]) needed[later].push_back(n);
    }
    return needed;
  }

 private:
  void add(int before, std::size_t n) {
    if (before >= 0) after_[static_cast<std::size_t>(before)].push_back(n);
  }

  void add_readers_of_value(const Operations& section, int value, std::size_t n) {
    for (std::size_t reader = 0; reader < section.size(); ++reader) {
      if (reader == n) continue;
      for (const Operand& operand : section[reader].operands) {
        if (operand.kind == Operand::Kind::value && operand.index == value) after_[reader].push_back(n);
      }
    }
  }

  void add_readers_of_word(const Operations& section, int variable, std::size_t n) {
    for (std::size_t reader = 0; reader < section.size(); ++reader) {
      if (reader == n) continue;
      for (const Operand& operand : section[reader].operands) {
        if (operand.kind == Operand::Kind::variable && operand.index == variable) after_[reader].push_back(n);
      }
    }
  }

  std::vector<std::vector<std::size_t>> after_;
};

void copy_old_words_of(const Microcode& code, Operations& section) {
  std::map<int, int> copies;  // of a variable
  const std::size_t size = section.size();
  for (std::size_t writer = 0; writer < size; ++writer) {
    const int variable = section[writer].variable;
    if (variable < 0) continue;
    for (std::size_t reader = 0; reader < size; ++reader) {
      if (reader == writer) continue;
      for (std::size_t o = 0; o < section[reader].operands.size(); ++o) {
        const Operand read = section[reader].operands[o];
        if (read.kind != Operand::Kind::variable || read.index != variable) continue;
        if (!Order(section).leads(writer, reader)) continue;
        const auto [copy, is_new] = copies.try_emplace(variable, static_cast<int>(section.size()));
        if (is_new) {
          Operation made;
          made.op = Op::UPASSA;
          made.operands = {{Operand::Kind::variable, variable, -1, false}};
          made.width = code.variables[static_cast<std::size_t>(variable)].width;
          made.name = code.variables[static_cast<std::size_t>(variable)].name + "_old";
          made.place = section[reader].place;
          section.push_back(std::move(made));
        }
        section[reader].operands[o] = {Operand::Kind::value, copy->second, -1, read.negated};
      }
    }
  }
}

/// Operations that have not been put into the order yet, of those that `n` needs.
std::size_t missing(const std::vector<std::vector<std::size_t>>& before, const std::vector<int>& number,
                    std::size_t n) {
  std::vector<bool> seen(before.size(), false);
  std::vector<std::size_t> open{n};
  std::size_t count = 0;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (seen[next] || number[next] != -1) continue;
    seen[next] = true;
    ++count;
    open.insert(open.end(), before[next].begin(), before[next].end());
  }
  return count;
}

/// Puts each operation behind those that it needs. What is written comes in such an order that each word takes as few
/// further operations as possible: values that several words need are then needed for a short time.
void arrange(Operations& section) {
  const std::vector<std::vector<std::size_t>> before = Order(section).before();
  std::vector<int> number(section.size(), -1);
  std::vector<std::size_t> order;
  const std::function<void(std::size_t)> put = [&](std::size_t n) {
    if (number[n] != -1) return;
    number[n] = -2;
    for (const std::size_t needed : before[n]) put(needed);
    number[n] = static_cast<int>(order.size());
    order.push_back(n);
  };
  std::vector<std::size_t> written;
  for (std::size_t n = 0; n < section.size(); ++n) {
    if (section[n].variable >= 0 || section[n].goes_on) written.push_back(n);
  }
  while (!written.empty()) {
    const auto next = std::ranges::min_element(written, {}, [&](std::size_t n) { return missing(before, number, n); });
    put(*next);
    written.erase(next);
  }
  for (std::size_t n = 0; n < section.size(); ++n) put(n);
  put_in_order(section, order, number);
}

/// Copies an operand where neither is made shortly before, so that both can have been in local memory, which has one
/// port.
void reload(const Microcode& code, Operations& section) {
  constexpr std::size_t kShortly = 3;  // operations
  const std::size_t size = section.size();
  for (std::size_t n = 0; n < size; ++n) {
    if (section[n].operands.size() < 2) continue;
    const auto waits = [&](const Operand& operand) {
      if (operand.kind == Operand::Kind::literal || operand.component >= 0) return false;
      if (operand.kind == Operand::Kind::variable) {
        return code.variables[static_cast<std::size_t>(operand.index)].home == Variable::Home::local;
      }
      return n > static_cast<std::size_t>(operand.index) + kShortly;
    };
    const Operand first = section[n].operands[0];
    const Operand second = section[n].operands[1];
    if (!waits(first) || !waits(second) || (first.kind == second.kind && first.index == second.index)) continue;
    const bool takes_second = second.kind == Operand::Kind::variable;
    const Operand taken = takes_second ? second : first;
    Operation made;
    made.op = Op::UPASSA;
    made.operands = {{taken.kind, taken.index, -1, false}};
    const auto at = static_cast<std::size_t>(taken.index);
    made.width = taken.kind == Operand::Kind::variable ? code.variables[at].width : section[at].width;
    made.name = taken.kind == Operand::Kind::variable ? code.variables[at].name : section[at].name;
    made.place = section[n].place;
    section.push_back(std::move(made));
    section[n].operands[takes_second ? 1 : 0] = {Operand::Kind::value, static_cast<int>(section.size()) - 1, -1,
                                                 taken.negated};
  }
}

}  // namespace

void reload_words(Microcode& code) {
  for (Operations* section : {&code.initialization, &code.body, &code.termination}) {
    reload(code, *section);
    arrange(*section);
  }
}

void copy_old_words(Microcode& code) {
  for (Operations* section : {&code.initialization, &code.body, &code.termination}) {
    copy_old_words_of(code, *section);
    arrange(*section);
  }
}

}  // namespace gdr::compiler
