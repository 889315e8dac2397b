#include "index.h"

#include <algorithm>
#include <utility>

#include "gdr/isa/isa.h"

namespace gdr::editor {
namespace {

bool is_one_of(std::string_view word, isa::WordRole role) {
  return std::ranges::find(isa::language_words(role), word) != isa::language_words(role).end();
}

/// True for words that may follow a variable's name.
bool is_attribute(std::string_view word) {
  return is_one_of(word, isa::WordRole::attribute) || isa::transfer_named(word) || isa::conversion_named(word) ||
         isa::host_integer_named(word) || isa::op_named(word);
}

}  // namespace

std::string_view name_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kernel:
      return "kernel";
    case SymbolKind::variable:
      return "variable";
    case SymbolKind::view:
      return "view";
    case SymbolKind::register_name:
      return "register name";
    case SymbolKind::parameter:
      return "parameter";
    case SymbolKind::constant:
      return "constant";
    case SymbolKind::macro:
      return "macro";
    case SymbolKind::argument:
      return "macro parameter";
    case SymbolKind::index:
      break;
  }
  return "index of a repeat";
}

/// Reads all files in two passes: first declarations, then the names that lines use.
class Index::Reader {
 public:
  Reader(Index& index, std::span<const Text> texts, std::span<const std::string> uris)
      : index_(index), texts_(texts), uris_(uris) {}

  void run() {
    index_.lines_.resize(texts_.size());
    for (file_ = 0; file_ < texts_.size(); ++file_) {
      if (std::find(uris_.begin(), uris_.begin() + file_, uris_[file_]) != uris_.begin() + file_) continue;
      open_.assign(1, 0);
      index_.lines_[file_].resize(texts_[file_].lines());
      for (line_ = 0; line_ < texts_[file_].lines(); ++line_) declare_line();
      while (open_.size() > 1) close_scope();
    }
    for (file_ = 0; file_ < texts_.size(); ++file_) {
      for (line_ = 0; line_ < index_.lines_[file_].size(); ++line_) resolve_line();
    }
  }

 private:
  [[nodiscard]] std::string_view text() const { return texts_[file_].line(line_); }
  [[nodiscard]] Place place(const Token& token) const { return {file_, line_, token.begin, token.length}; }

  // ---- declarations ------------------------------------------------------------------------------------------------

  void declare_line() {
    Line& line = index_.lines_[file_][line_];
    LineTokens read = tokens_of(text());
    line.tokens = std::move(read.tokens);
    line.scope = open_.back();
    for (const std::string& pattern : read.composed) index_.composed_.emplace(pattern, Place{file_, line_, 0, 0});
    if (line.tokens.empty() || line.tokens.front().kind != TokenKind::name) return;
    const std::string_view head = line.tokens.front().in(text());
    if (!is_one_of(head, isa::WordRole::statement)) return;
    line.tokens.front().kind = TokenKind::keyword;
    statement(head, line.tokens);
    line.scope = head == "macro" || head == "repeat" ? open_.back() : line.scope;
  }

  void statement(std::string_view head, std::vector<Token>& tokens) {
    if (head == "kernel") return declare_next(tokens, SymbolKind::kernel, 0);
    if (head == "var" || head == "bvar") return declaration(tokens, head == "bvar");
    if (head == "reg") return register_name(tokens);
    if (head == "param") return parameter(tokens);
    if (head == "const") return declare_next(tokens, SymbolKind::constant, open_.back());
    if (head == "repeat") {
      open_scope(false);
      return declare_next(tokens, SymbolKind::index, open_.back());
    }
    if (head == "if") return open_scope(false);
    if (head == "macro") return macro(tokens);
    if (head == "loop" || head == "initialization" || head == "experiment") {
      for (Token& token : tokens) {
        if (token.kind == TokenKind::name) token.kind = TokenKind::keyword;
      }
    }
    if (head == "end" && open_.size() > 1) close_scope();
    if (head == "else" && open_.size() > 1) {
      close_scope();
      open_scope(false);
    }
  }

  void open_scope(bool macro) {
    index_.scopes_.push_back({open_.back(), file_, line_, static_cast<std::uint32_t>(texts_[file_].lines()), macro});
    index_.names_.emplace_back();
    open_.push_back(static_cast<std::uint32_t>(index_.scopes_.size() - 1));
  }
  void close_scope() {
    index_.scopes_[open_.back()].last = line_;
    open_.pop_back();
  }

  void declare(Token& token, SymbolKind kind, std::uint32_t scope) {
    const std::string name(token.in(text()));
    if (token.piece || token.kind != TokenKind::name) return;
    // In a macro's body, the name of a parameter is not declared: it stands for the argument.
    if (const Symbol* other = index_.find(name, open_.back()); other && other->kind == SymbolKind::argument) {
      if (kind != SymbolKind::argument) return;
    }
    const auto [found, fresh] = index_.names_[scope].emplace(name, static_cast<std::uint32_t>(index_.symbols_.size()));
    if (fresh) index_.symbols_.push_back({kind, name, scope, {}, {}});
    index_.symbols_[found->second].declarations.push_back(place(token));
    token.symbol = found->second;
    token.declares = true;
  }

  void declare_next(std::vector<Token>& tokens, SymbolKind kind, std::uint32_t scope) {
    if (tokens.size() > 1) declare(tokens[1], kind, scope);
  }

  void declaration(std::vector<Token>& tokens, bool broadcast) {
    Token* named = nullptr;
    bool view = false;
    for (std::size_t n = 1; n < tokens.size(); ++n) {
      Token& token = tokens[n];
      if (token.kind != TokenKind::name || token.in_expression) continue;
      if (is_attribute(token.in(text())) && (named || is_one_of(token.in(text()), isa::WordRole::attribute))) {
        token.kind = TokenKind::attribute;
      } else if (!named) {
        named = &token;
      } else {
        view = broadcast;
      }
    }
    if (named) declare(*named, view ? SymbolKind::view : SymbolKind::variable, 0);
  }

  void register_name(std::vector<Token>& tokens) {
    for (std::size_t n = 2; n < tokens.size(); ++n) {
      if (is_one_of(tokens[n].in(text()), isa::WordRole::attribute)) tokens[n].kind = TokenKind::attribute;
    }
    std::uint32_t scope = open_.back();
    while (scope != 0 && !index_.scopes_[scope].macro) scope = index_.scopes_[scope].parent;
    declare_next(tokens, SymbolKind::register_name, scope);
  }

  void parameter(std::vector<Token>& tokens) {
    for (std::size_t n = 2; n < tokens.size(); ++n) {
      if (is_attribute(tokens[n].in(text()))) tokens[n].kind = TokenKind::attribute;
    }
    declare_next(tokens, SymbolKind::parameter, 0);
  }

  void macro(std::vector<Token>& tokens) {
    declare_next(tokens, SymbolKind::macro, 0);
    open_scope(true);
    for (std::size_t n = 2; n < tokens.size(); ++n) declare(tokens[n], SymbolKind::argument, open_.back());
  }

  // ---- uses --------------------------------------------------------------------------------------------------------

  void use(Token& token, const Symbol* symbol) {
    if (!symbol) return;
    token.symbol = static_cast<std::uint32_t>(symbol - index_.symbols_.data());
    index_.symbols_[*token.symbol].uses.push_back(place(token));
  }

  void resolve_line() {
    Line& line = index_.lines_[file_][line_];
    if (line.tokens.empty()) return;
    const bool code = line.tokens.front().kind != TokenKind::keyword;
    const Symbol* macro = nullptr;
    bool first = true;  // first token of an item
    for (std::size_t n = 0; n < line.tokens.size(); ++n) {
      Token& token = line.tokens[n];
      const std::string_view word = token.in(text());
      if (token.kind == TokenKind::sign && word == ";" && !token.in_expression) first = true;
      if (token.kind != TokenKind::name || token.piece || token.declares) continue;
      const Symbol* symbol = index_.find(word, line.scope);
      if (code && std::exchange(first, false)) {
        const bool argument = symbol && symbol->kind == SymbolKind::argument;
        if (n == 0 && symbol && symbol->kind == SymbolKind::macro) macro = symbol;
        if (!argument && !macro) {
          token.kind = TokenKind::mnemonic;
          continue;
        }
      } else if (word == "defined" || (code && is_predicate(line.tokens, n))) {
        token.kind = TokenKind::attribute;
        continue;
      } else if (code && symbol == nullptr && is_one_of(word, isa::WordRole::attribute)) {  // `not_first`, `block`
        token.kind = TokenKind::attribute;
        continue;
      } else if (macro && names_argument(n, line.tokens)) {
        symbol = argument_of(*macro, word);
      }
      use(token, symbol);
    }
  }

  /// The `j` of `y/j`.
  [[nodiscard]] bool is_predicate(const std::vector<Token>& tokens, std::size_t n) const {
    return n > 0 && !tokens[n].in_expression && tokens[n].in(text()) == "j" && tokens[n - 1].in(text()) == "/" &&
           tokens[n - 1].end() == tokens[n].begin;
  }

  /// True if the word is before the '=' of an argument that is given by name.
  [[nodiscard]] bool names_argument(std::size_t n, const std::vector<Token>& tokens) const {
    const std::string_view rest = text().substr(tokens[n].end());
    return rest.starts_with('=') && !rest.starts_with("==") && !tokens[n].in_expression;
  }

  [[nodiscard]] const Symbol* argument_of(const Symbol& macro, std::string_view name) const {
    for (const Symbol& symbol : index_.symbols_) {
      if (symbol.kind != SymbolKind::argument || symbol.name != name) continue;
      const Scope& scope = index_.scopes_[symbol.scope];
      for (const Place& at : macro.declarations) {
        if (scope.file == at.file && scope.first == at.line) return &symbol;
      }
    }
    return nullptr;
  }

  Index& index_;
  std::span<const Text> texts_;
  std::span<const std::string> uris_;
  std::uint32_t file_ = 0;
  std::uint32_t line_ = 0;
  std::vector<std::uint32_t> open_;  // scopes that contain the line, the innermost last
};

Index::Index(std::span<const Text> texts, std::span<const std::string> uris) { Reader(*this, texts, uris).run(); }

const Symbol* Index::find(std::string_view name, std::uint32_t scope) const {
  for (;; scope = scopes_[scope].parent) {
    if (const auto found = names_[scope].find(name); found != names_[scope].end()) return &symbols_[found->second];
    if (scope == 0) return nullptr;
  }
}

std::span<const Token> Index::tokens(std::uint32_t file, std::uint32_t line) const {
  if (file >= lines_.size() || line >= lines_[file].size()) return {};
  return lines_[file][line].tokens;
}

const Token* Index::token_at(std::uint32_t file, std::uint32_t line, std::size_t byte) const {
  const Token* touched = nullptr;
  for (const Token& token : tokens(file, line)) {
    if (token.begin <= byte && byte < token.end()) {
      // Between a word and a sign, the word is chosen.
      if (touched && token.kind == TokenKind::sign) return touched;
      return &token;
    }
    if (token.end() == byte && token.kind != TokenKind::sign) touched = &token;
  }
  return touched;
}

std::uint32_t Index::scope_at(std::uint32_t file, std::uint32_t line) const {
  return file < lines_.size() && line < lines_[file].size() ? lines_[file][line].scope : 0;
}

std::map<std::string_view, const Symbol*> Index::visible(std::uint32_t file, std::uint32_t line) const {
  std::map<std::string_view, const Symbol*> found;
  for (std::uint32_t scope = scope_at(file, line);; scope = scopes_[scope].parent) {
    for (const auto& [name, symbol] : names_[scope]) found.emplace(name, &symbols_[symbol]);
    if (scope == 0) return found;
  }
}

}  // namespace gdr::editor
