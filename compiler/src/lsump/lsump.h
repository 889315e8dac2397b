// The language of LSUMP: declarations of the fields of i, of j and of the results, and assignments. Of experiments it
// has the state, and sections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

struct LsumpExpression {
  enum class Kind : std::uint8_t { number, name, call, operation };
  Kind kind = Kind::number;
  std::string text;  // text of a name, a function or an operator: + - * / < <= > >= == != && || ! ? and neg
  double number = 0;
  std::optional<unsigned> index;  // index of a name
  std::vector<LsumpExpression> operands;
  std::uint32_t at = 0;  // byte offset
};

struct LsumpDeclared {
  std::string name;
  std::optional<unsigned> count;
  std::optional<double> number;  // value of a constant
  std::uint32_t at = 0;
};

/// A declaration if `keyword` is one of VARI, VARJ, VARF, VARC, VARS; the head of a section if it is BEGIN, STEP or
/// END; the condition by which an experiment is done if it is DONE; else an assignment.
struct LsumpStatement {
  std::string keyword;
  std::string width;  // long, short or empty
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

/// The statements, or the position of the first syntax error.
struct LsumpParsed {
  std::vector<LsumpStatement> statements;
  std::optional<LsumpSyntaxError> error;
};

[[nodiscard]] LsumpParsed parse_lsump(std::string_view text);

/// Reads the pair function or the experiment of a file; its name is the file's.
[[nodiscard]] Imported read_lsump(std::string_view text, const std::string& file);

}  // namespace gdr::compiler
