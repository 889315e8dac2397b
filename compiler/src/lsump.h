// The language of LSUMP: declarations of what belongs to i, to j and to the results, and assignments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

struct LsumpExpression {
  enum class Kind : std::uint8_t { number, name, call, operation };
  Kind kind = Kind::number;
  std::string text;  // of a name, a function, an operator: + - * / < <= > >= == != && || ! ? and neg
  double number = 0;
  std::optional<unsigned> index;  // of a name
  std::vector<LsumpExpression> operands;
  std::uint32_t at = 0;  // byte offset
};

struct LsumpDeclared {
  std::string name;
  std::optional<unsigned> count;
  std::optional<double> number;  // of a constant
  std::uint32_t at = 0;
};

/// A declaration if `keyword` is one of VARI, VARJ, VARF, VARC; else an assignment.
struct LsumpStatement {
  std::string keyword;
  std::string width;  // long, short or nothing
  std::vector<LsumpDeclared> declared;
  LsumpExpression target;
  std::string assignment;  // = += -=
  LsumpExpression value;
  std::uint32_t at = 0;
};

struct LsumpSyntaxError {
  std::uint32_t at = 0;
  std::string message;
};

/// The statements, or where the text stops to be of the language.
struct LsumpParsed {
  std::vector<LsumpStatement> statements;
  std::optional<LsumpSyntaxError> error;
};

[[nodiscard]] LsumpParsed parse_lsump(std::string_view text);

/// The pair function of a file; its name is the file's.
[[nodiscard]] Imported read_lsump(std::string_view text, const std::string& file);

}  // namespace gdr::compiler
