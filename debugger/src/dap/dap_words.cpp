#include "dap_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gdr/base/error.h"

namespace gdr::debugger {
namespace {

using nlohmann::json;

/// A scope has the symbols of some kinds.
struct Scope {
  const char* name;
  std::vector<SymbolKind> kinds;
};
const std::vector<Scope>& scopes() {
  static const std::vector<Scope> all{
      {"i-particle", {SymbolKind::input}},
      {"j-record", {SymbolKind::record}},
      {"results", {SymbolKind::result}},
      {"registers and variables", {SymbolKind::register_name, SymbolKind::own}},
      {"T and flags", {SymbolKind::machine}},
      {"parameters", {SymbolKind::parameter}},
      {"local variables", {SymbolKind::local}}};  // of programs in another language, and shown first there
  return all;
}

// References of structured values: scopes from 1 on, then symbols and their entries.
constexpr std::uint64_t kFirstSymbol = 1000;
constexpr std::uint64_t kEntriesOfSymbol = 4096;  // more than BM holds

/// The symbols, and behind them the local variables that have a word here.
std::vector<Symbol> shown_symbols(const Debugger& debugger) {
  std::vector<Symbol> all = debugger.symbols().all();
  const std::vector<Symbol> locals = debugger.locals();
  all.insert(all.end(), locals.begin(), locals.end());
  return all;
}

std::uint64_t reference_of(std::size_t symbol) { return kFirstSymbol + symbol * kEntriesOfSymbol; }
std::uint64_t reference_of(std::size_t symbol, unsigned entry) { return reference_of(symbol) + entry + 1; }

}  // namespace

std::uint64_t whole_in(const json& object, const char* key) {
  const json& value = object.at(key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  throw Error(fmt::format("{} = {} is refused: it must be a whole number from 0 on", key, value.dump()));
}

std::string text_in(const json& object, const char* key, const std::string& otherwise) {
  if (!object.contains(key)) return otherwise;
  const json& value = object.at(key);
  if (value.is_string()) return value.get<std::string>();
  throw Error(fmt::format("launch: {} = {} is refused: it must be a string", key, value.dump()));
}

bool truth_in(const json& object, const char* key, bool otherwise) {
  if (!object.contains(key)) return otherwise;
  const json& value = object.at(key);
  if (value.is_boolean()) return value.get<bool>();
  throw Error(fmt::format("launch: {} = {} is refused: it must be true or false", key, value.dump()));
}

std::vector<std::string> texts_in(const json& object, const char* key) {
  if (!object.contains(key)) return {};
  const json& value = object.at(key);
  if (value.is_array() && std::ranges::all_of(value, [](const json& entry) { return entry.is_string(); })) {
    return value.get<std::vector<std::string>>();
  }
  throw Error(fmt::format("launch: {} = {} is refused: it must be a list of strings", key, value.dump()));
}

std::optional<std::uint64_t> whole_in(const json& object, const char* key, std::uint64_t least, std::uint64_t most) {
  if (!object.contains(key)) return std::nullopt;
  const json& value = object.at(key);
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number >= least && number <= most) return number;
  }
  throw Error(fmt::format("launch: {} = {} is refused: it must be a whole number from {} to {}", key, value.dump(),
                          least, most));
}

/// That of local variables is the last one, and only there if the program has any.
std::size_t scope_count(const Debugger& debugger) {
  return scopes().size() - (debugger.program().values.empty() ? 1 : 0);
}

json scope_list(const Debugger& debugger) {
  std::vector<std::size_t> order(scope_count(debugger));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() == scopes().size()) std::rotate(order.begin(), order.end() - 1, order.end());
  json list = json::array();
  for (const std::size_t n : order)
    list.push_back({{"name", scopes()[n].name}, {"variablesReference", n + 1}, {"expensive", false}});
  return {{"scopes", std::move(list)}};
}

Format format_of(const json& arguments) {
  const json format = arguments.value("format", json::object());
  return format.is_object() && format.value("hex", false) ? Format::hex : Format::natural;
}

json leaf(const Debugger& debugger, const Symbol& symbol, unsigned entry, unsigned element, const std::string& name,
          Format format) {
  const WordPlace place = symbol.word(entry, element);
  json shown{{"name", name},
             {"evaluateName", name},
             {"type", fmt::format("{} {}", name_of(symbol.width), symbol.floating ? "float" : "int")},
             {"variablesReference", 0}};
  try {
    shown["value"] = text_of(debugger.word(place), place.width, symbol.type(), format);
  } catch (const Error& error) {
    shown["value"] = error.what();
    shown["presentationHint"] = {{"attributes", {"failedEvaluation"}}};
  }
  return shown;
}

namespace {

/// An entry; for a vector, its four elements follow.
json entry_of(const Debugger& debugger, const Symbol& own, std::size_t symbol, unsigned entry, Format format) {
  json shown = leaf(debugger, own, entry, debugger.focus().element, own.entry_name(entry), format);
  if (own.vector) {
    shown["variablesReference"] = reference_of(symbol, entry);
    shown["indexedVariables"] = isa::kVectorElements;
  }
  return shown;
}

}  // namespace

json variables(const Debugger& debugger, const json& arguments) {
  const auto reference = whole_in(arguments, "variablesReference");
  const Format format = format_of(arguments);
  const std::vector<Symbol> symbols = shown_symbols(debugger);
  json list = json::array();
  if (reference >= 1 && reference <= scope_count(debugger)) {
    const std::vector<SymbolKind>& kinds = scopes()[reference - 1].kinds;
    for (std::size_t n = 0; n < symbols.size(); ++n) {
      if (std::ranges::find(kinds, symbols[n].kind) == kinds.end()) continue;
      if (symbols[n].entries == 1) {
        list.push_back(entry_of(debugger, symbols[n], n, 0, format));
      } else {
        list.push_back({{"name", symbols[n].name},
                        {"value", fmt::format("{} entries", symbols[n].entries)},
                        {"variablesReference", reference_of(n)},
                        {"indexedVariables", symbols[n].entries}});
      }
    }
    return {{"variables", std::move(list)}};
  }
  const std::uint64_t number =
      reference < kFirstSymbol ? symbols.size() : (reference - kFirstSymbol) / kEntriesOfSymbol;
  const std::uint64_t part = reference < kFirstSymbol ? 0 : (reference - kFirstSymbol) % kEntriesOfSymbol;
  if (number >= symbols.size() || part > symbols[number].entries) {
    throw Error(fmt::format("variablesReference = {} is refused: nothing has this number", reference));
  }
  const Symbol& symbol = symbols[number];
  if (part == 0) {
    for (unsigned entry = 0; entry < symbol.entries; ++entry)
      list.push_back(entry_of(debugger, symbol, number, entry, format));
  } else if (symbol.vector) {
    const auto entry = static_cast<unsigned>(part - 1);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      list.push_back(
          leaf(debugger, symbol, entry, element, fmt::format("{}[{}]", symbol.entry_name(entry), element), format));
    }
  }
  const std::size_t count = list.size();
  const auto start = std::min<std::size_t>(arguments.value("start", std::size_t{0}), count);
  const auto wanted = arguments.value("count", std::size_t{0});
  const std::size_t end = wanted == 0 ? count : std::min(count, start + std::min(wanted, count));
  return {{"variables",
           json(list.begin() + static_cast<std::ptrdiff_t>(start), list.begin() + static_cast<std::ptrdiff_t>(end))}};
}

}  // namespace gdr::debugger
