// Finds where names are declared and used, and renames them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answers.h"
#include "gdr/base/error.h"

namespace gdr::editor {
namespace {

/// The path of an `include` at the position; null if there is none.
const Token* included_path(const At& at) {
  const std::span<const Token> tokens = at.unit.index.tokens(at.file, at.line);
  const Token* token = at.token();
  const bool path = token && token->kind == TokenKind::text && tokens.size() > 1 && token == &tokens[1] &&
                    tokens[0].in(at.line_text()) == "include";
  return path ? token : nullptr;
}

/// True if a name completed by braces, such as `x*`, may be `name`.
bool may_name(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t skipped = star; skipped <= name.size(); ++skipped) {
    if (may_name(pattern.substr(star + 1), name.substr(skipped))) return true;
  }
  return false;
}

/// The same name in another unit: the one declared at the same place.
const Symbol* same_in(const Unit& other, const Unit& unit, const Symbol& symbol) {
  const Place& declared = symbol.declarations.front();
  const auto file = other.file_of(unit.uris[declared.file]);
  if (!file) return nullptr;
  const Token* token = other.index.token_at(*file, declared.line, declared.begin);
  return token && token->symbol ? &other.index.symbols()[*token->symbol] : nullptr;
}

bool is_of_the_language(const std::string& word) {
  for (const isa::WordRole role : {isa::WordRole::statement, isa::WordRole::item, isa::WordRole::attribute}) {
    const auto words = isa::language_words(role);
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  }
  return word == "defined" || isa::op_named(word) || isa::transfer_named(word) || isa::conversion_named(word) ||
         isa::host_integer_named(word);
}

void require_free(const Unit& unit, const std::string& name) {
  for (const Symbol& symbol : unit.index.symbols()) {
    if (symbol.name != name) continue;
    const Place& at = symbol.declarations.front();
    throw Error(fmt::format("'{}' is the name of a {} in {}:{}", name, name_of(symbol.kind),
                            unit.result.files[at.file].name, at.line + 1));
  }
  for (const auto& [pattern, at] : unit.index.composed()) {
    if (!may_name(pattern, name)) continue;
    throw Error(fmt::format("'{}' may be meant by a name that braces complete in {}:{}", name,
                            unit.result.files[at.file].name, at.line + 1));
  }
}

void require_changeable(const Unit& unit, const Symbol& symbol) {
  for (const auto* places : {&symbol.declarations, &symbol.uses}) {
    for (const Place& at : *places) {
      if (comes_with_gdr(unit, at.file)) {
        throw Error(
            fmt::format("'{}' stands in {}, which comes with gdr", symbol.name, unit.result.files[at.file].name));
      }
    }
  }
  for (const auto& [pattern, at] : unit.index.composed()) {
    if (!may_name(pattern, symbol.name)) continue;
    throw Error(fmt::format("'{}' may also be meant by a name that braces complete in {}:{}", symbol.name,
                            unit.result.files[at.file].name, at.line + 1));
  }
}

}  // namespace

int protocol_kind(SymbolKind kind) {
  constexpr int kModule = 2;
  constexpr int kFunction = 12;
  constexpr int kVariable = 13;
  constexpr int kConstant = 14;
  switch (kind) {
    case SymbolKind::kernel:
      return kModule;
    case SymbolKind::macro:
      return kFunction;
    case SymbolKind::constant:
    case SymbolKind::parameter:
      return kConstant;
    case SymbolKind::variable:
    case SymbolKind::view:
    case SymbolKind::register_name:
    case SymbolKind::argument:
    case SymbolKind::index:
      break;
  }
  return kVariable;
}

namespace {

json outline_entry(const Unit& unit, const Symbol& symbol, const Place& place) {
  const Text& text = unit.texts[place.file];
  std::string_view line = text.line(place.line);
  json entry{{"name", symbol.name},
             {"detail", name_of(symbol.kind)},
             {"kind", protocol_kind(symbol.kind)},
             {"range", range_of(text, place.line, 0, line.size())},
             {"selectionRange", range_of(unit, place)}};
  if (symbol.kind != SymbolKind::macro) return entry;
  for (const Scope& scope : unit.index.scopes()) {
    if (scope.macro && scope.file == place.file && scope.first == place.line) {
      entry["range"]["end"] = range_of(text, scope.last, text.line(scope.last).size(), 0)["end"];
    }
  }
  return entry;
}

/// Entries for sections: the lines from a section's name to the next one's.
std::vector<json> section_entries(const Unit& unit, std::uint32_t file) {
  constexpr int kNamespace = 3;
  const Text& text = unit.texts[file];
  std::vector<json> sections;
  for (std::uint32_t line = 0; line < text.lines(); ++line) {
    const auto tokens = unit.index.tokens(file, line);
    const std::string_view head = tokens.empty() ? std::string_view() : tokens.front().in(text.line(line));
    if (head == "loop" || head == "initialization" || head == "experiment") {
      std::size_t end = 0;
      for (const Token& token : tokens) {
        if (token.kind == TokenKind::keyword) end = token.end();
      }
      const std::size_t begin = tokens.front().begin;
      const json range = range_of(text, line, begin, end - begin);
      sections.push_back({{"name", text.line(line).substr(begin, end - begin)},
                          {"kind", kNamespace},
                          {"range", range},
                          {"selectionRange", range}});
    }
    if (!sections.empty()) sections.back()["range"]["end"] = range_of(text, line, text.line(line).size(), 0)["end"];
  }
  return sections;
}

}  // namespace

json range_of(const Unit& unit, const Place& place) {
  return range_of(unit.texts[place.file], place.line, place.begin, place.length);
}

json location_of(const Unit& unit, const Place& place) {
  return {{"uri", unit.uris[place.file]}, {"range", range_of(unit, place)}};
}

json definition(const At& at) {
  if (const Token* path = included_path(at)) {
    const std::string_view quoted = path->in(at.line_text());
    const std::filesystem::path name(quoted.substr(1, quoted.size() - std::min<std::size_t>(2, quoted.size())));
    for (std::uint32_t file = 0; file < at.unit.uris.size(); ++file) {
      const std::filesystem::path found(at.unit.result.files[file].name);
      if (file != at.file && found.filename() == name.filename()) return location_of(at.unit, {file, 0, 0, 0});
    }
    return nullptr;
  }
  const Symbol* symbol = at.symbol();
  if (!symbol) return nullptr;
  json found = json::array();
  for (const Place& place : symbol->declarations) found.push_back(location_of(at.unit, place));
  return found;
}

std::vector<Occurrence> occurrences(const At& at, const std::vector<const Unit*>& units) {
  const Symbol* symbol = at.symbol();
  if (!symbol || symbol->declarations.empty()) return {};
  std::set<Occurrence> found;
  for (const Unit* unit : units) {
    const Symbol* same = same_in(*unit, at.unit, *symbol);
    if (!same) continue;
    for (const Place& place : same->declarations) found.insert({unit->uris[place.file], range_of(*unit, place), true});
    for (const Place& place : same->uses) found.insert({unit->uris[place.file], range_of(*unit, place), false});
  }
  return {found.begin(), found.end()};
}

json prepare_rename(const At& at) {
  const Token* token = at.token();
  const Symbol* symbol = at.symbol();
  if (!symbol) return nullptr;
  return {{"range", range_of(at.text(), at.line, token->begin, token->length)}, {"placeholder", symbol->name}};
}

json rename(const At& at, const std::vector<const Unit*>& units, const std::string& name) {
  const Symbol* symbol = at.symbol();
  if (!symbol) throw Error("no name stands here that could be changed");
  const bool identifier =
      !name.empty() && std::ranges::all_of(name, is_word_character) && !(name.front() >= '0' && name.front() <= '9');
  if (!identifier) {
    throw Error(fmt::format("'{}' is refused: a name is letters, digits and '_', the first of them no digit", name));
  }
  if (is_of_the_language(name)) throw Error(fmt::format("'{}' is a word of the language", name));
  json changes = json::object();
  if (name == symbol->name) return {{"changes", changes}};
  for (const Unit* unit : units) {
    const Symbol* same = same_in(*unit, at.unit, *symbol);
    if (!same) continue;
    require_changeable(*unit, *same);
    require_free(*unit, name);
  }
  for (const Occurrence& each : occurrences(at, units)) {
    changes[each.uri].push_back({{"range", each.range}, {"newText", name}});
  }
  return {{"changes", changes}};
}

json document_symbols(const Unit& unit, std::uint32_t file) {
  std::vector<json> entries = section_entries(unit, file);
  for (const Symbol& symbol : unit.index.symbols()) {
    if (symbol.scope != 0) continue;
    for (const Place& place : symbol.declarations) {
      if (place.file == file) entries.push_back(outline_entry(unit, symbol, place));
    }
  }
  std::ranges::sort(entries, {}, [](const json& entry) {
    const json& start = entry["selectionRange"]["start"];
    return std::pair(start["line"].get<std::size_t>(), start["character"].get<std::size_t>());
  });
  return entries;
}

}  // namespace gdr::editor
