// Annotations in the text: clocks of lines (inlay hints), and kinds of words (semantic tokens).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "answers.h"
#include "gdr/isa/loop_bound.h"

namespace gdr::editor {
namespace {

constexpr std::size_t kMostClocksShown = 3;  // for the lines that a macro or a repeat makes of one line

std::string clocks_text(const std::vector<CodeLine>& lines) {
  std::string text;
  for (std::size_t n = 0; n < std::min(lines.size(), kMostClocksShown); ++n) {
    text += fmt::format("{}{}", n == 0 ? "" : ", ", lines[n].number * isa::kClocksPerLine);
  }
  return lines.size() > kMostClocksShown ? text + fmt::format(", ... ({} times)", lines.size()) : text;
}

/// The end of the line's code, before its comment.
std::size_t end_of_code(const Unit& unit, std::uint32_t file, std::uint32_t line) {
  if (unit.compiled) return unit.texts[file].line(line).size();
  std::size_t end = 0;
  for (const Token& token : unit.index.tokens(file, line)) {
    if (token.kind != TokenKind::comment) end = token.end();
  }
  return end;
}

json hint(const Unit& unit, std::uint32_t file, std::uint32_t line, const std::string& label,
          const std::string& tooltip) {
  const json range = range_of(unit.texts[file], line, end_of_code(unit, file, line), 0);
  return {{"position", range["end"]}, {"label", label}, {"paddingLeft", true}, {"tooltip", tooltip}};
}

/// Hint after the use of a macro: where its lines begin, and how many clocks they take together.
json use_hint(const Unit& unit, std::uint32_t file, std::uint32_t line, const std::vector<MacroUse>& uses) {
  std::vector<CodeLine> firsts;
  for (const MacroUse& use : uses) firsts.push_back(use.lines.front());
  const std::size_t lines = uses.front().lines.size();
  const bool alike = std::ranges::all_of(uses, [&](const MacroUse& use) { return use.lines.size() == lines; });
  std::string label = fmt::format("clock {}", clocks_text(firsts));
  if (alike) label += fmt::format(": {} line{}, {} clocks", lines, lines == 1 ? "" : "s", lines * isa::kClocksPerLine);
  std::string tooltip;
  for (std::size_t n = 0; n < std::min(uses.size(), kMostClocksShown); ++n) {
    tooltip += fmt::format("{}{}", n == 0 ? "" : "\n", use_text(uses[n]));
  }
  return hint(unit, file, line, label, tooltip);
}

/// Hint after `loop body`: the clocks that an iteration takes.
std::optional<json> body_hint(const Unit& unit, std::uint32_t file, std::uint32_t line) {
  const auto tokens = unit.index.tokens(file, line);
  const std::string_view text = unit.texts[file].line(line);
  const bool body =
      unit.result.program && tokens.size() > 1 && tokens[0].in(text) == "loop" && tokens[1].in(text) == "body";
  if (!body) return std::nullopt;
  const isa::LoopBound bound = isa::loop_bound(*unit.result.program);
  return hint(unit, file, line,
              fmt::format("{} lines, {} clocks, bound: {}", bound.lines, bound.clocks(), bound.bound()),
              fmt::format("clocks of an iteration: lines {}, idp {}, bm {}, odp {}", bound.line_clocks,
                          bound.idp_clocks, bound.bm_clocks, bound.odp_clocks));
}

// In the order of the numbers by which the protocol's tokens are encoded.
enum class TokenType : unsigned {
  keyword,
  function,
  modifier,
  variable,
  parameter,
  macro,
  property,
  number,
  string,
  comment
};
constexpr std::array<const char*, 10> kTypes{"keyword", "function", "modifier", "variable", "parameter",
                                             "macro",   "property", "number",   "string",   "comment"};
constexpr unsigned kDeclaration = 1;
constexpr unsigned kReadonly = 2;
constexpr std::array<const char*, 2> kModifiers{"declaration", "readonly"};

struct Shown {
  TokenType type;
  unsigned modifiers = 0;
};

Shown shown_as(const Symbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::macro:
    case SymbolKind::kernel:
      return {TokenType::macro};
    case SymbolKind::argument:
      return {TokenType::parameter};
    case SymbolKind::constant:
    case SymbolKind::parameter:
    case SymbolKind::index:
      return {TokenType::variable, kReadonly};
    case SymbolKind::variable:
    case SymbolKind::view:
    case SymbolKind::register_name:
      break;
  }
  return {TokenType::variable};
}

std::optional<Shown> shown_as(const Unit& unit, const Token& token) {
  switch (token.kind) {
    case TokenKind::keyword:
      return Shown{TokenType::keyword};
    case TokenKind::mnemonic:
      return Shown{TokenType::function};
    case TokenKind::attribute:
      return Shown{TokenType::modifier};
    case TokenKind::register_operand:
      return Shown{TokenType::property};
    case TokenKind::number:
      return Shown{TokenType::number};
    case TokenKind::text:
      return Shown{TokenType::string};
    case TokenKind::comment:
      return Shown{TokenType::comment};
    case TokenKind::sign:
      return std::nullopt;
    case TokenKind::name:
      break;
  }
  if (token.piece) return Shown{TokenType::variable};  // part of a name that braces complete
  if (!token.symbol) return std::nullopt;
  Shown shown = shown_as(unit.index.symbols()[*token.symbol]);
  if (token.declares) shown.modifiers |= kDeclaration;
  return shown;
}

}  // namespace

json inlay_hints(const Unit& unit, std::uint32_t file, std::uint32_t first, std::uint32_t last) {
  json hints = json::array();
  const std::size_t end = std::min<std::size_t>(std::size_t{last} + 1, unit.texts[file].lines());
  for (std::uint32_t line = first; line < end; ++line) {
    if (auto body = body_hint(unit, file, line)) hints.push_back(*std::move(body));
    if (const auto uses = unit.uses.find({file, line}); uses != unit.uses.end()) {
      hints.push_back(use_hint(unit, file, line, uses->second));
    }
    const auto code = unit.code.find({file, line});
    if (code == unit.code.end()) continue;
    const CodeLine& one = code->second.front();
    hints.push_back(hint(unit, file, line, fmt::format("clock {}", clocks_text(code->second)),
                         fmt::format("{}, line {}: {}", isa::name_of(one.section), one.number, units_of(one.word))));
  }
  return hints;
}

json semantic_legend() { return {{"tokenTypes", kTypes}, {"tokenModifiers", kModifiers}}; }

json semantic_tokens(const Unit& unit, std::uint32_t file) {
  json data = json::array();
  const Text& text = unit.texts[file];
  std::size_t last_line = 0;
  std::size_t last_begin = 0;
  for (std::uint32_t line = 0; line < text.lines(); ++line) {
    for (const Token& token : unit.index.tokens(file, line)) {
      const auto shown = shown_as(unit, token);
      if (!shown) continue;
      const std::size_t begin = text.units_before(line, token.begin);
      const std::size_t length = text.units_before(line, token.end()) - begin;
      data.push_back(line - last_line);
      data.push_back(line == last_line ? begin - last_begin : begin);
      data.push_back(length);
      data.push_back(static_cast<unsigned>(shown->type));
      data.push_back(shown->modifiers);
      last_line = line;
      last_begin = begin;
    }
  }
  return {{"data", std::move(data)}};
}

}  // namespace gdr::editor
