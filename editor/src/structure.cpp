// The form of a source: layout, folding, operands of operations and macros, and names of all open documents.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "answers.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/assembler/format.h"
#include "gdr/isa/isa.h"

namespace gdr::editor {
namespace {

/// Names of an operation's operands, in order.
std::vector<std::string> operands_of(const isa::OperationInfo& info) {
  if (info.unit == isa::Unit::bm) return {"WORD", "DST"};
  std::vector<std::string> names;
  if (info.sources > 0) names.emplace_back("A");
  if (info.sources > 1) names.emplace_back("B");
  // fmulh has no destination of its own: fmull writes the product.
  if (info.has_destination) names.emplace_back("DST...");
  return names;
}

/// Parameters of a macro, as its first line declares them.
std::vector<std::string> parameters_of(const Unit& unit, const Symbol& macro) {
  std::vector<std::string> names;
  const Place& place = macro.declarations.front();
  const std::string_view line = unit.texts[place.file].line(place.line);
  for (const Token& token : unit.index.tokens(place.file, place.line)) {
    if (token.kind == TokenKind::name && token.begin > place.begin) names.emplace_back(token.in(line));
  }
  return names;
}

json signature(const std::string& name, const std::vector<std::string>& operands, std::size_t active,
               const std::string& text) {
  std::string label = name;
  json parameters = json::array();
  for (const std::string& operand : operands) {
    label += ' ';
    parameters.push_back({{"label", {label.size(), label.size() + operand.size()}}});
    label += operand;
  }
  // Further destinations belong to the last operand.
  const std::size_t shown = operands.empty() ? 0 : std::min(active, operands.size() - 1);
  json one{{"label", label}, {"parameters", std::move(parameters)}};
  if (!text.empty()) one["documentation"] = {{"kind", "markdown"}, {"value", text}};
  return {{"signatures", json::array({std::move(one)})}, {"activeSignature", 0}, {"activeParameter", shown}};
}

bool contains_letters(std::string_view text, std::string_view wanted) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end() || wanted.empty();
}

}  // namespace

json formatting(const Unit& unit, std::uint32_t file) {
  const Text& text = unit.texts[file];
  const std::string tidy = assembler::formatted(text.all());
  if (tidy == text.all()) return json::array();
  json range = range_of(text, 0, 0, 0);
  const std::size_t last = text.lines() == 0 ? 0 : text.lines() - 1;
  range["end"] = range_of(text, last, text.line(last).size(), 0)["end"];
  json edit{{"range", std::move(range)}, {"newText", tidy}};
  return json::array({std::move(edit)});
}

json folding_ranges(const Unit& unit, std::uint32_t file) {
  json ranges = json::array();
  const auto add = [&](std::uint32_t first, std::uint32_t last) {
    if (last > first) ranges.push_back({{"startLine", first}, {"endLine", last}});
  };
  const Text& text = unit.texts[file];
  const auto lines = static_cast<std::uint32_t>(text.lines());
  std::vector<std::uint32_t> open;
  std::optional<std::uint32_t> section;
  std::uint32_t last_code = 0;
  for (std::uint32_t line = 0; line < lines; ++line) {
    const auto tokens = unit.index.tokens(file, line);
    if (tokens.empty()) continue;
    const std::string_view head = tokens.front().in(text.line(line));
    if (head == "loop" || head == "initialization" || head == "experiment") {
      if (section) add(*section, last_code);
      section = line;
    } else if (head == "repeat" || head == "if" || head == "macro") {
      open.push_back(line);
    } else if ((head == "else" || head == "end") && !open.empty()) {
      add(open.back(), line - 1);
      open.pop_back();
      if (head == "else") open.push_back(line);
    }
    if (tokens.front().kind != TokenKind::comment) last_code = line;
  }
  if (section) add(*section, last_code);
  return ranges;
}

json signature_help(const At& at) {
  const std::string_view line = at.line_text();
  const auto tokens = at.unit.index.tokens(at.file, at.line);
  const Token* head = nullptr;
  std::size_t operands = 0;  // that begin before the position
  bool new_operand = true;
  for (std::size_t n = 0; n < tokens.size() && tokens[n].begin < at.byte; ++n) {
    const Token& token = tokens[n];
    if (token.kind == TokenKind::comment) return nullptr;
    if (token.in(line) == ";" && !token.in_expression) {
      head = nullptr;
      operands = 0;
      continue;
    }
    new_operand = n == 0 || tokens[n - 1].end() < token.begin;
    if (head == nullptr) {
      head = &token;
    } else if (new_operand) {
      ++operands;
    }
  }
  if (head == nullptr || head->end() >= at.byte) return nullptr;
  const bool in_operand =
      at.byte > 0 && line.size() >= at.byte && line[at.byte - 1] != ' ' && line[at.byte - 1] != '\t';
  const std::size_t active = in_operand && operands > 0 ? operands - 1 : operands;
  const std::string name(head->in(line));
  if (const auto op = isa::op_named(name)) {
    return signature(name, operands_of(isa::info_of(*op)), active, std::string(isa::info_of(*op).meaning));
  }
  for (const Symbol& symbol : at.unit.index.symbols()) {
    if (symbol.kind == SymbolKind::macro && symbol.name == name && !symbol.declarations.empty()) {
      return signature(name, parameters_of(at.unit, symbol), active, "");
    }
  }
  return nullptr;
}

json workspace_symbols(const std::vector<const Unit*>& units, std::string_view query) {
  json found = json::array();
  std::set<std::string> told;
  for (const Unit* unit : units) {
    for (const Symbol& symbol : unit->index.symbols()) {
      if (symbol.scope != 0 || !contains_letters(symbol.name, query)) continue;
      for (const Place& place : symbol.declarations) {
        json one{{"name", symbol.name}, {"kind", protocol_kind(symbol.kind)}, {"location", location_of(*unit, place)}};
        if (told.insert(one.dump()).second) found.push_back(std::move(one));
      }
    }
  }
  return found;
}

}  // namespace gdr::editor
