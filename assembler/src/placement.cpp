#include "placement.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "gdr/isa/effects.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Unit;

constexpr int bit(Unit unit) { return 1 << static_cast<int>(unit); }
constexpr int kValueKey = 1 << 20;  // ports that read a value, behind those that read what stays

/// Numbers for things that are equal or not.
template <class Key>
class Numbers {
 public:
  int operator()(const Key& key) { return numbers_.emplace(key, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::map<Key, int> numbers_;
};

auto key_of(const isa::ReadPort& port) {
  return std::tuple(port.address, port.width == isa::Width::long_word, port.vector, port.indirect);
}

auto key_of(const isa::BmPort& port) {
  return std::tuple(port.mode == isa::BmMode::write, port.address, port.width == isa::Width::long_word, port.vector,
                    port.record, port.one_pe, port.pe);
}

auto key_of(const isa::Immediate& immediate) {
  return std::tuple(immediate.width == isa::Width::long_word, immediate.value.high, immediate.value.low);
}

}  // namespace

Placement::Placement(const FreeSection& section, const Bundles& bundles, unsigned gpr_words, unsigned lm_words)
    : section_(section), gpr_words_(gpr_words), lm_words_(lm_words), offset_(section.operations.size()) {
  for (const Bundle& bundle : bundles.all()) {
    for (const Bundle::Member& member : bundle.members)
      offset_[member.operation] = static_cast<unsigned>(member.offset);
  }
  note_needs();
}

void Placement::note_needs() {
  Numbers<decltype(key_of(isa::ReadPort()))> reads;
  Numbers<decltype(key_of(isa::BmPort()))> broadcasts;
  Numbers<decltype(key_of(isa::Immediate()))> immediates;
  for (std::size_t number = 0; number < section_.operations.size(); ++number) {
    const UnitOperation& operation = section_.graph.operations[number];
    const isa::Line& line = operation.from->line;
    Needs needs;
    needs.sequencer = line.vlen * 16 + line.mask.flag * 2 + (line.mask.inverted ? 1 : 0);
    const auto add_source = [&](Source source, std::size_t role) {
      if (section_.operations[number].operands[role] >= 0) return;
      if (source == Source::gpr_a) needs.gpr[role] = reads(key_of(line.gpr_a));
      if (source == Source::gpr_b) needs.gpr[role] = reads(key_of(line.gpr_b));
      if (source == Source::lm) needs.lm = reads(key_of(line.lm_read));
      if (source == Source::bm) needs.bm = broadcasts(key_of(line.bm));
      if (source == Source::immediate) needs.immediate = immediates(key_of(line.immediate));
    };
    needs.works = bit(operation.unit);
    needs.units = needs.works;
    if (operation.unit == Unit::bm) {
      needs.bm = broadcasts(key_of(line.bm));
      if (line.bm.mode == isa::BmMode::write) add_source(line.bm.store_source, 0);
    } else {
      const isa::Slot& slot = isa::slot_of(line, operation.unit);
      if (isa::info_of(slot.op).claims_adder) needs.units |= bit(Unit::adder);
      add_source(slot.a, 0);
      add_source(slot.b, 1);
      if (slot.flag.flag != 0) needs.flag = 1 << slot.flag.flag;
    }
    needs_.push_back(needs);
  }
}

void Placement::restart(std::size_t limit) {
  constexpr std::size_t kBehind = 4;  // lines that a bundle may reach beyond
  lines_.assign(limit + kBehind, {});
  gpr_words_used_.assign(lines_.size(), 0);
  lm_words_used_.assign(lines_.size(), 0);
  operations_.assign(section_.operations.size(), {});
  values_.assign(section_.values.size(), {});
  for (std::size_t value = 0; value < values_.size(); ++value) {
    values_[value].readers_left = static_cast<int>(section_.values[value].readers.size());
  }
  tenant_ = -1;
  for (std::size_t tenancy = 0; tenancy < section_.tenancies.size(); ++tenancy) {
    if (!section_.tenancies[tenancy].from_entry) continue;
    tenant_ = static_cast<int>(tenancy);
    tenant_left_ = static_cast<int>(section_.tenancies[tenancy].accesses);
  }
  journal_.clear();
}

void Placement::begin_line(std::size_t line) {
  if (tenant_ >= 0 && lines_[line].t_holds < 0) lines_[line].t_holds = tenant_;
}

void Placement::undo(std::size_t mark) {
  while (journal_.size() > mark) {
    const Change& change = journal_.back();
    if (change.lines == 0) *change.place = change.before;
    for (std::size_t line = 0; line < change.lines; ++line) change.place[line] -= change.before;
    journal_.pop_back();
  }
}

bool Placement::place(const Bundle& bundle, std::size_t line, Preference preference) {
  journal_.clear();
  for (const Bundle::Member& member : bundle.members) {
    const std::size_t at = line + member.offset;
    if (at + 1 >= lines_.size() || !place_operation(member.operation, at, preference)) {
      undo(0);
      return false;
    }
  }
  return true;
}

bool Placement::place_operation(std::size_t number, std::size_t line, Preference preference) {
  LineUse& use = lines_[line];
  if (!take_ports(number, use) || !take_t(number, line) || !take_writes(number, use)) return false;
  set(operations_[number].line, static_cast<int>(line));
  return read_operands(number, line, 0, preference) && add_result(number, line);
}

bool Placement::take_ports(std::size_t number, LineUse& use) {
  const Needs& needs = needs_[number];
  if (!shareable(use.sequencer, needs.sequencer) || (use.units & needs.units) != 0 || (use.flags & needs.flag) != 0) {
    return false;
  }
  set(use.sequencer, needs.sequencer);
  set(use.units, use.units | needs.units);
  set(use.flags, use.flags | needs.flag);
  for (const int key : needs.gpr) {
    if (key >= 0 && !take_gpr_read(use, key)) return false;
  }
  if (needs.lm >= 0) {
    if (!shareable(use.lm_read, needs.lm)) return false;
    set(use.lm_read, needs.lm);
  }
  if (needs.bm >= 0) {
    if (!shareable(use.bm, needs.bm)) return false;
    set(use.bm, needs.bm);
  }
  if (needs.immediate >= 0) {
    if (!shareable(use.immediate, needs.immediate)) return false;
    set(use.immediate, needs.immediate);
  }
  return true;
}

bool Placement::take_gpr_read(LineUse& use, int key) {
  for (int& port : use.gpr_read) {
    if (!shareable(port, key)) continue;
    set(port, key);
    return true;
  }
  return false;
}

bool Placement::take_t(std::size_t number, std::size_t line) {
  const FreeOperation& operation = section_.operations[number];
  LineUse& use = lines_[line];
  const auto access = [&](int tenancy) {
    set(tenant_left_, tenant_left_ - 1);
    if (tenant_left_ == 0 && !section_.tenancies[static_cast<std::size_t>(tenancy)].to_end) set(tenant_, -1);
  };
  if (const int tenancy = operation.tenancy_read; tenancy >= 0) {
    if (tenant_ != tenancy || !shareable(use.t_holds, tenancy)) return false;
    set(use.t_holds, tenancy);
    access(tenancy);
  }
  if (const int tenancy = operation.tenancy_written; tenancy >= 0) {
    if (use.t_write >= 0 || (tenant_ >= 0 && tenant_ != tenancy)) return false;
    if (tenant_ < 0) {
      set(tenant_, tenancy);
      set(tenant_left_, static_cast<int>(section_.tenancies[static_cast<std::size_t>(tenancy)].accesses));
    }
    access(tenancy);
  }
  return true;
}

/// Ports of results that stay where they are.
bool Placement::take_writes(std::size_t number, LineUse& use) {
  const FreeOperation& operation = section_.operations[number];
  const auto take = [&](bool wanted, int& port) {
    if (!wanted) return true;
    if (port >= 0) return false;
    set(port, static_cast<int>(number));
    return true;
  };
  return take(operation.writes_t, use.t_write) && take(operation.writes_gpr, use.gpr_write) &&
         take(operation.writes_lm, use.lm_write);
}

bool Placement::read_operands(std::size_t number, std::size_t line, std::size_t operand, Preference preference) {
  constexpr std::array kTFirst{Way::t, Way::gpr, Way::lm};
  constexpr std::array kMemoryFirst{Way::gpr, Way::lm, Way::t};
  const std::array<int, 2>& operands = section_.operations[number].operands;
  if (operand == operands.size()) return true;
  const int value = operands[operand];
  if (value < 0) return read_operands(number, line, operand + 1, preference);
  std::array<int, 2>& ways = operations_[number].ways;
  if (operand == 1 && operands[0] == value) {
    set(ways[1], ways[0]);
    return true;
  }
  for (const Way way : preference == Preference::t_first ? kTFirst : kMemoryFirst) {
    const std::size_t mark = journal_.size();
    set(ways[operand], static_cast<int>(way));
    if (read_value(static_cast<std::size_t>(value), line, way) &&
        read_operands(number, line, operand + 1, preference)) {
      return true;
    }
    undo(mark);
  }
  return false;
}

bool Placement::read_value(std::size_t value, std::size_t line, Way way) {
  PlacedValue& placed = values_[value];
  if (placed.line < 0) return false;
  if (way == Way::t ? !read_in_t(value, line) : !read_in_memory(value, line, way)) return false;
  set(placed.readers_left, placed.readers_left - 1);
  return every_result_has_room(lines_[static_cast<std::size_t>(placed.line)]);
}

bool Placement::read_in_t(std::size_t value, std::size_t line) {
  PlacedValue& placed = values_[value];
  const auto from = static_cast<std::size_t>(placed.line);
  const int writer = static_cast<int>(section_.values[value].operation);
  const unsigned latency =
      isa::info_of(section_.graph.operations[section_.values[value].operation].unit).forward_latency;
  if (line < from + latency || !shareable(lines_[from].t_write, writer)) return false;
  for (std::size_t at = from + 1; at <= line; ++at) {
    if (!shareable(lines_[at].t_holds, in_t(value)) || (at < line && lines_[at].t_write >= 0)) return false;
  }
  for (std::size_t at = from + 1; at <= line; ++at) set(lines_[at].t_holds, in_t(value));
  set(lines_[from].t_write, writer);
  set(placed.t, 1);
  if (tenant_ != in_t(value)) return true;
  set(tenant_left_, tenant_left_ - 1);
  if (tenant_left_ == 0) set(tenant_, -1);
  return true;
}

bool Placement::read_in_memory(std::size_t value, std::size_t line, Way way) {
  PlacedValue& placed = values_[value];
  const FreeValue& free = section_.values[value];
  const bool gpr = way == Way::gpr;
  const auto from = static_cast<std::size_t>(placed.line);
  const unsigned latency = isa::info_of(section_.graph.operations[free.operation].unit).register_latency;
  if (placed.in_t_alone != 0 || line < from + latency || (!gpr && !section_.local_memory_free)) return false;
  // The ports first: they are quickly asked, and most often what is missing.
  const int key = kValueKey + static_cast<int>(value);
  if (gpr ? !take_gpr_read(lines_[line], key) : !shareable(lines_[line].lm_read, key)) return false;
  if (!gpr) set(lines_[line].lm_read, key);
  int& stands = gpr ? placed.gpr : placed.lm;
  int& until = gpr ? placed.gpr_until : placed.lm_until;
  if (stands == 0) {
    int& port = gpr ? lines_[from].gpr_write : lines_[from].lm_write;
    if (port >= 0) return false;
    set(port, static_cast<int>(free.operation));
    set(stands, 1);
    set(until, placed.line);
  }
  if (static_cast<std::size_t>(until) >= line) return true;
  const auto words = static_cast<int>(free.words());
  if (!take_words(gpr ? gpr_words_used_ : lm_words_used_, words, gpr ? gpr_words_ : lm_words_,
                  static_cast<std::size_t>(until), line)) {
    return false;
  }
  set(until, static_cast<int>(line));
  return true;
}

/// Takes `more` words in each line from one to before another.
bool Placement::take_words(std::vector<int>& words, int more, unsigned most, std::size_t from, std::size_t until) {
  int* const first = words.data() + from;
  const std::size_t lines = until - from;
  int busiest = 0;
  for (std::size_t line = 0; line < lines; ++line) busiest = std::max(busiest, first[line]);
  if (static_cast<unsigned>(busiest + more) > most) return false;
  for (std::size_t line = 0; line < lines; ++line) first[line] += more;
  journal_.push_back({first, more, lines});
  return true;
}

bool Placement::add_result(std::size_t number, std::size_t line) {
  LineUse& use = lines_[line];
  const int result = section_.operations[number].result;
  if (result >= 0) {
    const auto value = static_cast<std::size_t>(result);
    set(values_[value].line, static_cast<int>(line));
    set(use.results[static_cast<std::size_t>(section_.graph.operations[number].unit) - 1], result);
    if (every_result_has_room(use)) return true;
    // Only T is left for it.
    if (tenant_ >= 0 || use.t_write >= 0 || lines_[line + 1].t_holds >= 0) return false;
    set(tenant_, in_t(value));
    set(tenant_left_, values_[value].readers_left);
    set(use.t_write, static_cast<int>(number));
    set(values_[value].t, 1);
    set(values_[value].in_t_alone, 1);
  }
  return every_result_has_room(use);
}

/// True if each value of the line that is still to be read has a place, or ports are left to give it one.
bool Placement::every_result_has_room(const LineUse& use) const {
  int homeless = 0;
  for (const int result : use.results) {
    if (result < 0) continue;
    const PlacedValue& value = values_[static_cast<std::size_t>(result)];
    if (value.readers_left > 0 && value.gpr == 0 && value.lm == 0 && value.in_t_alone == 0) ++homeless;
  }
  const int room = (use.gpr_write < 0 ? 1 : 0) + (use.lm_write < 0 && section_.local_memory_free ? 1 : 0);
  return homeless <= room;
}

}  // namespace gdr::assembler
