#include "locals.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/emulator/chip.h"
#include "gdr/isa/experiment.h"

namespace gdr::debugger {
namespace {

using isa::Section;
using isa::Storage;

bool same_words(const isa::Access& one, const isa::Access& other) {
  if (one.storage != other.storage) return false;
  for (unsigned a = 0; a < isa::kVectorElements; ++a) {
    for (unsigned b = 0; b < isa::kVectorElements; ++b) {
      const bool same_place = one.storage != Storage::t || a == b;  // each element has its own T
      if (same_place && isa::words_of(one, a).meets(isa::words_of(other, b))) return true;
    }
  }
  return false;
}

Symbol symbol_of(const isa::ComputedValue& value, const isa::Access& word) {
  Symbol symbol;
  symbol.name = value.name;
  symbol.kind = SymbolKind::local;
  symbol.storage = word.storage;
  symbol.address = word.storage == Storage::t ? 0 : word.address;
  symbol.width = word.width;
  symbol.vector = word.storage == Storage::t || word.step != 0;
  symbol.floating = !value.integer;
  symbol.bits = value.bits;
  symbol.is_unsigned = value.is_unsigned;
  return symbol;
}

}  // namespace

Locals::Locals(const isa::Program& program) : program_(program), is_experiment_(isa::is_experiment(program)) {
  for (const isa::ComputedValue& value : program.values) {
    auto& all = values_[value.name];
    if (all.empty()) names_.push_back(value.name);
    all.push_back(&value);
  }
  if (values_.empty()) return;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& line : program.lines(static_cast<Section>(section)))
      effects_[section].push_back(isa::effects(isa::decoded(line.word)));
  }
}

std::optional<std::size_t> Locals::overwritten(const isa::Access& word, Section section, std::size_t first,
                                               std::size_t last) const {
  const auto& lines = effects_[static_cast<std::size_t>(section)];
  for (std::size_t line = first; line < std::min(last, lines.size()); ++line) {
    for (const isa::Access& write : lines[line].writes()) {
      if (same_words(word, write)) return line;
    }
  }
  return std::nullopt;
}

Locals::Found Locals::look_up(std::string_view name, Section section, std::size_t line) const {
  constexpr const char* kNowhere =
      "is in no word that can be shown: it is a constant, a member or a flag, several variables have this name, or "
      "control chooses among its values";
  const auto known = values_.find(name);
  if (known == values_.end()) return {std::nullopt, kNowhere};
  const auto& all = known->second;
  const isa::ComputedValue* last = nullptr;
  for (const isa::ComputedValue* value : all) {
    const bool before = value->section == section && value->line < line;
    // What does not depend on j-data is computed before the loop. Sections of experiments are functions of their own.
    const bool for_all_turns =
        value->section == Section::loop_initialization && section == Section::loop_body && !is_experiment_;
    if (before || for_all_turns) last = value;
  }
  const auto place_of = [&](const isa::ComputedValue& value) {
    return emulator::source_place(program_, value.section, value.line, value.unit);
  };
  if (std::ranges::all_of(all, [](const isa::ComputedValue* value) { return value->unit == isa::Unit::none; }))
    return {std::nullopt, kNowhere};
  if (last == nullptr) {
    const auto next =
        std::ranges::find_if(all, [&](const isa::ComputedValue* value) { return value->section == section; });
    return {std::nullopt,
            fmt::format("is in no word before {} computes it", place_of(next == all.end() ? *all.front() : **next))};
  }
  if (last->unit == isa::Unit::none) {
    return {std::nullopt,
            fmt::format("is not known here: {} computes one of several values, of which a later line takes "
                        "that of the way that control takes",
                        place_of(*last))};
  }
  std::optional<std::size_t> over;
  Section over_in = section;
  for (const isa::Access& word : effects_[static_cast<std::size_t>(last->section)][last->line].writes()) {
    const bool kept = word.storage == Storage::gpr || word.storage == Storage::lm || word.storage == Storage::t;
    if (word.unit != last->unit || word.purpose != isa::Purpose::value || word.indirect || !kept) continue;
    std::optional<std::size_t> gone;
    if (last->section == section) {
      gone = overwritten(word, section, last->line + 1, line);
    } else {
      constexpr std::size_t kEnd = ~std::size_t{0};
      gone = overwritten(word, over_in = last->section, last->line + 1, kEnd);
      if (!gone) gone = overwritten(word, over_in = section, 0, kEnd);  // in the turn before
    }
    if (!gone) return {symbol_of(*last, word), {}};
    if (!over) over = gone;
  }
  if (!over) return {std::nullopt, "is in no word that can be shown"};
  return {std::nullopt,
          fmt::format("is gone: {} needed its word for something else. Stop before that, behind {}",
                      emulator::source_place(program_, over_in, *over, isa::Unit::none), place_of(*last))};
}

std::vector<Symbol> Locals::at(Section section, std::size_t line) const {
  std::vector<Symbol> all;
  for (const std::string& name : names_) {
    if (Found found = look_up(name, section, line); found.symbol) all.push_back(std::move(*found.symbol));
  }
  return all;
}

}  // namespace gdr::debugger
