#include "naive_interpreter.h"

#include <algorithm>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/line.h"

namespace gdr::bench {
namespace {

using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::ShortWord;
using isa::Slot;
using isa::Source;
using isa::uint128;
using isa::Unit;
using isa::Width;

struct Outcome {
  LongWord value;
  bool negative = false;
  bool zero = false;
  bool carry = false;
};

Outcome outcome_of(const emulator::FpResult& result) { return {result.value, result.negative, result.zero, false}; }

Outcome execute(const Slot& slot, LongWord a, LongWord b) {
  const auto integer = [&](LongWord word) {
    return slot.width == Width::long_word ? word.bits() : uint128{word.upper().bits};
  };
  const auto outcome = [&](const emulator::AluResult& result) -> Outcome {
    const LongWord value = slot.width == Width::long_word
                               ? LongWord::from_bits(result.value)
                               : isa::widen(ShortWord{static_cast<std::uint64_t>(result.value)});
    return {value, result.negative, result.zero, result.carry};
  };
  switch (slot.op) {
    case Op::FADD:
      return outcome_of(emulator::fadd(a, b, slot.width));
    case Op::FSUB:
      return outcome_of(emulator::fsub(a, b, slot.width));
    case Op::FPASSA:
      return outcome_of(emulator::fpassa(a, slot.width));
    case Op::FMAX:
      return outcome_of(emulator::fmax(a, b, slot.width));
    case Op::FMIN:
      return outcome_of(emulator::fmin(a, b, slot.width));
    case Op::FMUL:
      return outcome_of(emulator::fmul(a, b, slot.width));
    case Op::FMULL:
      return outcome_of(emulator::fmul2(a, b, slot.width));
    case Op::UADD:
      return outcome(emulator::uadd(integer(a), integer(b), slot.width));
    case Op::USUB:
      return outcome(emulator::usub(integer(a), integer(b), slot.width));
    case Op::UAND:
      return outcome(emulator::uand(integer(a), integer(b), slot.width));
    case Op::UOR:
      return outcome(emulator::uor(integer(a), integer(b), slot.width));
    case Op::UXOR:
      return outcome(emulator::uxor(integer(a), integer(b), slot.width));
    case Op::UNOT:
      return outcome(emulator::unot(integer(a), slot.width));
    case Op::ULSL:
      return outcome(emulator::ulsl(integer(a), integer(b), slot.width));
    case Op::ULSR:
      return outcome(emulator::ulsr(integer(a), integer(b), slot.width));
    case Op::UASR:
      return outcome(emulator::uasr(integer(a), integer(b), slot.width));
    case Op::UPASSA:
      return outcome(emulator::upassa(integer(a), slot.width));
    case Op::UMAX:
      return outcome(emulator::umax(integer(a), integer(b), slot.width));
    case Op::UMIN:
      return outcome(emulator::umin(integer(a), integer(b), slot.width));
    case Op::ULZC:
      return outcome(emulator::ulzc(integer(a), slot.width));
    default:
      return {};
  }
}

unsigned stride_of(Width width) { return width == Width::long_word ? 2 : 1; }

LongWord load(const ShortWord* at, Width width) {
  return width == Width::long_word ? isa::join(at[0], at[1]) : isa::widen(at[0]);
}
void store(ShortWord* at, Width width, LongWord value) {
  at[0] = value.upper();
  if (width == Width::long_word) at[1] = value.lower();
}

bool flag(std::uint8_t flags, unsigned number) { return ((flags >> (number - 1)) & 1) != 0; }

bool works(const Slot& slot) { return slot.op != Op::NOP && slot.op != Op::FMULH; }

}  // namespace

NaiveInterpreter::NaiveInterpreter(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& line : program.sections[section]) {
      const isa::DecodeResult decoded = isa::decode(line.word);
      if (!decoded.line) throw Error("NaiveInterpreter: " + decoded.error);
      if (decoded.line->bm.mode == isa::BmMode::write || decoded.line->lm_read.indirect ||
          decoded.line->lm_write.indirect) {
        throw Error("NaiveInterpreter: a line stores to BM or addresses indirectly: " + isa::print(*decoded.line));
      }
      code_[section].push_back(*decoded.line);
    }
  }
}

void NaiveInterpreter::write_pe(unsigned pe, const emulator::PeWords& where, std::span<const LongWord> words) {
  ShortWord* at = where.memory == isa::Memory::gpr ? pes_.at(pe).gpr.data() : pes_.at(pe).lm.data();
  at += where.address;
  for (const LongWord word : words) {
    store(at, where.width, word);
    at += stride_of(where.width);
  }
}

void NaiveInterpreter::write_bm(unsigned address, std::span<const LongWord> words) {
  for (const LongWord word : words) store(&bm_.at(2 * address++), Width::long_word, word);
}

std::vector<LongWord> NaiveInterpreter::read_pe(unsigned pe, const emulator::PeWords& where) const {
  const ShortWord* at = where.memory == isa::Memory::gpr ? pes_.at(pe).gpr.data() : pes_.at(pe).lm.data();
  at += where.address;
  std::vector<LongWord> words;
  for (unsigned n = 0; n < where.count; ++n, at += stride_of(where.width)) words.push_back(load(at, where.width));
  return words;
}

void NaiveInterpreter::run(const emulator::RecordStream& stream) {
  section(Section::loop_initialization);
  for (std::uint64_t iteration = 0; iteration < stream.iterations(); ++iteration) {
    record_base_ = iteration % 2 == 0 ? 0 : 2 * stream.record_words;
    const LongWord* record = stream.words.data() + iteration * emulator::kBlocks * stream.record_words;
    for (unsigned n = 0; n < stream.record_words; ++n) {
      store(&bm_[record_base_ + 2 * n], Width::long_word, record[n]);
    }
    section(Section::loop_body);
  }
  section(Section::loop_termination);
}

std::uint64_t NaiveInterpreter::pe_operations_per_iteration() const {
  std::uint64_t operations = 0;
  for (const Line& line : code_[static_cast<std::size_t>(Section::loop_body)]) {
    for (const Slot* slot : {&line.adder, &line.multiplier, &line.alu}) operations += works(*slot) ? line.vlen : 0;
  }
  return operations * emulator::kPesPerBlock;
}

void NaiveInterpreter::section(Section section) {
  for (const Line& each : code_[static_cast<std::size_t>(section)]) line(each);
}

void NaiveInterpreter::line(const Line& line) {
  for (Pe& pe : pes_) {
    for (unsigned element = 0; element < line.vlen; ++element) {
      if (line.mask.flag != 0 && flag(pe.flags[element], line.mask.flag) == line.mask.inverted) continue;
      // All units read before one writes.
      std::array<Outcome, 4> outcomes;
      constexpr Unit kUnits[] = {Unit::adder, Unit::multiplier, Unit::alu};
      for (const Unit unit : kUnits) {
        const Slot& slot = isa::slot_of(line, unit);
        if (!works(slot)) continue;
        LongWord a = operand(line, slot.a, pe, element, slot.width);
        LongWord b = operand(line, slot.b, pe, element, slot.width);
        if (slot.negate_a) a = emulator::negate(a);
        if (slot.negate_b) b = emulator::negate(b);
        outcomes[static_cast<std::size_t>(unit) - 1] = execute(slot, a, b);
      }
      if (line.bm.mode == isa::BmMode::read) {
        outcomes[3].value = operand(line, Source::bm, pe, element, line.bm.width);
      }
      const std::uint8_t flags = pe.flags[element];
      for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu, Unit::bm}) {
        write(line, unit, outcomes[static_cast<std::size_t>(unit) - 1].value, pe, element, flags);
      }
      for (const Unit unit : kUnits) {
        const Slot& slot = isa::slot_of(line, unit);
        if (slot.flag.flag == 0) continue;
        const Outcome& outcome = outcomes[static_cast<std::size_t>(unit) - 1];
        const bool value = slot.flag.condition == isa::Condition::negative ? outcome.negative
                           : slot.flag.condition == isa::Condition::zero   ? outcome.zero
                                                                           : outcome.carry;
        const auto bit = static_cast<std::uint8_t>(1u << (slot.flag.flag - 1));
        pe.flags[element] = static_cast<std::uint8_t>(value ? pe.flags[element] | bit : pe.flags[element] & ~bit);
      }
    }
  }
}

LongWord NaiveInterpreter::operand(const Line& line, Source source, Pe& pe, unsigned element, Width width) const {
  const auto port = [&](const ShortWord* memory, const isa::ReadPort& p) {
    return load(memory + p.address + (p.vector ? element * stride_of(p.width) : 0), p.width);
  };
  switch (source) {
    case Source::gpr_a:
      return port(pe.gpr.data(), line.gpr_a);
    case Source::gpr_b:
      return port(pe.gpr.data(), line.gpr_b);
    case Source::lm:
      return port(pe.lm.data(), line.lm_read);
    case Source::bm:
      return load(bm_.data() + line.bm.address + (line.bm.record ? record_base_ : 0) +
                      (line.bm.vector ? element * stride_of(line.bm.width) : 0),
                  line.bm.width);
    case Source::t_short:
      return isa::widen(pe.t[element].upper());
    case Source::t_long:
      return pe.t[element];
    case Source::immediate:
      return line.immediate.value;
    case Source::pe_id: {
      const auto id = static_cast<std::uint64_t>(&pe - pes_.data());
      return width == Width::long_word ? LongWord::from_bits(id) : isa::widen(ShortWord{id});
    }
    default:
      return {};
  }
}

void NaiveInterpreter::write(const Line& line, Unit unit, LongWord value, Pe& pe, unsigned element,
                             std::uint8_t flags) const {
  const auto holds = [&](const isa::WritePort& port) {
    const isa::Predicate& predicate = port.predicate;
    return port.source == unit && (jvalid_ || !predicate.jvalid) &&
           (predicate.flag == 0 || flag(flags, predicate.flag) != predicate.inverted);
  };
  const Width width = isa::result_width(line, unit);
  const auto place = [&](ShortWord* memory, const isa::WritePort& port) {
    store(memory + port.address + (port.vector ? element * stride_of(width) : 0), width, value);
  };
  if (holds(line.t_write)) pe.t[element] = value;
  if (holds(line.gpr_write)) place(pe.gpr.data(), line.gpr_write);
  if (holds(line.lm_write)) place(pe.lm.data(), line.lm_write);
}

}  // namespace gdr::bench
