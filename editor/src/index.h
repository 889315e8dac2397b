// Names of a file and of all files that it includes: where each is declared and used.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text.h"
#include "tokens.h"

namespace gdr::editor {

enum class SymbolKind : std::uint8_t {
  kernel,
  variable,
  view,           // another name of words in broadcast memory
  register_name,  // `reg`
  parameter,      // `param`
  constant,       // `const`
  macro,
  argument,  // a macro's parameter
  index      // of a repeat
};
[[nodiscard]] std::string_view name_of(SymbolKind kind);

/// A range of characters in a line, in bytes; `line` counts from 0.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Symbol {
  SymbolKind kind = SymbolKind::variable;
  std::string name;
  std::uint32_t scope = 0;
  std::vector<Place> declarations;  // more than one if conditions choose among them
  std::vector<Place> uses;
};

/// Lines that share names: scope 0 is the whole file, others are bodies of macros, repeats and conditions.
struct Scope {
  std::uint32_t parent = 0;
  std::uint32_t file = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool macro = false;
};

class Index {
 public:
  Index() = default;
  /// Files with the same URI are read once.
  Index(std::span<const Text> texts, std::span<const std::string> uris);

  [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<Scope>& scopes() const { return scopes_; }
  /// Names that contain braces, with '*' in place of each pair.
  [[nodiscard]] const std::map<std::string, Place>& composed() const { return composed_; }
  [[nodiscard]] std::span<const Token> tokens(std::uint32_t file, std::uint32_t line) const;
  /// The token that contains or ends at byte `byte`; nothing if there is none.
  [[nodiscard]] const Token* token_at(std::uint32_t file, std::uint32_t line, std::size_t byte) const;
  /// Names that a line of a file can use; of equal names, the innermost.
  [[nodiscard]] std::map<std::string_view, const Symbol*> visible(std::uint32_t file, std::uint32_t line) const;
  [[nodiscard]] std::uint32_t scope_at(std::uint32_t file, std::uint32_t line) const;

 private:
  class Reader;
  struct Line {
    std::vector<Token> tokens;
    std::uint32_t scope = 0;
  };

  [[nodiscard]] const Symbol* find(std::string_view name, std::uint32_t scope) const;

  std::vector<Symbol> symbols_;
  std::vector<Scope> scopes_{Scope{}};
  std::vector<std::map<std::string, std::uint32_t, std::less<>>> names_{1};  // for each scope
  std::vector<std::vector<Line>> lines_;                                     // for each file
  std::map<std::string, Place> composed_;
};

}  // namespace gdr::editor
