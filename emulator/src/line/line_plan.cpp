#include "line_plan.h"

#include <algorithm>
#include <bit>

namespace gdr::emulator::simd {
namespace {

using OperandKind = isa::UnitOperand::Kind;

/// Adds the writes to registers and the reads of the unit.
void add_accesses(PlannedUnit& unit, const LineContext& line) {
  const unsigned elements = line.work.elements;
  for (const isa::Access& write : unit.work->destinations()) {
    if (!in_registers(write) || (write.predicate.jvalid && !line.jvalid)) continue;
    unit.writes.push_back({&write, write.indirect ? RowPattern{} : pattern_of(write, elements)});
  }
  for (const isa::UnitOperand* operand : {&unit.work->a, &unit.work->b}) {
    // An indirect read has fetched its words before any unit executes.
    const bool is_read = operand->kind == OperandKind::word && in_registers(operand->word) && !operand->word.indirect;
    if (is_read) unit.reads.push_back(pattern_of(operand->word, elements));
  }
}

std::vector<PlannedUnit> units_of(const LineContext& line) {
  std::vector<PlannedUnit> units;
  units.reserve(static_cast<std::size_t>(std::ranges::count_if(line.work.units(), &isa::UnitWork::computes)));
  for (const isa::UnitWork& work : line.work.units()) {
    if (!work.computes) continue;
    PlannedUnit unit;
    unit.work = &work;
    unit.has_flag = work.flag.flag != 0 && (line.jvalid || !work.flag.predicate.jvalid);
    add_accesses(unit, line);
    if (!unit.writes.empty() || unit.has_flag || work.stores_to_bm()) units.push_back(unit);
  }
  return units;
}

/// True if an element writes a word that a later element of the same unit reads.
bool meets_later_elements(const PlannedUnit& unit, const PlannedWrite& target, unsigned elements) {
  for (const RowPattern& read : unit.reads) {
    if (!read.rows().meets(target.rows.rows())) continue;
    for (unsigned element = 0; element < elements; ++element) {
      for (unsigned later = element + 1; later < elements; ++later) {
        if (target.rows.word(element).meets(read.word(later))) return true;
      }
    }
  }
  return false;
}

Landing landing_of(const PlannedUnit& unit, const PlannedWrite& target, const LineContext& line) {
  const bool indirect = target.write->indirect;
  const RowRange rows = indirect ? kLmRows : target.rows.rows();
  if (!target.is_t()) {
    if (line.next.reads.meets(rows)) return Landing::next_line;
    if (indirect || line.pending.writes.meets(whole_pairs(rows))) return Landing::own_line;
    if (line.rows.changes_layout(target.rows, unit.work->width, reaches_all(line.work, unit, target))) {
      return Landing::own_line;
    }
  }
  return meets_later_elements(unit, target, line.work.elements) ? Landing::own_line : Landing::direct;
}

Landing flag_landing_of(const PlannedUnit& unit, const std::vector<PlannedUnit>& units, const LineContext& line) {
  const unsigned flag = unit.work->flag.flag;
  const auto bit = static_cast<std::uint8_t>(1u << flag);
  if ((line.next.flags_read & bit) != 0) return Landing::next_line;
  const bool written_twice = std::ranges::count_if(units, [&](const PlannedUnit& other) {
                               return other.has_flag && other.work->flag.flag == flag;
                             }) > 1;
  const bool waits = (line.own.flags_read & bit) != 0 || (line.pending.flags_written & bit) != 0 || written_twice;
  return waits ? Landing::own_line : Landing::direct;
}

/// Puts units whose direct writes disturb no other unit first. If each disturbs another one, the first gives in: its
/// writes wait.
LinePlan::Order order_of(std::vector<PlannedUnit>& units) {
  LinePlan::Order order;
  unsigned left = (1u << units.size()) - 1;  // a bit for each unit that has no place yet
  const auto disturbs = [&](std::size_t at, const PlannedWrite& target) {
    if (target.landing != Landing::direct) return false;
    for (std::size_t other = 0; other < units.size(); ++other) {
      if ((left >> other & 1) != 0 && other != at && units[other].reads_of(target.rows.rows())) return true;
    }
    return false;
  };
  while (left != 0) {
    std::size_t chosen = 0;
    while (chosen < units.size() &&
           ((left >> chosen & 1) == 0 ||
            std::ranges::any_of(
                units[chosen].writes, [&](const PlannedWrite& target) { return disturbs(chosen, target); }))) {
      ++chosen;
    }
    if (chosen == units.size()) {
      chosen = static_cast<std::size_t>(std::countr_zero(left));
      for (PlannedWrite& target : units[chosen].writes) {
        if (disturbs(chosen, target)) target.landing = Landing::own_line;
      }
    }
    order.push_back(static_cast<std::uint8_t>(chosen));
    left &= ~(1u << chosen);
  }
  return order;
}

}  // namespace

bool PlannedUnit::reads_of(const RowRange& rows) const {
  return std::ranges::any_of(reads, [&](const RowPattern& read) { return read.rows().meets(rows); });
}

bool reaches_all(const isa::LineWork& line, const PlannedUnit& unit, const PlannedWrite& target) {
  return line.mask.flag == 0 && target.write->predicate.flag == 0 && !unit.work->one_pe && !target.write->indirect;
}

LinePlan plan_of(const LineContext& line) {
  LinePlan plan;
  plan.units = units_of(line);
  for (PlannedUnit& unit : plan.units) {
    for (PlannedWrite& target : unit.writes) target.landing = landing_of(unit, target, line);
    if (unit.work->stores_to_bm()) unit.store_landing = line.next_reads_bm ? Landing::next_line : Landing::own_line;
    if (unit.has_flag) unit.flag_landing = flag_landing_of(unit, plan.units, line);
  }
  plan.order = order_of(plan.units);
  return plan;
}

}  // namespace gdr::emulator::simd
