// Splits a line of source into tokens. Unlike the assembler's grammar, this accepts any line, even incomplete or wrong.
// It keeps expressions in braces, which the assembler replaces before its grammar reads the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::editor {

enum class TokenKind : std::uint8_t {
  keyword,    // begins a statement, or names a section
  mnemonic,   // an operation, or `vlen`, `mask`, `transfer`, `collect`
  attribute,  // attribute of a declaration
  name,
  register_operand,  // `$lr8v`; also a part of one next to braces
  number,
  text,  // text in quotes, with the characters directly before it
  comment,
  sign
};

struct Token {
  TokenKind kind = TokenKind::sign;
  std::uint32_t begin = 0;  // in bytes
  std::uint32_t length = 0;
  bool in_expression = false;             // in braces or brackets
  bool piece = false;                     // part of a name, register or number that braces complete
  std::optional<std::uint32_t> symbol{};  // for a name: index into Index::symbols()
  bool declares = false;                  // it declares the symbol

  [[nodiscard]] std::uint32_t end() const { return begin + length; }
  [[nodiscard]] std::string_view in(std::string_view line) const { return line.substr(begin, length); }
};

struct LineTokens {
  std::vector<Token> tokens;
  std::vector<std::string> composed;  // names that contain braces, with '*' in place of each pair: `x*`
};

[[nodiscard]] LineTokens tokens_of(std::string_view line);
[[nodiscard]] bool is_word_character(char c);

}  // namespace gdr::editor
