// Expressions on the kernel's names, with the operators of C.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gdr/debugger/value.h"

namespace gdr::debugger {

/// Reads the value of `name`; its subscripts are already evaluated.
using NameReader = std::function<Value(std::string_view name, const std::vector<std::uint64_t>& subscripts)>;

/// An expression may have numbers (`1e6`, `42`, `0x3f`), names with subscripts, registers (`$lr8v`), parentheses,
/// isnan(x), isinf(x), abs(x), and these operators, the tightest first: - ! ~; * / %; + -; << >>; < <= > >=; == !=; &;
/// ^; |; &&; ||; ?:. An operation on two integers gives an integer, any other one a double. Bit operations, shifts and
/// % take integers only.
class Expression {
 public:
  /// Throws gdr::Error with place and reason if `text` is no expression.
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Throws what `read` throws, and gdr::Error for an integer division by zero and for operands that an operator does
  /// not accept.
  [[nodiscard]] Value evaluate(const NameReader& read) const;

  /// Calls `check` for every name, whether or not it would be evaluated. Subscripts that are not plain numbers count as
  /// 0.
  void for_each_name(
      const std::function<void(std::string_view name, const std::vector<std::uint64_t>& subscripts)>& check) const;

  struct Node;

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace gdr::debugger
