#include "section_scheduler.h"

#include <algorithm>
#include <utility>

namespace gdr::emulator::simd {

using isa::kVectorElements;
using isa::Op;
using isa::Predicate;
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

}  // namespace

std::uint32_t Constants::place_of(isa::LongWord value) {
  const auto found = std::find(values_.begin(), values_.end(), value);
  const auto index = static_cast<std::uint32_t>(found - values_.begin());
  if (found == values_.end()) values_.push_back(value);
  return place::kConstants + index * 2;
}

SectionScheduler::SectionScheduler(KernelSet kernels, Constants& constants, const SectionFrame& frame)
    : kernels_(kernels), constants_(constants), frame_(frame), long_pairs_(frame.long_pairs) {
  landing_late_ = frame.before;
}

SectionCode SectionScheduler::run(const std::vector<DecodedStep>& steps) {
  if (frame_.leaves_splats) dead_at_entry_ = overwritten_unread(lines_of(steps), frame_.facts);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const isa::Visitor schedule{[&](const DecodedLine& each) {
                                  line(each, after(steps, n));
                                  ++at_;
                                },
                                [](const isa::TransferStep&) {},  // the record is there when its iteration begins
                                [&](const isa::CollectStep& each) { collect(each); }};
    std::visit(schedule, steps[n]);
  }
  if (!code_.has_lines) code_.hook = code_.ops.size();
  final_long_pairs_ = long_pairs_;
  if (code_.has_lines) finish();
  return std::move(code_);
}

SectionScheduler::Followers SectionScheduler::after(const std::vector<DecodedStep>& steps, std::size_t at) const {
  const LineFacts& next = at_ + 1 < frame_.facts.size() ? frame_.facts[at_ + 1] : frame_.after;
  bool collects = false;
  for (++at; at < steps.size() && !std::holds_alternative<DecodedLine>(steps[at]); ++at) {
    collects = collects || std::holds_alternative<isa::CollectStep>(steps[at]);
  }
  return {next, next.reads_bm || collects};
}

/// Actions first, in an order in which no direct write changes an operand of a later one. Then the pending writes of
/// the line before land, then the writes that this line had to hold back.
void SectionScheduler::line(const DecodedLine& decoded, const Followers& next) {
  work_ = &decoded.work;
  bank_ = place::kBanks + static_cast<std::uint32_t>(at_ % 2) * kBankWords;
  used_ = 0;
  std::vector<Action> actions = actions_of();
  prepare_indirect(actions);
  fetch_bm(actions);
  decide_landing(actions, next);
  emit_in_order(actions);
  if (!std::exchange(code_.has_lines, true)) code_.hook = code_.ops.size();
  // If two units write the same flag, the later unit in the line wins, in whatever order they were executed.
  const auto by_unit = [](const Held& a, const Held& b) { return a.unit < b.unit; };
  std::stable_sort(own_.begin(), own_.end(), by_unit);
  std::stable_sort(next_late_.begin(), next_late_.end(), by_unit);
  commit_all(late_);
  commit_all(own_);
  own_.clear();
  late_ = std::move(next_late_);
  next_late_.clear();
  landing_late_ = {};
  for (const Held& held : late_) {
    landing_late_.writes.add(held.kind == Held::Kind::indirect_words ? kLmRows : held.access.rows());
    landing_late_.flags_written = static_cast<std::uint8_t>(landing_late_.flags_written | (1u << held.flag));
  }
}

/// Lets writes of the last line land here or in the section that runs next, and restores the common layouts.
void SectionScheduler::finish() {
  RowSet still_to_land;
  for (const Held& held : late_) still_to_land.add(whole_pairs(held.access.rows()));
  if (frame_.leaves_writes && !late_.empty()) {
    MicroOp& copy = push(moves::copy_words);
    copy.a.high = bank_;
    copy.to[0].high = place::kBanks + 2 * kBankWords;
    copy.count = used_;
  } else {
    commit_all(late_);
    still_to_land = {};
  }
  restore_forms();
  // A change of layout reads both rows of a pair, so both must be dead.
  const RowSet left = (uniform_ & dead_at_entry_.both_of_pairs()) - still_to_land;
  finally_uniform_ = uniform_ - still_to_land;
  finally_uniform_.remove(kTRows);
  spread(uniform_ - left);

  std::vector<MicroOp> ops = std::move(code_.ops);
  code_.ops.clear();
  spread(left);
  code_.spread = std::move(code_.ops);
  code_.ops.clear();
  if (frame_.leaves_writes) {
    commit_all(late_, place::kBanks + 2 * kBankWords - bank_);
    restore_forms();
  }
  code_.edge = std::move(code_.ops);
  code_.ops = std::move(ops);
}

/// Sends words to the tree with their values before the next line is issued.
void SectionScheduler::collect(const isa::CollectStep& collect) {
  MicroOp& op = push(moves::collect_words);
  op.a.high = frame_.program->address_of(collect);
  op.count = collect.words();
  op.uniform = collect.not_first && frame_.section == isa::Section::loop_body;
}

// ---- the parts of a line -------------------------------------------------------------------------------------------

bool SectionScheduler::Action::reads_of(const RowRange& rows) const {
  return std::ranges::any_of(reads, [&](const RowPattern& read) { return read.rows().meets(rows); });
}

/// Adds the targets and register reads of the action's unit.
void SectionScheduler::add_accesses(Action& action) const {
  const unsigned elements = work_->elements;
  for (const isa::Access& write : action.work->destinations()) {
    if (!in_registers(write) || (write.predicate.jvalid && !frame_.jvalid)) continue;
    action.targets.push_back({&write, write.indirect ? RowPattern{} : pattern_of(write, elements)});
  }
  for (const isa::UnitOperand* operand : {&action.work->a, &action.work->b}) {
    // An indirect read has fetched its words before any unit executes.
    const bool is_read = operand->kind == OperandKind::word && in_registers(operand->word) && !operand->word.indirect;
    if (is_read) action.reads.push_back(pattern_of(operand->word, elements));
  }
}

std::vector<SectionScheduler::Action> SectionScheduler::actions_of() const {
  std::vector<Action> actions;
  actions.reserve(isa::kUnits);
  for (const isa::UnitWork& work : work_->units()) {
    if (!work.computes) continue;
    Action action;
    action.work = &work;
    action.has_flag = work.flag.flag != 0 && (frame_.jvalid || !work.flag.predicate.jvalid);
    add_accesses(action);
    if (!action.targets.empty() || action.has_flag || work.stores_to_bm()) actions.push_back(action);
  }
  return actions;
}

/// Computes the addresses of indirect accesses from the current T, and reads the words.
void SectionScheduler::prepare_indirect(const std::vector<Action>& actions) {
  const unsigned elements = work_->elements;
  const auto rows = [&](const isa::Access& access, const Gate& gate, std::uint32_t lane_mask) {
    const Value t = t_value(Width::long_word);
    spread(pattern_of_t(elements).rows());
    const Value t_spread = t.at.lane_step == 0 ? t_value(Width::long_word) : t;
    const std::uint32_t numbers = reserve(elements * kRowWords);
    const std::uint32_t lanes = reserve(kVectorWords);
    MicroOp& op = push(moves::indirect_rows);
    op.width = access.width;
    op.a.high = access.address;
    op.a.element_step = access.step;
    op.b = t_spread.at;
    op.mask = line_gate();
    op.lane_mask = lane_mask;
    op.to[0] = {numbers, kNowhere, kRowWords, lanes, gate};
    return op.to[0];
  };
  // A read whose result is not used must still be inside LM. All indirect reads of a line are of the same words.
  const isa::Access* read = nullptr;
  std::uint32_t readers = 0;
  for (const isa::UnitWork& work : work_->units()) {
    for (const isa::UnitOperand* operand : {&work.a, &work.b}) {
      if (!work.computes || operand->kind != OperandKind::word || !operand->word.indirect) continue;
      read = &operand->word;
      readers |= lanes_of(work);
    }
  }
  if (read != nullptr) {
    const Destination numbers = rows(*read, Gate{}, readers);
    const std::uint32_t words = reserve(elements * 2 * kRowWords);
    MicroOp& op = push(moves::gather);
    op.width = read->width;
    op.count = long_pairs_[kLmRow / 2] ? 1 : 0;
    op.b = {numbers.high, kNowhere, kRowWords, 1};
    op.to[0] = {words, words + kRowWords, 2 * kRowWords, numbers.mask_slot, {}};
    indirect_read_ = {words, words + kRowWords, 2 * kRowWords, 1};
  }
  for (const Action& action : actions) {
    for (const Target& target : action.targets) {
      const isa::Access& write = *target.write;
      if (!write.indirect) continue;
      const Destination numbers = rows(write, gate_of(write.predicate), lanes_of(*action.work));
      write_rows_ = numbers.high;
      write_lanes_ = numbers.mask_slot;
    }
  }
}

void SectionScheduler::fetch_bm(const std::vector<Action>& actions) {
  const isa::BmPort& port = work_->bm;
  const bool wanted = std::ranges::any_of(
      actions, [](const Action& action) { return is_in_bm(action.work->a) || is_in_bm(action.work->b); });
  if (!wanted) return;
  const unsigned words = port.vector ? work_->elements : 1;
  const std::uint32_t fetched = reserve(2 * kVectorElements + kVectorWords);
  MicroOp& op = push(moves::fetch_bm);
  op.elements = static_cast<std::uint8_t>(words);
  op.width = port.width;
  op.record = port.record;
  op.a.high = port.address;
  op.a.element_step = isa::short_words(port.width);
  op.to[0] = {fetched, fetched + kVectorElements, 1, kNowhere, {}};
  bm_ = {fetched, fetched + kVectorElements, port.vector ? 1u : 0u, 0};
}

void SectionScheduler::decide_landing(std::vector<Action>& actions, const Followers& next) const {
  const LineFacts& own = frame_.facts[at_];
  const auto bit = [](unsigned flag) { return static_cast<std::uint8_t>(1u << flag); };
  for (Action& action : actions) {
    for (Target& target : action.targets) target.landing = landing_of(action, target, next.line);
    if (action.work->stores_to_bm()) action.store_landing = next.read_bm ? Landing::next_line : Landing::own_line;
    if (!action.has_flag) continue;
    const std::uint8_t flag = bit(action.work->flag.flag);
    const bool written_twice = std::count_if(actions.begin(), actions.end(), [&](const Action& other) {
                                 return other.has_flag && other.work->flag.flag == action.work->flag.flag;
                               }) > 1;
    if ((next.line.flags_read & flag) != 0) {
      action.flag_landing = Landing::next_line;
    } else if ((own.flags_read & flag) != 0 || (landing_late_.flags_written & flag) != 0 || written_twice) {
      action.flag_landing = Landing::own_line;
    }
  }
}

SectionScheduler::Landing SectionScheduler::landing_of(const Action& action, const Target& target,
                                                       const LineFacts& next) const {
  const RowRange rows = target.write->indirect ? kLmRows : target.access.rows();
  if (!target.is_t() && next.reads.meets(rows)) return Landing::next_line;
  if (target.write->indirect) return Landing::own_line;
  if (!target.is_t() && landing_late_.writes.meets(whole_pairs(rows))) return Landing::own_line;
  if (!target.is_t() && changes_form(target.access, action.work->width, whole(action, target)))
    return Landing::own_line;
  for (unsigned element = 0; element < work_->elements; ++element) {
    for (unsigned later = element + 1; later < work_->elements; ++later) {
      for (const RowPattern& read : action.reads) {
        if (target.access.word(element).meets(read.word(later))) return Landing::own_line;
      }
    }
  }
  return Landing::direct;
}

void SectionScheduler::emit_in_order(std::vector<Action>& actions) {
  const auto disturbs = [&](const Action& action, const Target& target) {
    return target.landing == Landing::direct && std::ranges::any_of(actions, [&](const Action& other) {
             return other.work->unit != action.work->unit && other.reads_of(target.access.rows());
           });
  };
  while (!actions.empty()) {
    auto chosen = std::ranges::find_if(actions, [&](const Action& action) {
      return std::ranges::none_of(action.targets, [&](const Target& target) { return disturbs(action, target); });
    });
    if (chosen == actions.end()) {
      chosen = actions.begin();
      for (Target& target : chosen->targets) {
        if (disturbs(*chosen, target)) target.landing = Landing::own_line;
      }
    }
    emit(*chosen);
    actions.erase(chosen);
  }
}

void SectionScheduler::emit(const Action& action) {
  if (action.work->stores_to_bm()) {
    emit_store(action);
  } else {
    emit_unit(action);
  }
}

void SectionScheduler::emit_unit(const Action& action) {
  const isa::UnitWork& work = *action.work;
  takes_doubles_ = host_doubles() && (work.unit == Unit::adder || work.unit == Unit::multiplier);
  const Value a = value_of(work.a);
  const Value b = value_of(work.b);
  const bool has_b = work.b.kind != OperandKind::none;
  const auto plain = [&](const Target& target) {
    return target.landing == Landing::direct && whole(action, target) &&
           (target.access.step != 0 || work_->elements == 1) &&
           (target.is_t() || target.write->storage == isa::Storage::gpr || !frame_.lm_form_pinned);
  };
  const bool uniform = a.at.lane_step == 0 && (!has_b || b.at.lane_step == 0) && !action.has_flag && !work.one_pe &&
                       work_->mask.flag == 0 && std::all_of(action.targets.begin(), action.targets.end(), plain);

  MicroOp op;
  op.elements = work_->elements;
  op.line = static_cast<std::uint16_t>(at_);
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
  key.general = uniform || work_->mask.flag != 0 || work.one_pe || action.has_flag;
  for (const Target& target : action.targets) {
    const Destination to = destination_of(action, target, uniform);
    key.general = key.general || to.mask_slot != kNowhere || target.write->predicate.flag != 0 ||
                  (work.width == Width::short_word && to.low != kNowhere) ||
                  (to.element_step == 0 && work_->elements > 1);  // only the last element's result remains
    op.to[op.destinations++] = to;
  }
  if (action.has_flag) op.flag = flag_destination_of(action);
  key.native = host_doubles();
  if (key.op == isa::Op::FSUB && !key.native && flips_signs(key)) {
    key.op = isa::Op::FADD;
    op.flip_b ^= std::uint64_t{1} << 63;
  }
  op.run = find_kernel(kernels_.isa, key);
  if (isa::info_of(computed).unit != Unit::alu) code_.fp_elements += work_->elements;
  code_.ops.push_back(op);
}

void SectionScheduler::turn_elements_into_lanes(MicroOp& op) const {
  op.uniform = true;
  op.elements = 1;
  op.lanes = work_->elements;
  op.lane_mask = (1u << work_->elements) - 1;
  for (Operand* operand : {&op.a, &op.b}) {
    operand->lane_step = operand->element_step;
    operand->element_step = 0;
  }
}

Destination SectionScheduler::destination_of(const Action& action, const Target& target, bool uniform) {
  const Width width = action.work->width;
  const bool is_long = width == Width::long_word;
  const bool all = whole(action, target);
  Destination to;
  to.gate = gate_of(target.write->predicate);
  if (target.landing != Landing::direct) {
    to.element_step = is_long ? 2 * kRowWords : kRowWords;
    to.high = reserve(work_->elements * to.element_step);
    if (is_long) to.low = to.high + kRowWords;
    if (!all) to.mask_slot = reserve(kVectorWords);
    Held held;
    held.access = target.access;
    held.width = width;
    held.whole = all;
    held.t = target.is_t();
    held.commit.elements = work_->elements;
    held.commit.a = {to.high, to.low, to.element_step, 1};
    held.commit.to[0].mask_slot = to.mask_slot;
    if (target.write->indirect) {
      held.kind = Held::Kind::indirect_words;
      held.commit.width = width;
      held.commit.b = {write_rows_, kNowhere, kRowWords, 1};
      held.commit.to[0].mask_slot = write_lanes_;
    }
    hold(held, target.landing);
    return to;
  }
  const unsigned row = target.access.first;
  if (target.is_t() && !all) {
    spread(target.access.rows());
    for (unsigned element = 0; element < work_->elements; ++element) {
      if (is_long && t_short_[element]) {
        MicroOp& clear = push(moves::clear_words);
        clear.to[0].high = row_place(kTRow + 2 * element + 1);
        clear.count = kRowWords;
        t_short_.reset(element);
      }
      if (!is_long && !t_short_[element]) to.low = row_place(row + 1);
    }
  } else if (target.is_t()) {
    for (unsigned element = 0; element < work_->elements; ++element) t_short_.set(element, !is_long);
  } else {
    take_form(target.access, width, all);
  }
  if (uniform) {
    uniform_.add(target.access.rows());
    // T uses the places of long words for short words, too.
    to.high = uniform_place(row, is_long || target.is_t());
    if (is_long) to.low = uniform_place(row + 1, true);
  } else {
    uniform_.remove(target.access.rows());
    to.high = row_place(row);
    if (is_long) to.low = row_place(row + 1);
    to.element_step = target.access.step * kRowWords;
  }
  return to;
}

FlagDestination SectionScheduler::flag_destination_of(const Action& action) {
  FlagDestination to;
  const isa::FlagWrite& flag = action.work->flag;
  to.condition = flag.condition;
  to.gate = gate_of(flag.predicate);
  to.place = flag_place(flag.flag);
  if (action.flag_landing == Landing::direct) return to;
  Held held;
  held.kind = Held::Kind::flag;
  held.flag = flag.flag;
  held.unit = action.work->unit;
  held.access.elements = 0;
  held.commit.elements = work_->elements;
  held.commit.to[0].high = to.place;
  to.place = reserve(kVectorWords);
  to.mask_slot = reserve(kVectorWords);
  held.commit.a.high = to.place;
  held.commit.to[0].mask_slot = to.mask_slot;
  hold(held, action.flag_landing);
  return to;
}

void SectionScheduler::emit_store(const Action& action) {
  const isa::BmPort& port = work_->bm;
  takes_doubles_ = false;
  const Value value = value_of(action.work->a);
  const std::uint32_t slot = reserve(kVectorElements * kStoreSlotWords);
  MicroOp& op = push(moves::capture_store);
  op.record = port.record;
  op.count = port.pe;
  op.a.high = port.address;
  op.a.element_step = port.vector ? isa::short_words(port.width) : 0;
  op.b = value.at;
  op.mask = line_gate();
  op.to[0].high = slot;
  Held held;
  held.kind = Held::Kind::store;
  held.access.elements = 0;
  held.commit.elements = work_->elements;
  held.commit.width = port.width;
  held.commit.a.high = slot;
  hold(held, action.store_landing);
}

// ---- operands ------------------------------------------------------------------------------------------------------

SectionScheduler::Value SectionScheduler::value_of(const isa::UnitOperand& operand) {
  const bool is_short = operand.width == Width::short_word;
  switch (operand.kind) {
    case OperandKind::none:
      break;
    case OperandKind::word:
      return word_of(operand.word);
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

SectionScheduler::Value SectionScheduler::word_of(const isa::Access& read) {
  switch (read.storage) {
    case isa::Storage::gpr:
    case isa::Storage::lm:
      if (read.indirect) return {indirect_read_, read.width == Width::short_word};
      return register_value(pattern_of(read, work_->elements), read.width);
    case isa::Storage::t:
      return t_value(read.width);
    case isa::Storage::bm:
    case isa::Storage::record:
      return {bm_, read.width == Width::short_word};
    case isa::Storage::flag:
      break;  // no operand
  }
  return {};
}

SectionScheduler::Value SectionScheduler::register_value(const RowPattern& access, Width width) {
  const bool is_long = width == Width::long_word;
  const RowRange rows = access.rows();
  if (!uniform(rows)) spread(rows);
  for (unsigned element = 0; element < access.elements; ++element) {
    if (long_pairs_[access.row(element) / 2] != is_long) return {view(access, width), !is_long};
  }
  if (uniform(rows)) {
    const std::uint32_t step = access.step == 0 ? 0 : 1;
    if (!is_long) return {{uniform_place(access.first, false), place::kZero, step, 0}, true};
    return {{uniform_place(access.first, true), uniform_place(access.first + 1, true), step, 0}, false};
  }
  const std::uint32_t high = row_place(access.first);
  return {{high, high + kRowWords, access.step * kRowWords, 1}, !is_long};
}

/// Makes a copy of words in the layout that the reader needs, if at least one of them is in the other layout.
Operand SectionScheduler::view(const RowPattern& access, Width width) {
  spread(whole_pairs(access.rows()));
  const unsigned words = access.step == 0 ? 1 : access.elements;
  const std::uint32_t at = reserve(words * 2 * kRowWords);
  for (unsigned element = 0; element < words; ++element) {
    const unsigned row = access.row(element);
    const unsigned upper = row & ~1u;
    const bool holds_long = long_pairs_[row / 2];
    const std::uint32_t to = at + element * 2 * kRowWords;
    Kernel kernel = moves::copy_words;
    std::uint32_t count = kRowWords;
    if (width == Width::long_word) {
      if (holds_long) count = 2 * kRowWords;
      if (!holds_long) kernel = moves::long_of_shorts;
    } else if (holds_long) {
      kernel = row == upper ? upper_half() : moves::lower_of_long;
    }
    MicroOp& op = push(kernel);
    op.a.high = row_place(kernel == moves::copy_words ? row : upper);
    op.a.low = row_place(upper + 1);
    op.to[0].high = to;
    op.to[0].low = to + kRowWords;
    op.count = count;
  }
  return {at, at + kRowWords, access.step == 0 ? 0 : 2 * kRowWords, 1};
}

SectionScheduler::Value SectionScheduler::t_value(Width width) {
  const unsigned elements = work_->elements;
  const RowPattern access = pattern_of_t(elements);
  unsigned shorts = 0;
  RowSet rows;
  for (unsigned element = 0; element < elements; ++element) {
    shorts += t_short_[element] ? 1 : 0;
    rows.add(access.row(element));
    if (!t_short_[element]) rows.add(access.row(element) + 1);
  }
  const auto uniform_t = [&] { return rows.within(uniform_, frame_.invariant); };
  if (!uniform_t()) spread(rows);
  if (shorts == elements) {  // no low plane, in either width
    if (uniform_t()) return {{uniform_place(kTRow, true), place::kZero, 1, 0}, true};
    return {{row_place(kTRow), place::kZero, 2 * kRowWords, 1}, true};
  }
  if (width == Width::long_word) {
    if (shorts != 0) spread(rows);
    for (unsigned element = 0; element < elements; ++element) {
      if (!t_short_[element]) continue;
      MicroOp& clear = push(moves::clear_words);
      clear.to[0].high = row_place(access.row(element) + 1);
      clear.count = kRowWords;
      if (!host_doubles()) t_short_.reset(element);
      uniform_.remove(access.row(element) + 1);
    }
    if (uniform_t()) return {{uniform_place(kTRow, true), uniform_place(kTRow + 1, true), 1, 0}, false};
    return {{row_place(kTRow), row_place(kTRow + 1), 2 * kRowWords, 1}, false};
  }
  spread(rows);
  const std::uint32_t at = reserve(elements * kRowWords);
  for (unsigned element = 0; element < elements; ++element) {
    MicroOp& op = push(t_short_[element] ? moves::copy_words : upper_half());
    op.a.high = row_place(access.row(element));
    op.to[0].high = at + element * kRowWords;
    op.count = kRowWords;
  }
  return {{at, place::kZero, kRowWords, 1}, true};
}

void SectionScheduler::spread(unsigned row) {
  MicroOp& op = push(moves::spread);
  op.a.high = uniform_place(row, row >= kTRow || long_pairs_[row / 2]);
  op.to[0].high = row_place(row);
}

void SectionScheduler::spread(const RowRange& rows) {
  uniform_.for_each_in(rows, [this](unsigned row) { spread(row); });
  uniform_.remove(rows);
}

void SectionScheduler::spread(const RowSet& rows) {
  (rows & uniform_).for_each([this](unsigned row) { spread(row); });
  uniform_ -= rows;
}

// ---- landing -------------------------------------------------------------------------------------------------------

/// True if the write reaches every element of the line in every PE.
bool SectionScheduler::whole(const Action& action, const Target& target) const {
  return work_->mask.flag == 0 && target.write->predicate.flag == 0 && !action.work->one_pe && !target.write->indirect;
}

/// True if a pair must change its layout before the write or change it back afterwards.
bool SectionScheduler::changes_form(const RowPattern& access, Width width, bool whole) const {
  const RowRange rows = access.rows();
  for (unsigned element = 0; element < access.elements; ++element) {
    const unsigned pair = access.row(element) / 2;
    if (long_pairs_[pair] == (width == Width::long_word)) continue;
    if (pinned(pair) || !whole || !rows.has(2 * pair) || !rows.has(2 * pair + 1)) return true;
  }
  return false;
}

/// Changes the layout of the rows for a write in this width.
void SectionScheduler::take_form(const RowPattern& access, Width width, bool whole) {
  const RowRange rows = access.rows();
  if (!whole) spread(rows);
  for (unsigned element = 0; element < access.elements; ++element) {
    const unsigned pair = access.row(element) / 2;
    const bool covered = whole && rows.has(2 * pair) && rows.has(2 * pair + 1);
    if (covered) {
      long_pairs_.set(pair, width == Width::long_word);
    } else {
      set_form(pair, width == Width::long_word);
    }
  }
}

void SectionScheduler::set_form(unsigned pair, bool is_long) {
  if (long_pairs_[pair] == is_long) return;
  spread(RowRange{2 * pair, 2});
  MicroOp& op = push(is_long ? moves::shorts_to_longs : moves::longs_to_shorts);
  op.a.high = row_place(2 * pair);
  op.count = 1;
  long_pairs_.set(pair, is_long);
}

/// Restores the layouts that all sections have in common.
void SectionScheduler::restore_forms() {
  for (unsigned pair = 0; pair < kTRow / 2; ++pair) set_form(pair, frame_.long_pairs[pair]);
  for (unsigned element = 0; element < kVectorElements; ++element) {
    if (!t_short_[element]) continue;
    MicroOp& clear = push(moves::clear_words);
    clear.to[0].high = row_place(kTRow + 2 * element + 1);
    clear.count = kRowWords;
    uniform_.remove(kTRow + 2 * element + 1);
  }
  t_short_.reset();
}

void SectionScheduler::hold(const Held& held, Landing landing) {
  (landing == Landing::next_line ? next_late_ : own_).push_back(held);
}

void SectionScheduler::commit_all(const std::vector<Held>& held, std::uint32_t moved) {
  for (const Held& one : held) commit(one, moved);
}

/// Completes a held write. The words of its bank are `moved` words further on.
void SectionScheduler::commit(const Held& held, std::uint32_t moved) {
  MicroOp op = held.commit;
  op.a.high += moved;
  if (op.a.low != kNowhere) op.a.low += moved;
  if (op.to[0].mask_slot != kNowhere) op.to[0].mask_slot += moved;
  if (held.kind == Held::Kind::flag) {
    op.run = moves::commit_flag;
  } else if (held.kind == Held::Kind::store) {
    op.run = moves::commit_store;
  } else if (held.kind == Held::Kind::indirect_words) {
    op.run = moves::scatter;
    op.b.high += moved;
    op.count = long_pairs_[kLmRow / 2] ? 1 : 0;
  } else {
    const bool is_long = held.width == Width::long_word;
    if (held.t) {
      spread(held.access.rows());
    } else {
      take_form(held.access, held.width, held.whole);
      uniform_.remove(held.access.rows());
    }
    op.run = moves::commit;
    op.to[0].high = row_place(held.access.first);
    op.to[0].low = is_long ? row_place(held.access.first + 1) : kNowhere;
    op.to[0].element_step = held.access.step * kRowWords;
    if (held.t && !is_long) {  // T has a low plane, which is zero
      op.a.low = place::kZero;
      op.to[0].low = row_place(held.access.first + 1);
    }
    if (held.t) {
      for (unsigned element = 0; element < held.access.elements; ++element) {
        if (!t_short_[element]) continue;
        MicroOp& clear = push(moves::clear_words);
        clear.to[0].high = row_place(kTRow + 2 * element + 1);
        clear.count = kRowWords;
        t_short_.reset(element);
      }
    }
  }
  push(op.run) = op;
  if (held.kind != Held::Kind::words || held.t) return;
  for (unsigned element = 0; element < held.access.elements; ++element) {
    const unsigned pair = held.access.row(element) / 2;
    if (pinned(pair)) set_form(pair, frame_.long_pairs[pair]);
  }
}

// ---- emission ------------------------------------------------------------------------------------------------------

MicroOp& SectionScheduler::push(Kernel kernel) {
  MicroOp op;
  op.run = kernel;
  op.elements = work_ != nullptr ? work_->elements : 1;
  op.line = static_cast<std::uint16_t>(at_);
  code_.ops.push_back(op);
  return code_.ops.back();
}

std::uint32_t SectionScheduler::reserve(std::uint32_t words) {
  const std::uint32_t at = bank_ + used_;
  used_ += (words + kVectorWords - 1) / kVectorWords * kVectorWords;
  GDR_ASSERT(used_ <= kBankWords, "a line's held words fit in their bank");
  return at;
}

Gate SectionScheduler::gate_of(const Predicate& predicate) const {
  return {flag_place(predicate.flag), predicate.flag != 0 && predicate.inverted ? ~std::uint32_t{0} : 0};
}

Gate SectionScheduler::line_gate() const {
  return {flag_place(work_->mask.flag), work_->mask.flag != 0 && work_->mask.inverted ? ~std::uint32_t{0} : 0};
}

}  // namespace gdr::emulator::simd
