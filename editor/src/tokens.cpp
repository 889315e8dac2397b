#include "tokens.h"

#include <algorithm>

namespace gdr::editor {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string_view line) : line_(line) {}

  LineTokens run() {
    while (at_ < line_.size()) one();
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }

  void add(TokenKind kind, std::size_t begin, bool piece = false) {
    if (at_ == begin) return;
    Token token;
    token.kind = kind;
    token.begin = static_cast<std::uint32_t>(begin);
    token.length = static_cast<std::uint32_t>(at_ - begin);
    token.in_expression = depth_ > 0 || braces_;
    token.piece = piece;
    out_.tokens.push_back(token);
  }

  void one() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '#') {
      at_ = line_.size();
      add(TokenKind::comment, begin);
    } else if (c == '"') {
      quoted(begin);
    } else if (c == '$' || c == '{' || is_word_character(c)) {
      composed();
    } else {
      if (c == '[') ++depth_;
      if (c == ']' && depth_ > 0) --depth_;
      ++at_;
      add(TokenKind::sign, begin);
    }
  }

  /// From `begin`, where the form of an immediate may stand, behind the closing quote.
  void quoted(std::size_t begin) {
    ++at_;
    while (at_ < line_.size() && peek() != '"') {
      if (peek() != '{') {
        ++at_;
        continue;
      }
      add(TokenKind::text, begin);
      expression();
      begin = at_;
    }
    if (at_ < line_.size()) ++at_;
    add(TokenKind::text, begin);
  }

  /// `{...}`
  void expression() {
    const std::size_t begin = at_++;
    add(TokenKind::sign, begin);
    braces_ = true;
    while (at_ < line_.size() && peek() != '}') {
      if (is_word_character(peek())) {
        word();
      } else {
        const std::size_t sign = at_++;
        if (line_[sign] != ' ' && line_[sign] != '\t') add(TokenKind::sign, sign);
      }
    }
    braces_ = false;
    const std::size_t end = at_;
    if (at_ < line_.size()) ++at_;
    add(TokenKind::sign, end);
  }

  void word() {
    const std::size_t begin = at_;
    while (is_word_character(peek())) ++at_;
    add(is_digit(line_[begin]) ? TokenKind::number : TokenKind::name, begin);
  }

  /// `1.5e-3`; the dots of `0..3` do not belong to a number.
  void number() {
    while (is_word_character(peek())) ++at_;
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_word_character(peek())) ++at_;
    }
    const char last = line_[at_ - 1];
    if ((last == 'e' || last == 'E') && (peek() == '-' || peek() == '+') && is_digit(peek(1))) {
      ++at_;
      while (is_word_character(peek())) ++at_;
    }
  }

  /// Word characters and braces without blanks between them.
  void composed() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::name;
    if (peek() == '$') {
      kind = TokenKind::register_operand;
      ++at_;
    } else if (is_digit(peek())) {
      kind = TokenKind::number;
      number();
    }
    const std::size_t first_token = out_.tokens.size();
    std::string pattern;
    bool braces = false;
    for (std::size_t piece = begin;;) {
      while (is_word_character(peek())) ++at_;
      if (!braces && peek() == '"') return quoted(begin);
      if (kind == TokenKind::register_operand && peek() == '.' && is_word_character(peek(1))) {
        ++at_;
        continue;
      }
      pattern += line_.substr(piece, at_ - piece);
      add(kind, piece, braces || peek() == '{');
      if (peek() != '{') break;
      braces = true;
      pattern += '*';
      expression();
      piece = at_;
    }
    // Braces alone may be a name, too, if they contain a parameter of a macro.
    if (braces && kind == TokenKind::name && out_.tokens.size() > first_token && pattern != "*") {
      out_.composed.push_back(pattern);
    }
  }

  std::string_view line_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;  // depth of brackets
  bool braces_ = false;
  LineTokens out_;
};

}  // namespace

bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

LineTokens tokens_of(std::string_view line) { return Lexer(line).run(); }

}  // namespace gdr::editor
