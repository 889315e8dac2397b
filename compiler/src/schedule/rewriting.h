// A section written anew in the same order, with further operations among its own.
#pragma once

#include <utility>
#include <vector>

#include "microcode/microcode.h"

namespace gdr::compiler {

[[nodiscard]] inline std::size_t as_index(int n) { return static_cast<std::size_t>(n); }

class Rewriting {
 public:
  explicit Rewriting(const Operations& old) : old_(old), number_(old.size(), -1) {}

  /// An operation of the old section, which refers to the new numbers of those that were put before.
  [[nodiscard]] Operation of(std::size_t n) const {
    Operation operation = old_[n];
    for (Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) operand.index = number(operand.index);
    }
    for (int* other : {&operation.into, &operation.predicate, &operation.flag_into, &operation.after})
      *other = number(*other);
    return operation;
  }
  /// The number that an operation of the old section has in the new one; -1 for none.
  [[nodiscard]] int number(int n) const { return n < 0 ? -1 : number_[as_index(n)]; }
  /// Appends what has become of operation `n`.
  void put(std::size_t n, Operation operation) { number_[n] = add(std::move(operation)); }
  /// Appends a further operation and returns its number.
  int add(Operation operation) {
    made_.push_back(std::move(operation));
    return static_cast<int>(made_.size()) - 1;
  }
  [[nodiscard]] std::size_t size() const { return made_.size(); }
  [[nodiscard]] Operations take() { return std::move(made_); }

 private:
  const Operations& old_;
  std::vector<int> number_;
  Operations made_;
};

}  // namespace gdr::compiler
