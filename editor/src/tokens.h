// A line of source in tokens. Unlike the assembler's grammar it takes any line, half written or wrong, and keeps
// expressions in braces, which the assembler replaces before its grammar sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::editor {

enum class TokenKind : std::uint8_t {
  keyword,    // begins a statement, or names a section
  mnemonic,   // of an operation, or `vlen`, `mask`, `transfer`, `collect`
  attribute,  // of a declaration
  name,
  register_operand,  // `$lr8v`, also in pieces around braces
  number,
  text,  // what stands in quotes with what stands before them
  comment,
  sign
};

struct Token {
  TokenKind kind = TokenKind::sign;
  std::uint32_t begin = 0;  // bytes
  std::uint32_t length = 0;
  bool in_expression = false;             // in braces or brackets
  bool piece = false;                     // a part of a name, register or number that braces complete
  std::optional<std::uint32_t> symbol{};  // of a name: index into Index::symbols()
  bool declares = false;                  // the symbol

  [[nodiscard]] std::uint32_t end() const { return begin + length; }
  [[nodiscard]] std::string_view in(std::string_view line) const { return line.substr(begin, length); }
};

struct LineTokens {
  std::vector<Token> tokens;
  std::vector<std::string> composed;  // names that braces complete, with '*' for each pair: `x*`
};

[[nodiscard]] LineTokens tokens_of(std::string_view line);
[[nodiscard]] bool is_word_character(char c);

}  // namespace gdr::editor
