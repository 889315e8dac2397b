// A kernel that is stepped through: where it stands and what its words hold.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "answers.h"
#include "gdr/base/error.h"
#include "gdr/debugger/value.h"
#include "gdr/isa/effects.h"

namespace gdr::web {
namespace {

using debugger::Debugger;
using debugger::Symbol;
using debugger::SymbolKind;

std::string_view name_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::input:
      return "i-particle";
    case SymbolKind::record:
      return "j-particle";
    case SymbolKind::result:
      return "result";
    case SymbolKind::own:
    case SymbolKind::local:
      return "variable";
    case SymbolKind::parameter:
      return "parameter";
    case SymbolKind::register_name:
      return "register";
    case SymbolKind::machine:
      break;
  }
  return "machine";
}

/// A word of the focused element; of a vector, the words of all elements.
Json word_of(const Debugger& debugger, const Symbol& symbol, unsigned entry) {
  const auto shown = [&](unsigned element) {
    const debugger::WordPlace place = symbol.word(entry, element);
    return debugger::text_of(debugger.word(place), place.width, symbol.type(), debugger::Format::natural);
  };
  Json elements = Json::array();
  for (unsigned element = 0; symbol.vector && element < isa::kVectorElements; ++element) {
    elements.push_back(shown(element));
  }
  return {{"name", symbol.entry_name(entry)},
          {"kind", name_of(symbol.kind)},
          {"value", shown(debugger.focus().element)},
          {"elements", elements}};
}

Json words_of(const Debugger& debugger) {
  const auto here = debugger.position();
  const bool in_body = here && here->section == isa::Section::loop_body;
  Json words = Json::array();
  for (const Symbol& symbol : debugger.symbols().all()) {
    // Of the j-particle there are words while it is in the loop body.
    if (symbol.storage == isa::Storage::record && !in_body) continue;
    for (unsigned entry = 0; entry < symbol.entries; ++entry) words.push_back(word_of(debugger, symbol, entry));
  }
  return words;
}

std::string_view name_of(isa::Storage storage) {
  switch (storage) {
    case isa::Storage::t:
      return "t";
    case isa::Storage::flag:
      return "flag";
    case isa::Storage::gpr:
      return "gpr";
    case isa::Storage::lm:
      return "lm";
    case isa::Storage::bm:
      return "bm";
    case isa::Storage::record:
      break;
  }
  return "record";
}

/// The storages of a line's accesses, each once.
Json storages_of(std::span<const isa::Access> accesses) {
  Json names = Json::array();
  std::vector<isa::Storage> seen;
  for (const isa::Access& access : accesses) {
    if (std::ranges::find(seen, access.storage) != seen.end()) continue;
    seen.push_back(access.storage);
    names.push_back(name_of(access.storage));
  }
  return names;
}

/// What the line does, for a picture of the block.
Json work_of(const isa::Line& line, isa::Section section, const Debugger& debugger) {
  const isa::Effects effects = isa::effects(line);
  Json units = Json::array();
  for (const auto& [unit, name] : {std::pair(isa::Unit::adder, "adder"), std::pair(isa::Unit::multiplier, "multiplier"),
                                   std::pair(isa::Unit::alu, "alu"), std::pair(isa::Unit::bm, "bm")}) {
    if (effects.works(unit)) units.push_back(name);
  }
  return {{"section", isa::name_of(section)},
          {"units", units},
          {"reads", storages_of(effects.reads())},
          {"writes", storages_of(effects.writes())},
          {"has_record", debugger.jvalid()}};
}

Json number_or_null(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(); }

}  // namespace

Json state_of(const Debugger& debugger) {
  const debugger::Focus& focus = debugger.focus();
  Json state{{"end", !debugger.position().has_value()},
             {"focus", {{"chip", focus.chip}, {"block", focus.block}, {"pe", focus.pe}, {"element", focus.element}}},
             {"i", number_or_null(debugger.i_particle())},
             {"j", number_or_null(debugger.j_record())},
             {"where", "the end of the run"},
             {"code", ""},
             {"work", nullptr}};
  state["lines"] = Json::array();
  if (const auto line = debugger.line()) {
    state["where"] = debugger::text_of(*debugger.position());
    state["code"] = line->text;
    state["work"] =
        work_of(isa::decoded(debugger.program().lines(line->section)[line->line].word), line->section, debugger);
    for (const isa::SourcePosition& place : line->places) {
      state["lines"].push_back({{"file", place.file}, {"line", place.line}});
    }
  }
  Json stops = Json::array();
  for (const debugger::Breakpoint& stop : debugger.breakpoints()) {
    stops.push_back({{"number", stop.number}, {"place", stop.place}, {"watch", stop.watch}});
  }
  state["stops"] = stops;
  state["words"] = words_of(debugger);
  return state;
}

}  // namespace gdr::web
