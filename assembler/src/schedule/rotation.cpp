#include "rotation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <utility>

#include "full_scheduler.h"

namespace gdr::assembler {
namespace {

using isa::Memory;
using isa::Source;
using isa::Storage;
using isa::Unit;

constexpr int kForEver = std::numeric_limits<int>::max();

/// Registers or local memory: for each short word, the line after which it may be written again.
class Places {
 public:
  Places(const Words& taken, unsigned first, unsigned count) : until_(count, -1) {
    for (unsigned word = 0; word < count; ++word) {
      if (taken.test(first + word)) until_[word] = kForEver;
    }
  }

  std::optional<unsigned> take(unsigned words, unsigned step, int from, int until) {
    for (unsigned address = 0; address + words <= until_.size(); address += step) {
      const auto first = until_.begin() + address;
      if (std::any_of(first, first + words, [&](int busy) { return busy >= from; })) continue;
      std::fill(first, first + words, until);
      return address;
    }
    return std::nullopt;
  }

 private:
  std::vector<int> until_;
};

bool reads_record(const CodeLine& line) {
  return std::ranges::any_of(
      line.accesses, [](const CodeAccess& access) { return !access.write && access.storage == Storage::record; });
}

bool reads_through(const isa::Line& line, Source port) {
  const std::array<const isa::Slot*, 3> slots{&line.adder, &line.multiplier, &line.alu};
  return std::ranges::any_of(slots, [&](const isa::Slot* slot) { return slot->a == port || slot->b == port; });
}

/// A register port that the line's only operation does not use: its other operand takes at most one of the two.
Source free_port(const isa::Line& line) { return reads_through(line, Source::gpr_a) ? Source::gpr_b : Source::gpr_a; }

isa::ReadPort& port_of(isa::Line& line, Source port) { return port == Source::gpr_a ? line.gpr_a : line.gpr_b; }

/// A line in place of another one.
CodeLine remade(const isa::Line& line, const CodeLine& before) {
  CodeLine code = made_line(line, before.where);
  code.text = before.text;
  return code;
}

/// A value that both stages read: the second stage reads a copy at `address`.
struct Crossing {
  std::size_t value = 0;
  Memory memory = Memory::gpr;
  unsigned address = 0;
};

/// One rotated body while it is made. Its steps are called in the order in which they are declared; one that returns
/// false says that the body cannot be rotated in this way.
class Draft {
 public:
  explicit Draft(const FreeSection& section)
      : section_(section),
        second_(section.operations.size()),
        gpr_(section.taken, kFirstGprWord, isa::kGprShortWords),
        lm_(section.taken, kFirstLmWord, isa::kLmShortWords),
        in_lm_(section.values.size()) {
    plan_.operations.resize(section_.operations.size());
    plan_.values.resize(section_.values.size());
    plan_.gpr.resize(section_.values.size());
    plan_.lm.resize(section_.values.size());
  }

  /// Puts the operations of a bundle on lines behind those that there are. False if some share a line.
  bool append(const Bundle& bundle, bool is_second) {
    std::size_t taken = 0;
    for (const Bundle::Member& member : bundle.members) {
      plan_.operations[member.operation].line = static_cast<int>(plan_.lines + member.offset);
      second_[member.operation] = is_second;
      taken = std::max(taken, member.offset + 1);
    }
    plan_.lines += taken;
    return bundle.members.size() <= taken;
  }
  [[nodiscard]] std::size_t lines_so_far() const { return plan_.lines; }

  /// Gives each value a register or a word of local memory. A value that only the second stage reads passes from one
  /// iteration to the next in a place of its own. If the first stage reads it, too, it may be copied there; until the
  /// copy is made, the second stage has the value of the iteration before.
  bool give_places(Way copies) {
    std::vector<std::size_t> within;  // values that are needed on some lines only
    for (std::size_t value = 0; value < section_.values.size(); ++value) {
      const bool passes = !is_second(section_.values[value].operation) && readers_in_second(value) > 0;
      const bool by_both = readers_in_second(value) < section_.values[value].readers.size();
      if (passes && (!by_both || copies == Way::none)) {
        if (!give_place(value, 0, kForEver)) return false;
        continue;
      }
      if (passes && !add_crossing(value, copies)) return false;
      within.push_back(value);
    }
    std::ranges::sort(within, {},
                      [&](std::size_t value) { return std::pair(line_of(section_.values[value].operation), value); });
    return std::ranges::all_of(within, [&](std::size_t value) {
      return give_place(value, line_of(section_.values[value].operation), last_line_of(value));
    });
  }

  /// The lines of the operations where they are now.
  [[nodiscard]] std::vector<CodeLine> lines() const { return lines_of(plan_, section_); }

  /// Copies the values that both stages read at the end of the lines, and makes the second stage read the copies.
  void cross(std::vector<CodeLine>& lines) const {
    for (const Crossing& crossing : crossings_) {
      for (const std::size_t reader : section_.values[crossing.value].readers) {
        if (is_second(reader)) read_copy(lines[static_cast<std::size_t>(line_of(reader))], reader, crossing);
      }
      const int writer = line_of(section_.values[crossing.value].operation);
      lines.push_back(made_line(copy_of(crossing), lines[static_cast<std::size_t>(writer)].where));
    }
  }

  /// The j-record is no longer there when the second stage runs, so the first stage begins with copies of the words
  /// that the second one reads.
  bool copy_records(std::vector<CodeLine>& lines, std::size_t second) {
    std::vector<std::pair<isa::BmPort, isa::ReadPort>> copied;
    std::vector<CodeLine> copies;
    for (std::size_t at = 0; at < second; ++at) {
      if (!reads_record(lines[at])) continue;
      const isa::Line& line = lines[at].line;
      const auto moves = [](const isa::WritePort& port) { return port.source == Unit::bm; };
      if (moves(line.t_write) || moves(line.gpr_write) || moves(line.lm_write) || line.mask.flag != 0) return false;
      auto found = std::ranges::find(copied, line.bm, &std::pair<isa::BmPort, isa::ReadPort>::first);
      if (found == copied.end()) {
        const auto place = place_for(line.bm);
        if (!place) return false;
        found = copied.emplace(copied.end(), line.bm, *place);
        copies.push_back(made_line(load(line.bm, *place), lines[at].where));
      }
      lines[at] = remade(reading_register(line, found->second), lines[at]);
    }
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(second), copies.begin(), copies.end());
    return true;
  }

 private:
  [[nodiscard]] bool is_second(std::size_t operation) const { return second_[operation]; }
  [[nodiscard]] int line_of(std::size_t operation) const { return plan_.operations[operation].line; }
  [[nodiscard]] std::size_t readers_in_second(std::size_t value) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(section_.values[value].readers, [&](std::size_t reader) { return is_second(reader); }));
  }

  // ---- places of values --------------------------------------------------------------------------------------------

  /// The last line that a value is read on by the stage that makes it. One that is copied at the end stays until then.
  [[nodiscard]] int last_line_of(std::size_t value) const {
    const bool copied = std::ranges::any_of(crossings_, [&](const Crossing& one) { return one.value == value; });
    if (copied) return kForEver - 1;
    const FreeValue& free = section_.values[value];
    int last = line_of(free.operation);
    for (const std::size_t reader : free.readers) {
      if (is_second(reader) == is_second(free.operation)) last = std::max(last, line_of(reader));
    }
    return last;
  }

  /// Gives a value a place from one line to another, and its readers the way to it; false if no place is free.
  bool give_place(std::size_t value, int from, int until) {
    const FreeValue& free = section_.values[value];
    const FreeOperation& writer = section_.operations[free.operation];
    const unsigned step = isa::short_words(free.width);
    std::optional<unsigned> address;
    if (!writer.writes_gpr) address = gpr_.take(free.words(), step, from, until);
    const Way way = address ? Way::gpr : Way::lm;
    if (!address && !writer.writes_lm && may_stand_in_local_memory(value)) {
      address = lm_.take(free.words(), step, from, until);
    }
    if (!address) return false;
    if (way == Way::lm) in_lm_[value] = true;
    (way == Way::gpr ? plan_.gpr : plan_.lm)[value] = *address;
    (way == Way::gpr ? plan_.values[value].gpr : plan_.values[value].lm) = 1;
    plan_.values[value].line = line_of(free.operation);
    for (const std::size_t reader : free.readers) {
      for (std::size_t operand = 0; operand < 2; ++operand) {
        if (section_.operations[reader].operands[operand] == static_cast<int>(value)) {
          plan_.operations[reader].ways[operand] = static_cast<int>(way);
        }
      }
    }
    return true;
  }

  bool add_crossing(std::size_t value, Way copies) {
    const FreeValue& free = section_.values[value];
    const unsigned step = isa::short_words(free.width);
    const Memory preferred = copies == Way::lm ? Memory::lm : Memory::gpr;
    for (const Memory memory : {preferred, preferred == Memory::gpr ? Memory::lm : Memory::gpr}) {
      if (memory == Memory::lm && !may_stand_in_local_memory(value)) continue;
      const auto address = (memory == Memory::gpr ? gpr_ : lm_).take(free.words(), step, 0, kForEver);
      if (!address) continue;
      if (memory == Memory::lm) in_lm_[value] = true;
      crossings_.push_back({value, memory, *address});
      return true;
    }
    return false;
  }

  /// True if no reader also reads another word of local memory.
  [[nodiscard]] bool may_stand_in_local_memory(std::size_t value) const {
    if (!section_.local_memory_free) return false;
    return std::ranges::none_of(section_.values[value].readers, [&](std::size_t reader) {
      const UnitOperation& operation = section_.graph.operations[reader];
      std::array<Source, 2> sources{operation.from->line.bm.store_source, Source::none};
      if (operation.unit != Unit::bm) {
        const isa::Slot& slot = isa::slot_of(operation.from->line, operation.unit);
        sources = {slot.a, slot.b};
      }
      for (std::size_t operand = 0; operand < 2; ++operand) {
        const int other = section_.operations[reader].operands[operand];
        if (other == static_cast<int>(value)) continue;
        if (other < 0 ? sources[operand] == Source::lm : in_lm_[static_cast<std::size_t>(other)]) return true;
      }
      return false;
    });
  }

  // ---- copies of values --------------------------------------------------------------------------------------------

  /// Makes a reader of the second stage take the copy in place of the value.
  void read_copy(CodeLine& code, std::size_t reader, const Crossing& crossing) const {
    const isa::ReadPort from{static_cast<std::uint16_t>(crossing.address), section_.values[crossing.value].width, true,
                             false};
    isa::Line line = code.line;
    for (std::size_t operand = 0; operand < 2; ++operand) {
      if (section_.operations[reader].operands[operand] != static_cast<int>(crossing.value)) continue;
      isa::Slot& slot = isa::slot_of(line, section_.graph.operations[reader].unit);
      Source& source = operand == 0 ? slot.a : slot.b;
      const Source before = std::exchange(source, Source::none);
      const bool from_gpr = before == Source::gpr_a || before == Source::gpr_b;
      if (from_gpr && !reads_through(line, before)) port_of(line, before) = {};
      source = crossing.memory == Memory::lm ? Source::lm : free_port(line);
      (crossing.memory == Memory::lm ? line.lm_read : port_of(line, source)) = from;
    }
    code = remade(line, code);
  }

  [[nodiscard]] isa::Line copy_of(const Crossing& crossing) const {
    const FreeValue& free = section_.values[crossing.value];
    const bool in_gpr = plan_.values[crossing.value].gpr != 0;
    isa::Line copy;
    copy.vlen = free.elements;
    copy.alu.op = isa::Op::UPASSA;
    copy.alu.width = free.width;
    copy.alu.a = in_gpr ? Source::gpr_a : Source::lm;
    const unsigned place = (in_gpr ? plan_.gpr : plan_.lm)[crossing.value];
    (in_gpr ? copy.gpr_a : copy.lm_read) = {static_cast<std::uint16_t>(place), free.width, true, false};
    (crossing.memory == Memory::gpr ? copy.gpr_write : copy.lm_write) = {
        Unit::alu, static_cast<std::uint16_t>(crossing.address), true, false, {}};
    return copy;
  }

  // ---- copies of the record ----------------------------------------------------------------------------------------

  std::optional<isa::ReadPort> place_for(const isa::BmPort& record) {
    const unsigned step = isa::short_words(record.width);
    const auto address = gpr_.take(step * (record.vector ? isa::kVectorElements : 1U), step, 0, kForEver);
    if (!address) return std::nullopt;
    return isa::ReadPort{static_cast<std::uint16_t>(*address), record.width, record.vector, false};
  }

  [[nodiscard]] static isa::Line load(const isa::BmPort& record, const isa::ReadPort& to) {
    isa::Line line;
    line.vlen = isa::kVectorElements;
    line.bm = record;
    line.gpr_write = {Unit::bm, to.address, record.vector, false, {}};
    return line;
  }

  [[nodiscard]] static isa::Line reading_register(isa::Line line, const isa::ReadPort& from) {
    const Source port = free_port(line);
    for (isa::Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
      if (slot->a == Source::bm) slot->a = port;
      if (slot->b == Source::bm) slot->b = port;
    }
    port_of(line, port) = from;
    line.bm = {};
    return line;
  }

  const FreeSection& section_;
  Plan plan_;
  std::vector<bool> second_;  // for each operation, true if it is in the second stage
  Places gpr_;
  Places lm_;
  std::vector<bool> in_lm_;  // values that a reader reads from local memory
  std::vector<Crossing> crossings_;
};

}  // namespace

CodeLine made_line(isa::Line line, const Place& where) {
  CodeLine code;
  code.line = line;
  code.where = where;
  code.text = isa::print(line);
  add_accesses(code);
  return code;
}

CodeLine flag_line(unsigned flag, isa::Condition condition, bool jvalid, const Place& where) {
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.alu.op = isa::Op::UXOR;
  line.alu.a = line.alu.b = Source::pe_id;
  line.alu.flag = {static_cast<std::uint8_t>(flag), condition, {0, false, jvalid}};
  return made_line(line, where);
}

bool Rotation::can_wait() const {
  return std::all_of(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(second), [](const CodeLine& code) {
    const isa::Line& line = code.line;
    for (const isa::WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
      if (port->predicate.flag != 0) return false;
    }
    for (const isa::Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
      if (slot->flag.predicate.flag != 0) return false;
    }
    const bool indirect = line.lm_read.indirect || line.lm_write.indirect;  // its address may be anything
    return !indirect && line.bm.mode != isa::BmMode::write;
  });
}

Rotator::Rotator(const FreeSection& section, PipelineFlags flags)
    : section_(section), flags_(flags), bundles_(bundles_of(section.graph)) {
  find_order();
}

void Rotator::find_order() {
  std::vector<unsigned> waits_for = bundles_.predecessors();
  const auto later = [&](std::size_t a, std::size_t b) { return first_of(a) > first_of(b); };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  levels_.assign(bundles_.bundles.size(), 0);
  for (std::size_t bundle = 0; bundle < levels_.size(); ++bundle) {
    if (waits_for[bundle] == 0) ready.push(bundle);
  }
  while (!ready.empty()) {
    const std::size_t bundle = ready.top();
    ready.pop();
    order_.push_back(bundle);
    for (const Edge& edge : bundles_.edges[bundle]) {
      levels_[edge.to] = std::max(levels_[edge.to], levels_[bundle] + edge.lines);
      if (--waits_for[edge.to] == 0) ready.push(edge.to);
    }
  }
}

std::size_t Rotator::first_of(std::size_t bundle) const { return bundles_.bundles[bundle].members.front().operation; }

std::vector<Cut> Rotator::cuts() const {
  const std::vector<std::ptrdiff_t> ways = bundles_.ways().value();
  const std::ptrdiff_t depth = *std::ranges::max_element(ways);
  std::vector<Cut> all;
  for (const bool late : {false, true}) {
    for (std::ptrdiff_t level = 1; level <= depth; ++level) {
      Cut second(order_.size());
      for (const std::size_t bundle : order_) {
        if ((late ? depth - ways[bundle] : levels_[bundle]) >= level) second[bundle] = true;
        if (!second[bundle]) continue;
        for (const Edge& edge : bundles_.edges[bundle]) second[edge.to] = true;
      }
      // An edge may lead to a bundle whose own level puts it in the first stage.
      for (const std::size_t bundle : order_) {
        for (const Edge& edge : bundles_.edges[bundle]) second[edge.to] = second[edge.to] || second[bundle];
      }
      const bool both = std::ranges::count(second, true) > 0 && std::ranges::count(second, false) > 0;
      if (both && std::ranges::find(all, second) == all.end()) all.push_back(std::move(second));
    }
  }
  return all;
}

std::optional<Rotation> Rotator::rotated(const Cut& second, Way copies) const {
  Draft draft(section_);
  Rotation rotation;
  for (const bool stage : {true, false}) {
    for (const std::size_t bundle : order_) {
      if (second[bundle] == stage && !draft.append(bundles_.bundles[bundle], stage)) return std::nullopt;
    }
    if (stage) rotation.second = draft.lines_so_far();
  }
  if (!draft.give_places(copies)) return std::nullopt;
  rotation.lines = draft.lines();
  if (!rotation.can_wait()) return std::nullopt;
  draft.cross(rotation.lines);
  if (!draft.copy_records(rotation.lines, rotation.second)) return std::nullopt;
  const Place where = rotation.lines.back().where;
  rotation.lines.push_back(flag_line(flags_.valid, isa::Condition::negative, false, where));
  rotation.lines.push_back(flag_line(flags_.valid, isa::Condition::zero, true, where));
  rotation.set = rotation.lines.size();
  rotation.lines.push_back(flag_line(flags_.turned, isa::Condition::zero, false, where));
  return rotation;
}

}  // namespace gdr::assembler
