// Expressions over names of the kernel, with the operators of C.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gdr/debugger/value.h"

namespace gdr::debugger {

/// `name` with its subscripts, evaluated.
using NameReader = std::function<Value(std::string_view name, const std::vector<std::uint64_t>& subscripts)>;

/// Numbers (`1e6`, `42`, `0x3f`), names with subscripts, registers (`$lr8v`), parentheses, isnan(x), isinf(x), abs(x),
/// and from the tightest: - ! ~; * / %; + -; << >>; < <= > >=; == !=; &; ^; |; &&; ||; ?:. An operation of two integers
/// is one of integers, any other one of doubles; bit operations, shifts and % take integers alone.
class Expression {
 public:
  /// Throws gdr::Error naming place and reason.
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Throws what `read` throws, and gdr::Error for division of integers by zero and operands that an operator does not
  /// take.
  [[nodiscard]] Value evaluate(const NameReader& read) const;

  /// Calls `check` for every name, evaluated or not; subscripts that are no plain numbers count as 0.
  void for_each_name(
      const std::function<void(std::string_view name, const std::vector<std::uint64_t>& subscripts)>& check) const;

  struct Node;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace gdr::debugger
