// Answers of the server: one function for each feature; most take a unit and a position in it. Lines and columns of
// `At` are those of the protocol.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "workspace.h"

namespace gdr::editor {

using nlohmann::json;

/// A position in a file of a unit.
struct At {
  const Unit& unit;
  std::uint32_t file = 0;
  std::uint32_t line = 0;  // from 0
  std::size_t byte = 0;

  [[nodiscard]] const Text& text() const { return unit.texts[file]; }
  [[nodiscard]] std::string_view line_text() const { return text().line(line); }
  /// The token at this position; nothing if there is none.
  [[nodiscard]] const Token* token() const { return unit.index.token_at(file, line, byte); }
  [[nodiscard]] const Symbol* symbol() const;
};

[[nodiscard]] json range_of(const Text& text, std::size_t line, std::size_t begin, std::size_t length);
[[nodiscard]] json range_of(const Unit& unit, const Place& place);
[[nodiscard]] json location_of(const Unit& unit, const Place& place);

// ---- diagnostics ---------------------------------------------------------------------------------------------------

/// Diagnostics of all files of a unit, by URI. `fragment`: the file is not a kernel, and need not be one. `related`:
/// the client shows related places; otherwise notes are part of the message.
[[nodiscard]] std::map<std::string, json> diagnostics_of(const Unit& unit, bool fragment, bool related);

/// One diagnostic without its notes.
[[nodiscard]] json diagnostic_of(const Unit& unit, const assembler::Diagnostic& diagnostic);
/// Corrections for the diagnostics within a range of the protocol, in one file.
[[nodiscard]] json code_actions(const Unit& unit, std::uint32_t file, const json& range);

// ---- descriptions --------------------------------------------------------------------------------------------------

[[nodiscard]] json hover(const At& at);
/// Markdown with the lines that declare a name and the place of its words.
[[nodiscard]] std::string description_of(const Unit& unit, const Symbol& symbol);
/// What a line of source became: section, number, clocks, units. Empty if it became no line.
[[nodiscard]] std::string code_text(const Unit& unit, const CodeLine& code);
/// What the lines of a use of a macro became: section, numbers, clocks.
[[nodiscard]] std::string use_text(const MacroUse& use);
/// The units that a line uses: `adder, multiplier`.
[[nodiscard]] std::string units_of(const isa::InstructionWord& word);
/// True for a file of macros that comes with gdr; a rename must not change it.
[[nodiscard]] bool comes_with_gdr(const Unit& unit, std::uint32_t file);

// ---- names ---------------------------------------------------------------------------------------------------------

[[nodiscard]] json definition(const At& at);
/// An occurrence of a name. occurrences() returns those of the name at a position in all `units` that have it, by URI
/// and range, each once.
struct Occurrence {
  std::string uri;
  json range;
  bool declares = false;
  friend bool operator<(const Occurrence& a, const Occurrence& b) {
    return std::pair(a.uri, a.range.dump()) < std::pair(b.uri, b.range.dump());
  }
};
[[nodiscard]] std::vector<Occurrence> occurrences(const At& at, const std::vector<const Unit*>& units);
/// Edits that rename the name at a position. Throws gdr::Error with the reason if it cannot be changed to `name`.
[[nodiscard]] json rename(const At& at, const std::vector<const Unit*>& units, const std::string& name);
/// Range of the name; null if there is no name that can be changed.
[[nodiscard]] json prepare_rename(const At& at);
[[nodiscard]] json document_symbols(const Unit& unit, std::uint32_t file);

/// The protocol's number for a kind of symbol.
[[nodiscard]] int protocol_kind(SymbolKind kind);
/// Global names of all units that contain the letters of `query`, whatever their case.
[[nodiscard]] json workspace_symbols(const std::vector<const Unit*>& units, std::string_view query);

// ---- the form of a source ------------------------------------------------------------------------------------------

/// The edit that brings a file into the layout of `gdr fmt`; empty if it has it.
[[nodiscard]] json formatting(const Unit& unit, std::uint32_t file);
/// Sections and blocks.
[[nodiscard]] json folding_ranges(const Unit& unit, std::uint32_t file);
/// The operands of the operation or macro before the position; null if there is none.
[[nodiscard]] json signature_help(const At& at);

// ---- while writing -------------------------------------------------------------------------------------------------

[[nodiscard]] json completion(const At& at);
/// Clocks of the lines first to last.
[[nodiscard]] json inlay_hints(const Unit& unit, std::uint32_t file, std::uint32_t first, std::uint32_t last);
[[nodiscard]] json semantic_legend();
[[nodiscard]] json semantic_tokens(const Unit& unit, std::uint32_t file);

}  // namespace gdr::editor
