// What the server answers, each feature a function of a unit and a place in it. Lines and columns of `At` are those of
// the protocol.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "workspace.h"

namespace gdr::editor {

using nlohmann::json;

/// A place in a file of a unit.
struct At {
  const Unit& unit;
  std::uint32_t file = 0;
  std::uint32_t line = 0;  // from 0
  std::size_t byte = 0;

  [[nodiscard]] const Text& text() const { return unit.texts[file]; }
  [[nodiscard]] std::string_view line_text() const { return text().line(line); }
  /// The token there; nothing if there is none.
  [[nodiscard]] const Token* token() const { return unit.index.token_at(file, line, byte); }
  [[nodiscard]] const Symbol* symbol() const;
};

[[nodiscard]] json range_of(const Text& text, std::size_t line, std::size_t begin, std::size_t length);
[[nodiscard]] json range_of(const Unit& unit, const Place& place);
[[nodiscard]] json location_of(const Unit& unit, const Place& place);

// ---- diagnostics ---------------------------------------------------------------------------------------------------

/// Of all files of a unit, by URI. `fragment`: the file is no kernel and need not be one. `related`: the client shows
/// related places; else notes stand in the message.
[[nodiscard]] std::map<std::string, json> diagnostics_of(const Unit& unit, bool fragment, bool related);

/// Without its notes.
[[nodiscard]] json diagnostic_of(const Unit& unit, const assembler::Diagnostic& diagnostic);
/// Mendings of what is told of within a range of the protocol, in one file.
[[nodiscard]] json code_actions(const Unit& unit, std::uint32_t file, const json& range);

// ---- descriptions --------------------------------------------------------------------------------------------------

[[nodiscard]] json hover(const At& at);
/// Markdown: the lines that declare a name, and where its words are.
[[nodiscard]] std::string description_of(const Unit& unit, const Symbol& symbol);
/// Where a line of source went: section, number, clocks, units. Empty if nowhere.
[[nodiscard]] std::string code_text(const Unit& unit, const CodeLine& code);
/// Where the lines of a macro's use went: section, numbers, clocks.
[[nodiscard]] std::string use_text(const MacroUse& use);
/// The units that a line takes: `adder, multiplier`.
[[nodiscard]] std::string units_of(const isa::InstructionWord& word);
/// True of a file of macros that comes with gdr, which a rename must not change.
[[nodiscard]] bool comes_with_gdr(const Unit& unit, std::uint32_t file);

// ---- names ---------------------------------------------------------------------------------------------------------

[[nodiscard]] json definition(const At& at);
/// All places of the name at a place, in all of `units` that have it: by URI and range, each once.
struct Occurrence {
  std::string uri;
  json range;
  bool declares = false;
  friend bool operator<(const Occurrence& a, const Occurrence& b) {
    return std::pair(a.uri, a.range.dump()) < std::pair(b.uri, b.range.dump());
  }
};
[[nodiscard]] std::vector<Occurrence> occurrences(const At& at, const std::vector<const Unit*>& units);
/// Throws gdr::Error if the name cannot be changed to `name`, saying why.
[[nodiscard]] json rename(const At& at, const std::vector<const Unit*>& units, const std::string& name);
/// The name's range; null if there is none that can be changed.
[[nodiscard]] json prepare_rename(const At& at);
[[nodiscard]] json document_symbols(const Unit& unit, std::uint32_t file);

// ---- while writing -------------------------------------------------------------------------------------------------

[[nodiscard]] json completion(const At& at);
/// Clocks of the lines first to last.
[[nodiscard]] json inlay_hints(const Unit& unit, std::uint32_t file, std::uint32_t first, std::uint32_t last);
[[nodiscard]] json semantic_legend();
[[nodiscard]] json semantic_tokens(const Unit& unit, std::uint32_t file);

}  // namespace gdr::editor
