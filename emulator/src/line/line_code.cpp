#include "line_code.h"

#include <utility>

namespace gdr::emulator::simd {

using isa::kVectorElements;
using isa::Op;
using isa::Unit;
using OperandKind = isa::UnitOperand::Kind;

namespace {

bool is_in_bm(const isa::UnitOperand& operand) {
  return operand.kind == OperandKind::word && !in_registers(operand.word);
}

/// PEs that do the work.
std::uint32_t lanes_of(const isa::UnitWork& work) {
  return work.one_pe ? std::uint32_t{1} << work.pe : ~std::uint32_t{0};
}

Gate gate_of(const isa::Predicate& predicate) {
  return {flag_place(predicate.flag), predicate.flag != 0 && predicate.inverted ? ~std::uint32_t{0} : 0};
}

}  // namespace

std::uint32_t Constants::place_of(isa::LongWord value) {
  const auto found = std::find(values_.begin(), values_.end(), value);
  const auto index = static_cast<std::uint32_t>(found - values_.begin());
  if (found == values_.end()) values_.push_back(value);
  return place::kConstants + index * 2;
}

void LineCode::add(const LinePlan& plan) {
  prepare_indirect(plan);
  fetch_bm(plan);
  for (const std::uint8_t at : plan.order) {
    const PlannedUnit& unit = plan.units[at];
    if (unit.work->stores_to_bm()) {
      add_store(unit);
    } else {
      add_unit(unit);
    }
  }
  const auto by_unit = [](const HeldWrite& a, const HeldWrite& b) { return a.unit < b.unit; };
  std::ranges::stable_sort(own_, by_unit);
  std::ranges::stable_sort(late_, by_unit);
}

// ---- words that all units fetch together ---------------------------------------------------------------------------

Destination LineCode::indirect_rows(const isa::Access& access, const Gate& gate, std::uint32_t lane_mask) {
  const unsigned elements = line_.elements;
  const Value t = rows_.read_t(elements, Width::long_word, false);
  rows_.spread(pattern_of_t(elements).rows());
  const Value t_in_rows = t.at.lane_step == 0 ? rows_.read_t(elements, Width::long_word, false) : t;
  const std::uint32_t numbers = writer_.reserve(elements * kRowWords);
  const std::uint32_t lanes = writer_.reserve(kVectorWords);
  MicroOp& op = writer_.push(moves::indirect_rows);
  op.width = access.width;
  op.a.high = access.address;
  op.a.element_step = access.step;
  op.b = t_in_rows.at;
  op.mask = line_gate();
  op.lane_mask = lane_mask;
  op.to[0] = {numbers, kNowhere, kRowWords, lanes, gate};
  return op.to[0];
}

void LineCode::prepare_indirect(const LinePlan& plan) {
  // A read whose result is not used must still be inside LM. All indirect reads of a line are of the same words.
  const isa::Access* read = nullptr;
  std::uint32_t readers = 0;
  for (const isa::UnitWork& work : line_.units()) {
    for (const isa::UnitOperand* operand : {&work.a, &work.b}) {
      if (!work.computes || operand->kind != OperandKind::word || !operand->word.indirect) continue;
      read = &operand->word;
      readers |= lanes_of(work);
    }
  }
  if (read != nullptr) {
    const Destination numbers = indirect_rows(*read, Gate{}, readers);
    const std::uint32_t words = writer_.reserve(line_.elements * 2 * kRowWords);
    MicroOp& op = writer_.push(moves::gather);
    op.width = read->width;
    op.count = rows_.lm_holds_longs() ? 1 : 0;
    op.b = {numbers.high, kNowhere, kRowWords, 1};
    op.to[0] = {words, words + kRowWords, 2 * kRowWords, numbers.mask_slot, {}};
    indirect_read_ = {words, words + kRowWords, 2 * kRowWords, 1};
  }
  for (const PlannedUnit& unit : plan.units) {
    for (const PlannedWrite& target : unit.writes) {
      const isa::Access& write = *target.write;
      if (write.indirect) indirect_write_ = indirect_rows(write, gate_of(write.predicate), lanes_of(*unit.work));
    }
  }
}

void LineCode::fetch_bm(const LinePlan& plan) {
  const isa::BmPort& port = line_.bm;
  const bool wanted = std::ranges::any_of(
      plan.units, [](const PlannedUnit& unit) { return is_in_bm(unit.work->a) || is_in_bm(unit.work->b); });
  if (!wanted) return;
  const unsigned words = port.vector ? line_.elements : 1;
  const std::uint32_t fetched = writer_.reserve(2 * kVectorElements + kVectorWords);
  MicroOp& op = writer_.push(moves::fetch_bm);
  op.elements = static_cast<std::uint8_t>(words);
  op.width = port.width;
  op.record = port.record;
  op.a.high = port.address;
  op.a.element_step = isa::short_words(port.width);
  op.to[0] = {fetched, fetched + kVectorElements, 1, kNowhere, {}};
  bm_ = {fetched, fetched + kVectorElements, port.vector ? 1u : 0u, 0};
}

// ---- units ---------------------------------------------------------------------------------------------------------

/// True if operands that are equal in all PEs have a result that is, which one word can hold.
bool LineCode::has_uniform_result(const PlannedUnit& unit) const {
  const auto plain = [&](const PlannedWrite& target) {
    return target.landing == Landing::direct && reaches_all(line_, unit, target) &&
           (target.rows.step != 0 || line_.elements == 1) &&
           (target.is_t() || target.write->storage == isa::Storage::gpr || !rows_.lm_layout_pinned());
  };
  return !unit.has_flag && !unit.work->one_pe && line_.mask.flag == 0 && std::ranges::all_of(unit.writes, plain);
}

void LineCode::add_unit(const PlannedUnit& unit) {
  const isa::UnitWork& work = *unit.work;
  const bool on_host = kernels_.arithmetic == Arithmetic::host;
  const bool takes_doubles = on_host && (work.unit == Unit::adder || work.unit == Unit::multiplier);
  const Value a = value_of(work.a, takes_doubles);
  const Value b = value_of(work.b, takes_doubles);
  const bool has_b = work.b.kind != OperandKind::none;
  const bool uniform = a.at.lane_step == 0 && (!has_b || b.at.lane_step == 0) && has_uniform_result(unit);

  MicroOp op = writer_.blank();
  op.unit = work.unit;
  op.width = work.width;
  op.a = a.at;
  if (has_b) op.b = b.at;
  op.flip_a = work.a.negated ? std::uint64_t{1} << 63 : 0;
  op.flip_b = work.b.negated ? std::uint64_t{1} << 63 : 0;
  op.mask = line_gate();
  if (uniform) turn_elements_into_lanes(op);
  if (work.one_pe) op.lane_mask = lanes_of(work);
  const Op computed = work.unit == Unit::bm ? Op::UPASSA : work.op;  // a word that is moved goes through unchanged
  KernelKey key{computed, work.width, a.is_short, has_b && b.is_short, work.a.negated || work.b.negated, false};
  key.general = uniform || line_.mask.flag != 0 || work.one_pe || unit.has_flag;
  for (const PlannedWrite& target : unit.writes) {
    const Destination to = destination_of(unit, target, uniform);
    key.general = key.general || to.mask_slot != kNowhere || target.write->predicate.flag != 0 ||
                  (work.width == Width::short_word && to.low != kNowhere) ||
                  (to.element_step == 0 && line_.elements > 1);  // only the last element's result remains
    op.to[op.destinations++] = to;
  }
  if (unit.has_flag) op.flag = flag_destination_of(unit);
  key.native = on_host;
  if (key.op == Op::FSUB && !key.native && flips_signs(key)) {
    key.op = Op::FADD;
    op.flip_b ^= std::uint64_t{1} << 63;
  }
  op.run = find_kernel(kernels_.isa, key);
  if (isa::info_of(computed).unit != Unit::alu) fp_elements_ += line_.elements;
  writer_.add(op);
}

void LineCode::turn_elements_into_lanes(MicroOp& op) const {
  op.uniform = true;
  op.elements = 1;
  op.lanes = line_.elements;
  op.lane_mask = (1u << line_.elements) - 1;
  for (Operand* operand : {&op.a, &op.b}) {
    operand->lane_step = operand->element_step;
    operand->element_step = 0;
  }
}

void LineCode::add_store(const PlannedUnit& unit) {
  const isa::BmPort& port = line_.bm;
  const Value value = value_of(unit.work->a, false);
  const std::uint32_t slot = writer_.reserve(kVectorElements * kStoreSlotWords);
  MicroOp& op = writer_.push(moves::capture_store);
  op.record = port.record;
  op.count = port.pe;
  op.a.high = port.address;
  op.a.element_step = port.vector ? isa::short_words(port.width) : 0;
  op.b = value.at;
  op.mask = line_gate();
  op.to[0].high = slot;
  HeldWrite held;
  held.kind = HeldWrite::Kind::store;
  held.rows.elements = 0;
  held.commit.elements = line_.elements;
  held.commit.width = port.width;
  held.commit.a.high = slot;
  hold(held, unit.store_landing);
}

// ---- results -------------------------------------------------------------------------------------------------------

Destination LineCode::destination_of(const PlannedUnit& unit, const PlannedWrite& target, bool uniform) {
  if (target.landing != Landing::direct) return held_destination_of(unit, target);
  const Width width = unit.work->width;
  const bool is_long = width == Width::long_word;
  const bool all = reaches_all(line_, unit, target);
  Destination to;
  if (target.is_t() && !all) {
    to = part_of_t(unit, target);
  } else if (target.is_t()) {
    rows_.set_t(line_.elements, !is_long);
  } else {
    rows_.take_layout(target.rows, width, all);
  }
  to.gate = gate_of(target.write->predicate);
  const unsigned row = target.rows.first;
  if (uniform) {
    rows_.add_uniform(target.rows.rows());
    // T uses the places of long words for short words, too.
    to.high = uniform_place(row, is_long || target.is_t());
    if (is_long) to.low = uniform_place(row + 1, true);
  } else {
    rows_.remove_uniform(target.rows.rows());
    to.high = row_place(row);
    if (is_long) to.low = row_place(row + 1);
    to.element_step = target.rows.step * kRowWords;
  }
  return to;
}

Destination LineCode::part_of_t(const PlannedUnit& unit, const PlannedWrite& target) {
  const bool is_long = unit.work->width == Width::long_word;
  Destination to;
  rows_.spread(target.rows.rows());
  if (is_long) rows_.complete_t(line_.elements);
  for (unsigned element = 0; element < line_.elements; ++element) {
    if (!is_long && !rows_.t_is_short(element)) to.low = row_place(target.rows.first + 1);
  }
  return to;
}

Destination LineCode::held_destination_of(const PlannedUnit& unit, const PlannedWrite& target) {
  const Width width = unit.work->width;
  const bool is_long = width == Width::long_word;
  const bool all = reaches_all(line_, unit, target);
  Destination to;
  to.gate = gate_of(target.write->predicate);
  to.element_step = is_long ? 2 * kRowWords : kRowWords;
  to.high = writer_.reserve(line_.elements * to.element_step);
  if (is_long) to.low = to.high + kRowWords;
  if (!all) to.mask_slot = writer_.reserve(kVectorWords);
  HeldWrite held;
  held.rows = target.rows;
  held.width = width;
  held.whole = all;
  held.t = target.is_t();
  held.commit.elements = line_.elements;
  held.commit.a = {to.high, to.low, to.element_step, 1};
  held.commit.to[0].mask_slot = to.mask_slot;
  if (target.write->indirect) {
    held.kind = HeldWrite::Kind::indirect_words;
    held.commit.width = width;
    held.commit.b = {indirect_write_.high, kNowhere, kRowWords, 1};
    held.commit.to[0].mask_slot = indirect_write_.mask_slot;
  }
  hold(held, target.landing);
  return to;
}

FlagDestination LineCode::flag_destination_of(const PlannedUnit& unit) {
  FlagDestination to;
  const isa::FlagWrite& flag = unit.work->flag;
  to.condition = flag.condition;
  to.gate = gate_of(flag.predicate);
  to.place = flag_place(flag.flag);
  if (unit.flag_landing == Landing::direct) return to;
  HeldWrite held;
  held.kind = HeldWrite::Kind::flag;
  held.flag = flag.flag;
  held.unit = unit.work->unit;
  held.rows.elements = 0;
  held.commit.elements = line_.elements;
  held.commit.to[0].high = to.place;
  to.place = writer_.reserve(kVectorWords);
  to.mask_slot = writer_.reserve(kVectorWords);
  held.commit.a.high = to.place;
  held.commit.to[0].mask_slot = to.mask_slot;
  hold(held, unit.flag_landing);
  return to;
}

void LineCode::hold(const HeldWrite& held, Landing landing) {
  (landing == Landing::next_line ? late_ : own_).push_back(held);
}

Gate LineCode::line_gate() const {
  return {flag_place(line_.mask.flag), line_.mask.flag != 0 && line_.mask.inverted ? ~std::uint32_t{0} : 0};
}

// ---- operands ------------------------------------------------------------------------------------------------------

Value LineCode::value_of(const isa::UnitOperand& operand, bool takes_doubles) {
  const bool is_short = operand.width == Width::short_word;
  switch (operand.kind) {
    case OperandKind::none:
      break;
    case OperandKind::word:
      return word_of(operand.word, takes_doubles);
    case OperandKind::constant: {
      const std::uint32_t at = constants_.place_of(operand.constant);
      return {{at, at + 1, 0, 0}, is_short};
    }
    case OperandKind::pe_id:
      if (is_short) return {{place::kPeIdShort, place::kZero, 0, 1}, true};
      return {{place::kZero, place::kPeIdLow, 0, 1}, false};
    case OperandKind::block_id:
      if (is_short) return {{place::kBlockIdShort, place::kZero, 0, 0}, true};
      return {{place::kZero, place::kBlockIdLow, 0, 0}, false};
  }
  return {};
}

Value LineCode::word_of(const isa::Access& read, bool takes_doubles) {
  switch (read.storage) {
    case isa::Storage::gpr:
    case isa::Storage::lm:
      if (read.indirect) return {indirect_read_, read.width == Width::short_word};
      return rows_.read(pattern_of(read, line_.elements), read.width, takes_doubles);
    case isa::Storage::t:
      return rows_.read_t(line_.elements, read.width, takes_doubles);
    case isa::Storage::bm:
    case isa::Storage::record:
      return {bm_, read.width == Width::short_word};
    case isa::Storage::flag:
      break;  // no operand
  }
  return {};
}

}  // namespace gdr::emulator::simd
