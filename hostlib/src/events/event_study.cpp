#include "event_study.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gdr/emulator/arithmetic.h"

namespace gdr::hostlib {

using isa::Access;
using isa::LongWord;
using isa::Op;
using isa::Storage;
using isa::uint128;
using isa::UnitOperand;
using isa::Width;

namespace {

constexpr uint128 kTopBit = uint128{1} << (2 * isa::kShortBits - 1);
constexpr uint128 kAllBits = (kTopBit << 1) - 1;
constexpr uint128 kUpperHalf = kAllBits & ~((uint128{1} << isa::kShortBits) - 1);

std::size_t unit_index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

/// Each bit of the result depends on the bits of the operands at its own place alone. Of what is not named here every
/// bit depends on all of them.
bool is_bitwise(const isa::UnitWork& unit) {
  constexpr std::array<Op, 5> kBitwise{Op::UAND, Op::UOR, Op::UXOR, Op::UNOT, Op::UPASSA};
  return unit.unit == isa::Unit::bm || std::ranges::find(kBitwise, unit.op) != kBitwise.end();
}

/// What a unit makes of its operands, which are read only if it matters.
class Outcome {
 public:
  using Operand = std::function<std::optional<LongWord>(const UnitOperand&)>;
  Outcome(const isa::UnitWork& unit, Operand operand) : unit_(unit), operand_(std::move(operand)) {}

  /// Bits of the result that depend on events if these bits of the operands do.
  [[nodiscard]] uint128 depending(uint128 a, uint128 b) const {
    if ((a | b) == 0) return 0;
    if (!is_bitwise(unit_)) return kAllBits;
    const std::optional<LongWord> one = operand_(unit_.a);
    const std::optional<LongWord> other = operand_(unit_.b);
    if (!one || !other) return a | b;
    // Bits at one place have these four values at most.
    const auto with = [&](bool set_a, bool set_b) {
      const auto changed = [](const LongWord& word, uint128 bits, bool set) {
        return LongWord::from_bits(set ? word.bits() | bits : word.bits() & ~bits);
      };
      return result(changed(*one, a, set_a), changed(*other, b, set_b)).value.bits();
    };
    const uint128 first = with(false, false);
    return (first ^ with(false, true)) | (first ^ with(true, false)) | (first ^ with(true, true));
  }

  /// True if the flag that the unit sets depends on an event, by the bits of the result that do.
  [[nodiscard]] bool flag_depends(uint128 bits) const {
    if (bits == 0) return false;
    switch (unit_.flag.condition) {
      case isa::Condition::negative:
        return (bits & kTopBit) != 0;
      case isa::Condition::zero: {
        const std::optional<emulator::WordResult> found = known();
        return !found || (found->value.bits() & ~bits) == 0;
      }
      case isa::Condition::carry:
        break;
    }
    return true;
  }

  [[nodiscard]] std::optional<LongWord> word() const {
    const std::optional<emulator::WordResult> found = known();
    return found ? std::optional(found->value) : std::nullopt;
  }

  [[nodiscard]] std::optional<LongWord> flag() const {
    const std::optional<emulator::WordResult> found = known();
    if (!found) return std::nullopt;
    const isa::Condition condition = unit_.flag.condition;
    const bool set = condition == isa::Condition::negative ? found->negative
                     : condition == isa::Condition::zero   ? found->zero
                                                           : found->carry;
    return LongWord::from_bits(set ? kTopBit : 0);
  }

 private:
  [[nodiscard]] emulator::WordResult result(const LongWord& a, const LongWord& b) const {
    return unit_.unit == isa::Unit::bm ? emulator::WordResult{.value = a}
                                       : emulator::compute(unit_.op, a, b, unit_.width);
  }

  /// Not of the multiplier, whose products of long words take two lines.
  [[nodiscard]] std::optional<emulator::WordResult> known() const {
    if (unit_.unit == isa::Unit::multiplier || !unit_.computes) return std::nullopt;
    const std::optional<LongWord> a = operand_(unit_.a);
    const std::optional<LongWord> b = operand_(unit_.b);
    return a && b ? std::optional(result(*a, *b)) : std::nullopt;
  }

  const isa::UnitWork& unit_;
  Operand operand_;
};

}  // namespace

EventStudy::EventStudy(const KernelWords& words, unsigned pes, IsCollected is_collected)
    : words_(words), is_collected_(std::move(is_collected)), pes_(pes), done_(pes), writes_(pes) {}

void EventStudy::begin_iteration(const emulator::NextLine& line) {
  if (line.section == section_ && line.iteration == iteration_ && line.line != 0) return;
  section_ = line.section;
  iteration_ = line.iteration;
  for (Pe& pe : pes_) pe.own.fill(0);
}

EventStudy::Group EventStudy::joined(Group a, Group b) {
  if (a == 0 || a == b) return b;
  if (b == 0) return a;
  take(std::min(a, b));
  return std::max(a, b);
}

void EventStudy::take(Group group) {
  if (group != 0) groups_[group].taken = true;
}

EventStudy::Dependence EventStudy::joined(const Dependence& a, const Dependence& b) {
  return {joined(a.group, b.group), a.bits | b.bits};
}

EventStudy::Dependence EventStudy::read(const Pe& pe, const Access& access, unsigned element) {
  const auto in_width = [&](Dependence word) {
    if (access.width == Width::short_word) word.bits &= kUpperHalf;
    if (word.bits == 0) word.group = 0;
    return word;
  };
  switch (access.storage) {
    case Storage::t:
      return in_width(pe.t[element]);
    case Storage::flag:
      return pe.flags[access.address][element];
    case Storage::gpr:
    case Storage::lm:
      break;
    case Storage::bm:
    case Storage::record:
      return {};  // what depends on an event there counts as taken
  }
  const std::span<const Dependence> words =
      access.storage == Storage::gpr ? std::span<const Dependence>(pe.gpr) : std::span<const Dependence>(pe.lm);
  const isa::WordRange range = isa::words_of(access, element);
  const unsigned last = std::min<unsigned>(range.last, static_cast<unsigned>(words.size()));
  Dependence found = access.indirect ? pe.t[element] : Dependence{};
  for (unsigned n = range.first; n < last; ++n) {
    Dependence word = words[n];
    if (n > range.first) word.bits >>= isa::kShortBits;
    found = joined(found, word);
  }
  if (access.indirect && found.group != 0) found.bits = kAllBits;
  return in_width(found);
}

/// Words of a PE as the line that comes next reads them.
class EventStudy::Reader {
 public:
  Reader(const emulator::BlockStepper& block, unsigned pe) : block_(block), pe_(pe) {}

  [[nodiscard]] bool flag(unsigned number, unsigned element) {
    return (registers().flags[element] >> (number - 1) & 1U) != 0;
  }

  /// Nothing if the word is not one of the PE's at a constant address.
  [[nodiscard]] std::optional<LongWord> word(const Access& access, unsigned element) {
    if (access.indirect) return std::nullopt;
    switch (access.storage) {
      case Storage::t: {
        const LongWord word = registers().t[element];
        return access.width == Width::short_word ? isa::widen(word.upper()) : word;
      }
      case Storage::flag:
        return LongWord::from_bits(flag(access.address, element) ? kTopBit : 0);
      case Storage::gpr:
      case Storage::lm: {
        const isa::Memory memory = access.storage == Storage::gpr ? isa::Memory::gpr : isa::Memory::lm;
        const auto address = static_cast<std::uint16_t>(isa::words_of(access, element).first);
        return block_.read_pe(pe_, {memory, address, access.width, 1}).front();
      }
      case Storage::bm:
      case Storage::record:
        break;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<LongWord> operand(const UnitOperand& operand, unsigned element) {
    switch (operand.kind) {
      case UnitOperand::Kind::none:
        return LongWord{};
      case UnitOperand::Kind::word: {
        const std::optional<LongWord> found = word(operand.word, element);
        return found && operand.negated ? emulator::negate(*found) : found;
      }
      case UnitOperand::Kind::constant:
        return operand.negated ? emulator::negate(operand.constant) : operand.constant;
      case UnitOperand::Kind::pe_id:
      case UnitOperand::Kind::block_id:
        break;
    }
    return std::nullopt;
  }

 private:
  const emulator::PeRegisters& registers() {
    if (!registers_) registers_ = block_.registers(pe_);
    return *registers_;
  }

  const emulator::BlockStepper& block_;
  unsigned pe_;
  std::optional<emulator::PeRegisters> registers_;
};

std::vector<EventStudy::Write> EventStudy::writes_of(unsigned number, const emulator::NextLine& line,
                                                     const emulator::BlockStepper& block) {
  const Pe& pe = pes_[number];
  const isa::LineWork& work = words_.line(line.section, line.line).work;
  Reader reader(block, number);
  std::vector<Write> writes;  // all operands are read before a result is written
  for (unsigned element = 0; element < work.elements; ++element) {
    // Nothing: a condition that depends on no event forbids the write.
    const auto gate_of = [&](const isa::Predicate& predicate) -> std::optional<Group> {
      const std::array<isa::Mask, 2> parts{work.mask, isa::Mask{predicate.flag, predicate.inverted}};
      const auto group_of = [&](const isa::Mask& part) {
        return part.flag == 0 ? 0 : pe.flags[part.flag][element].group;
      };
      if (std::ranges::all_of(parts, [&](const isa::Mask& part) { return group_of(part) == 0; })) return 0;
      if (predicate.jvalid && !line.jvalid) return std::nullopt;
      for (const isa::Mask& part : parts) {
        const bool known = part.flag != 0 && group_of(part) == 0;
        if (known && reader.flag(part.flag, element) == part.inverted) return std::nullopt;
      }
      Group gate = 0;
      for (const isa::Mask& part : parts) gate = joined(gate, group_of(part));
      return gate;
    };
    for (const isa::UnitWork& unit : work.units()) {
      const auto dependence_of = [&](const UnitOperand& operand) {
        const bool reads = operand.kind == UnitOperand::Kind::word && !operand.word.defines;
        return reads ? read(pe, operand.word, element) : Dependence{};
      };
      const Dependence a = dependence_of(unit.a);
      const Dependence b = dependence_of(unit.b);
      const Outcome outcome(unit, [&](const UnitOperand& operand) { return reader.operand(operand, element); });
      const isa::uint128 bits = outcome.depending(a.bits, b.bits);
      const Dependence value = bits == 0 ? Dependence{} : Dependence{joined(a.group, b.group), bits};
      const auto add = [&](const Access& to, const isa::Predicate& predicate, const Dependence& written,
                           std::optional<LongWord> (Outcome::*result)() const) {
        const std::optional<Group> gate = gate_of(predicate);
        if (!gate) return;
        Write write{to, element, unit.unit, written, *gate, 0, {}};
        if (*gate != 0 && !to.indirect) {
          write.before = read(pe, to, element);
          const std::optional<LongWord> before = reader.word(to, element);
          const std::optional<LongWord> after = (outcome.*result)();
          write.differ = before && after ? before->bits() ^ after->bits() : kAllBits;
        }
        writes.push_back(write);
      };
      for (const Access& to : unit.destinations()) add(to, to.predicate, value, &Outcome::word);
      if (unit.flag.flag == 0) continue;
      Access flag;
      flag.storage = Storage::flag;
      flag.address = unit.flag.flag;
      flag.write = true;
      add(flag, unit.flag.predicate, outcome.flag_depends(bits) ? Dependence{value.group, kTopBit} : Dependence{},
          &Outcome::flag);
    }
  }
  return writes;
}

void EventStudy::store(Pe& pe, const Access& access, unsigned element, const Dependence& word) {
  pe.depends = pe.depends || word.group != 0;
  const auto half = [&](isa::uint128 bits) { return bits == 0 ? Dependence{} : Dependence{word.group, bits}; };
  switch (access.storage) {
    case Storage::t:
      pe.t[element] = word;
      return;
    case Storage::flag:
      pe.flags[access.address][element] = word;
      return;
    case Storage::gpr:
    case Storage::lm:
      break;
    case Storage::bm:
    case Storage::record:
      return;
  }
  const std::span<Dependence> words =
      access.storage == Storage::gpr ? std::span<Dependence>(pe.gpr) : std::span<Dependence>(pe.lm);
  const unsigned first = isa::words_of(access, element).first;
  if (first < words.size()) words[first] = half(word.bits & kUpperHalf);
  if (access.width == Width::long_word && first + 1 < words.size()) {
    words[first + 1] = half((word.bits & ~kUpperHalf) << isa::kShortBits);
  }
}

void EventStudy::apply(const Write& write, unsigned number, const Done& done) {
  const Access& to = write.to;
  Dependence value = write.value;
  if (done.events[unit_index(write.unit)]) value = {joined(value.group, pes_[number].own[write.element]), kAllBits};
  const bool to_memory = to.storage == Storage::bm || to.storage == Storage::record;
  if (to_memory || to.indirect) {
    const bool written = to_memory ? done.bm : done.lm;
    const Group address = to.indirect ? pes_[number].t[write.element].group : 0;
    if (written) take(joined(value.group, address));
    return take(write.gate);
  }
  const bool written = to.storage == Storage::t      ? done.t
                       : to.storage == Storage::flag ? done.flags[to.address]
                       : to.storage == Storage::gpr  ? done.gpr
                                                     : done.lm;
  if (write.gate == 0 && !written) return;
  if (write.gate != 0) {
    value = joined(value, write.before);
    value.bits |= write.differ;
    value = value.bits == 0 ? Dependence{} : Dependence{joined(value.group, write.gate), value.bits};
  }
  const bool is_result =
      (to.storage == Storage::gpr || to.storage == Storage::lm) && words_.results().meets(to, write.element);
  if (is_result) {
    if (is_collected_(number, write.element)) take(value.group);
    value = {};
  }
  store(pes_[number], to, write.element, value);
}

void EventStudy::look_at(const emulator::NextLine& line, const emulator::BlockStepper& block) {
  begin_iteration(line);
  for (unsigned pe = 0; pe < pes_.size(); ++pe) {
    writes_[pe].clear();
    if (pes_[pe].depends) writes_[pe] = writes_of(pe, line, block);
  }
}

bool EventStudy::follow(const emulator::NextLine& line, const emulator::BlockStepper& block) {
  const std::vector<emulator::PlacedEvent> line_events = block.events();
  for (const emulator::PlacedEvent& event : line_events) {
    Pe& pe = pes_[event.place.pe];
    // Words that depend on nothing are not asked for, so that the line may already be executed.
    if (!std::exchange(pe.depends, true)) writes_[event.place.pe] = writes_of(event.place.pe, line, block);
    Group& own = pe.own[event.place.element];
    if (own == 0) {
      own = static_cast<Group>(groups_.size());
      groups_.emplace_back();
    }
    Events& events = groups_[own];
    events.counts += event.event;
    if (events.first.size() < emulator::kKeptEvents) events.first.push_back(event);
    done_[event.place.pe][event.place.element].events[unit_index(event.unit)] = true;
  }
  if (std::ranges::none_of(pes_, &Pe::depends)) return false;
  for (const emulator::WordWrite& write : block.written()) {
    Done& of_element = done_[write.pe][write.element];
    switch (write.storage) {
      case Storage::t:
        of_element.t = true;
        break;
      case Storage::flag:
        of_element.flags[write.address] = true;
        break;
      case Storage::gpr:
        of_element.gpr = true;
        break;
      case Storage::lm:
        of_element.lm = true;
        break;
      case Storage::bm:
      case Storage::record:
        of_element.bm = true;
        break;
    }
  }
  for (unsigned pe = 0; pe < pes_.size(); ++pe) {
    for (const Write& write : writes_[pe]) apply(write, pe, done_[pe][write.element]);
    done_[pe] = {};
  }
  return !line_events.empty();
}

bool EventStudy::forget_all_but(const PeWordSet& live) {
  bool nothing = true;
  const auto forget = [](auto& words, const auto& kept) {
    bool any = false;
    for (std::size_t n = 0; n < words.size(); ++n) {
      if (!kept[n]) words[n] = {};
      any = any || words[n].group != 0;
    }
    return any;
  };
  for (Pe& pe : pes_) {
    if (!pe.depends) continue;
    pe.depends = forget(pe.t, live.t);
    for (std::size_t flag = 0; flag < pe.flags.size(); ++flag) {
      if (forget(pe.flags[flag], live.flags[flag])) pe.depends = true;
    }
    if (forget(pe.gpr, live.gpr)) pe.depends = true;
    if (forget(pe.lm, live.lm)) pe.depends = true;
    nothing = nothing && !pe.depends;
  }
  return nothing;
}

void EventStudy::take_the_rest() {
  for (const Pe& pe : pes_) {
    if (!pe.depends) continue;
    const auto take_all = [&](const auto& words) {
      for (const Dependence& word : words) take(word.group);
    };
    take_all(pe.t);
    std::ranges::for_each(pe.flags, take_all);
    take_all(pe.gpr);
    take_all(pe.lm);
  }
}

emulator::FpEvents EventStudy::untaken() const {
  emulator::FpEvents all;
  for (const Events& group : groups_) {
    if (!group.taken) all += group.counts;
  }
  return all;
}

emulator::FpEvents EventStudy::all() const {
  emulator::FpEvents all;
  for (const Events& group : groups_) all += group.counts;
  return all;
}

void EventStudy::add_taken(emulator::FirstEvents& first) const {
  for (const Events& group : groups_) {
    if (!group.taken) continue;
    for (const emulator::PlacedEvent& event : group.first) first.add(event);
  }
}

}  // namespace gdr::hostlib
