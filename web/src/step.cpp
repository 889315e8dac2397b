// A kernel that is stepped through: where it stands and what its words hold.
#include <fmt/format.h>

#include "answers.h"
#include "gdr/base/error.h"
#include "gdr/debugger/value.h"

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
    return debugger::text_of(debugger.word(place), place.width, symbol.floating, debugger::Format::natural);
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

Json number_or_null(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(); }

}  // namespace

Json state_of(const Debugger& debugger) {
  const debugger::Focus& focus = debugger.focus();
  Json state{{"end", !debugger.position().has_value()},
             {"focus", {{"chip", focus.chip}, {"block", focus.block}, {"pe", focus.pe}, {"element", focus.element}}},
             {"i", number_or_null(debugger.i_particle())},
             {"j", number_or_null(debugger.j_record())},
             {"where", "the end of the run"},
             {"code", ""}};
  state["lines"] = Json::array();
  if (const auto line = debugger.line()) {
    state["where"] = debugger::text_of(*debugger.position());
    state["code"] = line->text;
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
