#include "gdr/debugger/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "gdr/base/error.h"

namespace gdr::debugger {
namespace {

using isa::Memory;
using isa::Storage;
using isa::Width;

std::size_t index_of(Storage storage) { return static_cast<std::size_t>(storage); }

Storage storage_of(Memory memory, bool record) {
  switch (memory) {
    case Memory::gpr:
      return Storage::gpr;
    case Memory::lm:
      return Storage::lm;
    case Memory::bm:
      break;
  }
  return record ? Storage::record : Storage::bm;
}

SymbolKind kind_of(isa::Transfer transfer) {
  switch (transfer) {
    case isa::Transfer::hlt:
      return SymbolKind::input;
    case isa::Transfer::elt:
      return SymbolKind::record;
    case isa::Transfer::rrn:
      return SymbolKind::result;
    case isa::Transfer::none:
      break;
  }
  return SymbolKind::own;
}

Symbol symbol_of(const isa::Variable& variable) {
  Symbol symbol{variable.name,
                kind_of(variable.transfer),
                storage_of(variable.memory, variable.transfer == isa::Transfer::elt),
                variable.address,
                variable.width,
                variable.vector,
                0,
                variable.elements,
                variable.dimensions,
                true};
  const bool whole = variable.memory == Memory::bm && !variable.packed;
  symbol.stride = (whole ? 2 : isa::short_words(variable.width)) * (variable.vector ? isa::kVectorElements : 1);
  return symbol;
}

/// Number of letters to change, add or remove to turn one name into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t n = 0; n <= b.size(); ++n) row[n] = n;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t n = 1; n <= b.size(); ++n) {
      const std::size_t above = row[n];
      row[n] = std::min({above + 1, row[n - 1] + 1, diagonal + (a[i - 1] == b[n - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

WordPlace Symbol::word(unsigned entry, unsigned element) const {
  if (storage == Storage::t) return {storage, 0, width, element};
  if (storage == Storage::flag) return {storage, address, width, element};
  return {storage, address + entry * stride + (vector ? element * isa::short_words(width) : 0), width, element};
}

std::string Symbol::entry_name(unsigned entry) const {
  std::string text = name;
  unsigned below = entries;
  for (const std::uint16_t dimension : dimensions) {
    below /= dimension;
    text += fmt::format("[{}]", entry / below);
    entry %= below;
  }
  return text;
}

Symbols::Symbols(const isa::Program& program) : record_words_(program.record_words) {
  for (std::size_t storage = 0; storage < floating_.size(); ++storage) {
    floating_[storage].assign(isa::size_of(static_cast<Storage>(storage)) + 1, false);
    integer_[storage] = floating_[storage];
  }
  note_uses(program);
  for (const isa::Variable& variable : program.variables) {
    symbols_.push_back(symbol_of(variable));
    Symbol& symbol = symbols_.back();
    if (!variable.conversion || *variable.conversion == isa::Conversion::NONE) continue;
    note(symbol.storage, {symbol.address, symbol.address + symbol.entries * symbol.stride},
         isa::info_of(*variable.conversion).floating);
  }
  for (const isa::Parameter& parameter : program.parameters) {
    Symbol symbol{
        parameter.name, SymbolKind::parameter, Storage::bm, parameter.address, parameter.width, false, 2, 1, {}, true};
    note(Storage::bm, {parameter.address, parameter.address + 2u}, isa::info_of(parameter.conversion).floating);
    symbols_.push_back(symbol);
  }
  for (const isa::Alias& alias : program.aliases) {
    Symbol symbol{alias.name, SymbolKind::register_name, Storage::t, alias.address, alias.width, alias.vector, 0, 1, {},
                  true};
    if (alias.memory) symbol.storage = storage_of(*alias.memory, alias.record);
    if (symbol.storage == Storage::record) symbol.kind = SymbolKind::record;
    symbols_.push_back(symbol);
  }
  symbols_.push_back({"$lt", SymbolKind::machine, Storage::t, 0, Width::long_word, true, 0, 1, {}, true});
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    symbols_.push_back({fmt::format("$ok{}", flag),
                        SymbolKind::machine,
                        Storage::flag,
                        flag,
                        Width::short_word,
                        true,
                        0,
                        1,
                        {},
                        false});
  }
  for (Symbol& symbol : symbols_) symbol.floating = floating(symbol);
}

/// All words of a symbol have the same type.
bool Symbols::floating(const Symbol& symbol) const {
  if (symbol.storage == Storage::t || symbol.storage == Storage::flag) return symbol.storage == Storage::t;
  const unsigned length = symbol.entries * std::max(symbol.stride, isa::short_words(symbol.width) *
                                                                       (symbol.vector ? isa::kVectorElements : 1));
  const auto any = [&](const std::vector<bool>& uses) {
    for (unsigned n = symbol.address; n < std::min<std::size_t>(symbol.address + length, uses.size()); ++n) {
      if (uses[n]) return true;
    }
    return false;
  };
  return any(floating_[index_of(symbol.storage)]) || !any(integer_[index_of(symbol.storage)]);
}

/// Notes the type of words. A conversion overrides what the lines do with them.
void Symbols::note(Storage storage, const isa::WordRange& words, bool floating) {
  for (unsigned n = words.first; n < std::min<std::size_t>(words.last, floating_[index_of(storage)].size()); ++n) {
    floating_[index_of(storage)][n] = floating;
    integer_[index_of(storage)][n] = !floating;
  }
}

/// Words that adder and multiplier use are floating-point numbers; words that the ALU uses are integers.
void Symbols::note_uses(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
      const isa::Effects effects = isa::effects(isa::decoded(coded.word));
      const auto note_access = [&](const isa::Access& access) {
        if (access.purpose != isa::Purpose::value || access.indirect || access.unit == isa::Unit::none ||
            access.unit == isa::Unit::bm)
          return;
        std::vector<bool>& uses = (access.unit == isa::Unit::alu ? integer_ : floating_)[index_of(access.storage)];
        for (unsigned element = 0; element < effects.elements(); ++element) {
          const isa::WordRange words = isa::words_of(access, element);
          for (unsigned n = words.first; n < std::min<std::size_t>(words.last, uses.size()); ++n) uses[n] = true;
        }
      };
      for (const isa::Access& access : effects.reads()) note_access(access);
      for (const isa::Access& access : effects.writes()) note_access(access);
    }
  }
}

bool Symbols::floating(const WordPlace& place) const {
  if (place.storage == Storage::t) return true;
  if (place.storage == Storage::flag) return false;
  const std::size_t storage = index_of(place.storage);
  if (place.address >= floating_[storage].size()) return true;
  return floating_[storage][place.address] || !integer_[storage][place.address];
}

std::optional<Symbol> Symbols::raw(std::string_view name) const {
  if (name.size() < 2 || name[0] != '$') return std::nullopt;
  std::string_view rest = name.substr(1);
  Symbol symbol;
  symbol.name = std::string(name);
  symbol.kind = SymbolKind::machine;
  symbol.width = Width::short_word;
  if (rest == "t" || rest == "ti" || rest == "lti") {
    symbol.storage = Storage::t;
    symbol.width = rest[0] == 'l' ? Width::long_word : Width::short_word;
    symbol.vector = true;
    return symbol;
  }
  if (rest.starts_with('l')) {
    symbol.width = Width::long_word;
    rest.remove_prefix(1);
  }
  if (rest.size() < 2) return std::nullopt;
  switch (rest[0]) {
    case 'r':
      symbol.storage = Storage::gpr;
      break;
    case 'm':
      symbol.storage = Storage::lm;
      break;
    case 'b':
      symbol.storage = Storage::bm;
      break;
    case 'j':
      symbol.storage = Storage::record;
      break;
    default:
      return std::nullopt;
  }
  rest.remove_prefix(1);
  if (rest.ends_with('v')) {
    symbol.vector = true;
    rest.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), symbol.address);
  if (error != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
  const unsigned step = isa::short_words(symbol.width);
  const unsigned size = symbol.storage == Storage::record ? 2 * record_words_ : isa::size_of(symbol.storage);
  const unsigned length = step * (symbol.vector ? isa::kVectorElements : 1);
  if (symbol.address % step != 0 || symbol.address > size || length > size - symbol.address) {
    throw Error(fmt::format("{} is refused: its memory has short words 0 to {}, and a long word has an even address",
                            name, size == 0 ? 0 : size - 1));
  }
  symbol.floating = floating(symbol.word(0, 0));
  return symbol;
}

Reference Symbols::find(std::string_view name, const std::vector<std::uint64_t>& subscripts) const {
  const auto is_known = [&](std::string_view other) {
    return std::ranges::find(symbols_, other, &Symbol::name) != symbols_.end();
  };
  // As C++ writes them: a member of a record, and an entry of a local array, which is a variable of its own.
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos && !is_known(name)) {
    std::string member(name.substr(dot + 1));
    std::ranges::replace(member, '.', '_');
    // What the compiler appends to a member that several records have, by the records' usual names.
    constexpr std::pair<std::string_view, std::string_view> kEnds[] = {
        {"i", "i"},         {"start", "i"},  {"j", "j"},      {"f", "_sum"},
        {"result", "_sum"}, {"p", "_param"}, {"s", "_state"}, {"state", "_state"}};
    for (const auto& [record, end] : kEnds) {
      const std::string full = fmt::format("{}{}", member, end);
      if (name.substr(0, dot) == record && !is_known(member) && is_known(full)) return find(full, subscripts);
    }
    return find(member, subscripts);
  }
  if (subscripts.size() == 1 && !is_known(name)) {
    if (const std::string entry = fmt::format("{}{}", name, subscripts.front()); is_known(entry))
      return find(entry, {});
  }
  Reference reference;
  const auto found = std::ranges::find(symbols_, name, &Symbol::name);
  if (found != symbols_.end()) {
    reference.symbol = *found;
  } else if (const std::optional<Symbol> register_symbol = raw(name)) {
    reference.symbol = *register_symbol;
  } else {
    std::vector<std::string_view> near;
    std::vector<std::string_view> known;
    for (const Symbol& symbol : symbols_) {
      known.emplace_back(symbol.name);
      if (distance(name, symbol.name) <= (name.size() + 2) / 3) near.emplace_back(symbol.name);
    }
    throw Error(near.empty() ? fmt::format("unknown name '{}' (known: {}, registers such as $lr8v)", name,
                                           fmt::join(known, ", "))
                             : fmt::format("unknown name '{}'; did you mean {}?", name, fmt::join(near, " or ")));
  }
  const Symbol& symbol = reference.symbol;
  std::size_t used = 0;
  unsigned below = symbol.entries;
  for (; used < subscripts.size() && used < symbol.dimensions.size(); ++used) {
    const std::uint16_t dimension = symbol.dimensions[used];
    if (subscripts[used] >= dimension) {
      throw Error(fmt::format("{}: subscript {} is outside 0..{}", name, subscripts[used], dimension - 1));
    }
    below /= dimension;
    reference.first += static_cast<unsigned>(subscripts[used]) * below;
  }
  reference.entries = below;
  if (used < subscripts.size() && symbol.vector) {
    if (subscripts[used] >= isa::kVectorElements) {
      throw Error(fmt::format("{}: element {} is outside 0..{}", name, subscripts[used], isa::kVectorElements - 1));
    }
    reference.element = static_cast<unsigned>(subscripts[used++]);
  }
  if (used < subscripts.size()) {
    throw Error(fmt::format("{} has {} subscripts: {} of its shape{}", name, subscripts.size(),
                            symbol.dimensions.size(), symbol.vector ? " and one for the element" : ""));
  }
  return reference;
}

std::string Symbols::name_of(const WordPlace& place) const {
  const bool is_long = place.width == Width::long_word;
  if (place.storage == Storage::t) return is_long ? "$lt" : "$t";
  if (place.storage == Storage::flag) return fmt::format("$ok{}", place.address);
  for (const Symbol& symbol : symbols_) {
    if (symbol.storage != place.storage || symbol.width != place.width) continue;
    const unsigned step = isa::short_words(symbol.width);
    for (unsigned entry = 0; entry < symbol.entries; ++entry) {
      for (unsigned element = 0; element < (symbol.vector ? isa::kVectorElements : 1); ++element) {
        if (symbol.word(entry, element).address == place.address && place.address % step == 0)
          return symbol.entry_name(entry);
      }
    }
  }
  constexpr std::string_view kPrefixes = "??rmbj";  // indexed by Storage
  return fmt::format("${}{}{}", is_long ? "l" : "", kPrefixes[index_of(place.storage)], place.address);
}

}  // namespace gdr::debugger
