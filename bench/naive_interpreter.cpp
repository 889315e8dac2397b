#include "naive_interpreter.h"

#include <bit>

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

// ---- arithmetic on 72-bit words, short ones in the upper half
// --------------------------------------------------------

constexpr int kSign = 71;
constexpr int kFraction = 60;
constexpr unsigned kInfinity = 2047;
constexpr std::uint64_t kHidden = std::uint64_t{1} << kFraction;

struct Number {
  bool negative;
  int exponent;
  std::uint64_t significand;
};

inline Number unpack(uint128 word) {
  const auto exponent = static_cast<unsigned>(word >> kFraction) & kInfinity;
  const bool negative = (word >> kSign) != 0;
  if (exponent == 0) return {false, 0, 0};
  if (exponent == kInfinity) return {negative, kInfinity, kHidden};
  return {negative, static_cast<int>(exponent), (static_cast<std::uint64_t>(word) & (kHidden - 1)) | kHidden};
}

inline uint128 pack(bool negative, int exponent, std::uint64_t significand) {
  return (uint128{negative} << kSign) | (static_cast<uint128>(exponent) << kFraction) | (significand & (kHidden - 1));
}

/// `exponent` is that of bit 127; the value is not 0.
inline uint128 rounded(bool negative, int exponent, uint128 value, Width width) {
  const auto upper = static_cast<std::uint64_t>(value >> 64);
  const int zeros = upper != 0 ? std::countl_zero(upper) : 64 + std::countl_zero(static_cast<std::uint64_t>(value));
  value <<= zeros;
  exponent -= zeros;
  const int precision = width == Width::long_word ? 61 : 25;
  const auto top = static_cast<std::uint64_t>(value >> 64);
  const std::uint64_t rest = (top << precision) | (static_cast<std::uint64_t>(value) != 0 ? 1 : 0);
  std::uint64_t kept = top >> (64 - precision);
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  kept += static_cast<std::uint64_t>((rest | (kept & 1)) > kHalf);
  if (kept >> precision != 0) {
    kept >>= 1;
    ++exponent;
  }
  if (exponent < 1) return 0;
  if (exponent >= static_cast<int>(kInfinity)) return pack(negative, kInfinity, 0);
  return pack(negative, exponent, kept << (61 - precision));
}

inline uint128 add(uint128 first, uint128 second, Width width) {
  constexpr uint128 kMagnitude = (uint128{1} << kSign) - 1;
  const bool swapped = (first & kMagnitude) < (second & kMagnitude);
  const Number a = unpack(swapped ? second : first);
  const Number b = unpack(swapped ? first : second);
  if (a.exponent == static_cast<int>(kInfinity)) {
    const bool opposite = b.exponent == a.exponent && a.negative != b.negative;
    return pack(a.negative && !opposite, kInfinity, 0);
  }
  const int gap = a.exponent - b.exponent;
  const uint128 large = uint128{a.significand} << 64;
  uint128 small = uint128{b.significand} << 64;
  if (gap > 124) {
    small = small != 0;
  } else {
    const uint128 shifted = small >> gap;
    small = shifted | ((shifted << gap) != small);
  }
  const uint128 sum = a.negative == b.negative ? large + small : large - small;
  if (sum == 0) return 0;
  return rounded(a.negative, a.exponent + 127 - (kFraction + 64), sum, width);
}

inline uint128 multiply(uint128 first, uint128 second, int second_bits, Width width) {
  constexpr int kPort = 50;
  const Number a = unpack(first);
  const Number b = unpack(second);
  const bool negative = a.negative != b.negative;
  if (a.exponent == static_cast<int>(kInfinity) || b.exponent == static_cast<int>(kInfinity)) {
    const bool invalid = a.significand == 0 || b.significand == 0;
    return pack(negative && !invalid, kInfinity, 0);
  }
  if (a.significand == 0 || b.significand == 0) return 0;
  const uint128 product = uint128{a.significand >> (61 - kPort)} * (b.significand >> (61 - second_bits));
  return rounded(negative, a.exponent + b.exponent - 1023 + 127 - (kPort + second_bits - 2), product, width);
}

inline uint128 select(uint128 a, uint128 b, bool larger, Width width) {
  const Number x = unpack(a);
  const Number y = unpack(b);
  const auto magnitude_less = [](const Number& m, const Number& n) {
    return m.exponent != n.exponent ? m.exponent < n.exponent : m.significand < n.significand;
  };
  const auto less = [&](const Number& m, const Number& n) {
    return m.negative != n.negative ? m.negative : m.negative ? magnitude_less(n, m) : magnitude_less(m, n);
  };
  return add((larger ? less(x, y) : less(y, x)) ? b : a, 0, width);
}

struct Outcome {
  uint128 value;
  bool carry;
};

/// Integers stand right-aligned.
inline Outcome integer(uint128 value, Width width, bool carry = false) {
  const int bits = isa::bits_of(width);
  return {(value & ((uint128{1} << bits) - 1)) << (isa::kLongBits - bits), carry};
}
inline uint128 right_aligned(uint128 word, Width width) { return word >> (isa::kLongBits - isa::bits_of(width)); }

inline Outcome shifted(Op op, uint128 value, uint128 count, Width width) {
  const auto bits = static_cast<unsigned>(isa::bits_of(width));
  const bool all_out = count >= bits;
  const int by = all_out ? 0 : static_cast<int>(count);
  if (op == Op::ULSL) return integer(all_out ? 0 : value << by, width);
  if (op == Op::ULSR) return integer(all_out ? 0 : value >> by, width);
  const uint128 ones = (uint128{1} << bits) - 1;
  const uint128 fill = value >> (bits - 1) != 0 ? ones : 0;
  return integer(all_out ? fill : (value >> by) | (fill & ~(ones >> by)), width);
}

inline bool signed_less(uint128 a, uint128 b) {
  constexpr uint128 kTop = uint128{1} << kSign;  // of short words, too
  return (a ^ kTop) < (b ^ kTop);
}

inline Outcome leading_zeros(uint128 value, Width width) {
  unsigned zeros = static_cast<unsigned>(isa::bits_of(width));
  for (; value != 0; value >>= 1) --zeros;
  return integer(zeros, width);
}

inline Outcome execute(Op op, uint128 a, uint128 b, Width width) {
  constexpr int kPort = 50;
  constexpr int kShortSignificand = 25;
  const auto m = [&] { return right_aligned(a, width); };
  const auto n = [&] { return right_aligned(b, width); };
  switch (op) {
    case Op::FADD:
      return {add(a, b, width), false};
    case Op::FSUB:
      return {add(a, b ^ (uint128{1} << kSign), width), false};
    case Op::FPASSA:
      return {add(a, 0, width), false};
    case Op::FMAX:
      return {select(a, b, true, width), false};
    case Op::FMIN:
      return {select(a, b, false, width), false};
    case Op::FMUL:
      return {multiply(a, b, kShortSignificand, width), false};
    case Op::FMULL:
      return {multiply(a, b, kPort, width), false};
    case Op::UADD:
      return integer(m() + n(), width, ((m() + n()) >> isa::bits_of(width)) != 0);
    case Op::USUB:
      return integer(m() - n(), width, a < b);
    case Op::UAND:
      return {a & b, false};
    case Op::UOR:
      return {a | b, false};
    case Op::UXOR:
      return {a ^ b, false};
    case Op::UNOT:
      return integer(~m(), width);
    case Op::ULSL:
    case Op::ULSR:
    case Op::UASR:
      return shifted(op, m(), n(), width);
    case Op::UPASSA:
      return {a, false};
    case Op::UMAX:
      return {signed_less(a, b) ? b : a, false};
    case Op::UMIN:
      return {signed_less(b, a) ? b : a, false};
    case Op::ULZC:
      return leading_zeros(m(), width);
    default:
      return {0, false};
  }
}

// ---- words
// -----------------------------------------------------------------------------------------------------------

constexpr unsigned stride_of(Width width) { return width == Width::long_word ? 2 : 1; }

inline uint128 load(const std::uint64_t* at, Width width) {
  const uint128 upper = uint128{at[0]} << isa::kShortBits;
  return width == Width::long_word ? upper | at[1] : upper;
}
inline void store(std::uint64_t* at, Width width, uint128 value) {
  at[0] = static_cast<std::uint64_t>(value >> isa::kShortBits);
  if (width == Width::long_word) at[1] = static_cast<std::uint64_t>(value) & isa::kShortMask;
}

bool is_set(std::uint8_t flags, unsigned number) { return ((flags >> (number - 1)) & 1) != 0; }

bool works(const Slot& slot) { return slot.op != Op::NOP && slot.op != Op::FMULH; }

}  // namespace

NaiveInterpreter::NaiveInterpreter(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& line : program.sections[section]) {
      const isa::DecodeResult decoded = isa::decode(line.word);
      if (!decoded.line) throw Error("NaiveInterpreter: " + decoded.error);
      code_[section].push_back(step_of(*decoded.line));
      if (static_cast<Section>(section) != Section::loop_body) continue;
      for (const Slot* slot : {&decoded.line->adder, &decoded.line->multiplier, &decoded.line->alu}) {
        operations_ += works(*slot) ? decoded.line->vlen : 0;
      }
    }
  }
}

NaiveInterpreter::Place NaiveInterpreter::place_of(const Line& line, Source source) {
  const auto port = [](unsigned first, const isa::ReadPort& p) -> Place {
    const unsigned step = p.vector ? stride_of(p.width) : 0;
    return {Base::pe, p.width, static_cast<std::uint16_t>(first + p.address), static_cast<std::uint16_t>(step)};
  };
  switch (source) {
    case Source::gpr_a:
      return port(0, line.gpr_a);
    case Source::gpr_b:
      return port(0, line.gpr_b);
    case Source::lm:
      return port(kLm, line.lm_read);
    case Source::bm: {
      Place place = port(0, {line.bm.address, line.bm.width, line.bm.vector});
      place.base = line.bm.record ? Base::record : Base::bm;
      return place;
    }
    case Source::t_short:
      return {Base::pe, Width::short_word, kT, 2};
    case Source::t_long:
      return {Base::pe, Width::long_word, kT, 2};
    case Source::immediate:
      return {Base::immediate, line.immediate.width, 0, 0};
    case Source::none:
      return {Base::immediate, Width::short_word, 0, 0};
    default:
      throw Error("NaiveInterpreter: an operand is an identifier: " + isa::print(line));
  }
}

NaiveInterpreter::Step NaiveInterpreter::step_of(const Line& line) {
  if (line.bm.mode == isa::BmMode::write || line.bm.one_pe || line.lm_read.indirect || line.lm_write.indirect) {
    throw Error("NaiveInterpreter: a line stores to BM, loads into one PE or addresses indirectly: " +
                isa::print(line));
  }
  Step step;
  step.elements = line.vlen;
  step.mask = line.mask;
  step.immediate = {line.immediate.value.upper().bits, line.immediate.value.lower().bits};
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu, Unit::bm}) {
    Operation operation;
    if (unit == Unit::bm) {
      if (line.bm.mode != isa::BmMode::read) continue;
      operation = {Op::UPASSA, line.bm.width, false, false, place_of(line, Source::bm), {}, {}};
    } else {
      const Slot& slot = isa::slot_of(line, unit);
      if (!works(slot)) continue;
      operation = {slot.op,  slot.width, slot.negate_a, slot.negate_b, place_of(line, slot.a), place_of(line, slot.b),
                   slot.flag};
      step.writes_flags = step.writes_flags || slot.flag.flag != 0;
    }
    const auto number = static_cast<std::uint8_t>(step.operations.size());
    const Width width = isa::result_width(line, unit);
    const auto add = [&](const isa::WritePort& port, unsigned first) {
      if (port.source != unit) return;
      const unsigned element_step = port.vector ? stride_of(width) : 0;
      step.writes.push_back({number,
                             {Base::pe, width, static_cast<std::uint16_t>(first + port.address),
                              static_cast<std::uint16_t>(element_step)},
                             port.predicate});
    };
    if (line.t_write.source == unit) {
      step.writes.push_back({number, {Base::pe, Width::long_word, kT, 2}, line.t_write.predicate});
    }
    add(line.gpr_write, 0);
    add(line.lm_write, kLm);
    step.operations.push_back(operation);
  }
  return step;
}

void NaiveInterpreter::write_pe(unsigned pe, const emulator::PeWords& where, std::span<const LongWord> words) {
  std::uint64_t* at = pes_.at(pe).words.data() + where.address + (where.memory == isa::Memory::gpr ? 0 : kLm);
  for (const LongWord word : words) {
    store(at, where.width, word.bits());
    at += stride_of(where.width);
  }
}

void NaiveInterpreter::write_bm(unsigned address, std::span<const LongWord> words) {
  for (const LongWord word : words) store(&bm_.at(2 * address++), Width::long_word, word.bits());
}

std::vector<LongWord> NaiveInterpreter::read_pe(unsigned pe, const emulator::PeWords& where) const {
  const std::uint64_t* at = pes_.at(pe).words.data() + where.address + (where.memory == isa::Memory::gpr ? 0 : kLm);
  std::vector<LongWord> words;
  for (unsigned n = 0; n < where.count; ++n, at += stride_of(where.width)) {
    words.push_back(LongWord::from_bits(load(at, where.width)));
  }
  return words;
}

void NaiveInterpreter::run(const emulator::RecordStream& stream) {
  section(Section::loop_initialization);
  for (std::uint64_t iteration = 0; iteration < stream.iterations(); ++iteration) {
    record_base_ = iteration % 2 == 0 ? 0 : 2 * stream.record_words;
    const LongWord* record = stream.words.data() + iteration * emulator::kBlocks * stream.record_words;
    for (unsigned n = 0; n < stream.record_words; ++n) {
      store(&bm_[record_base_ + 2 * n], Width::long_word, record[n].bits());
    }
    section(Section::loop_body);
  }
  section(Section::loop_termination);
}

std::uint64_t NaiveInterpreter::pe_operations_per_iteration() const { return operations_ * emulator::kPesPerBlock; }

void NaiveInterpreter::section(Section section) {
  // No PE sees another: each runs the whole section, its words in the fastest cache.
  for (Pe& pe : pes_) {
    for (const Step& step : code_[static_cast<std::size_t>(section)]) run(step, pe);
  }
}

void NaiveInterpreter::run(const Step& step, Pe& pe) const {
  const std::uint64_t* const bases[] = {pe.words.data(), bm_.data(), bm_.data() + record_base_, step.immediate.data()};
  const auto operand = [&](const Place& place, unsigned element, bool negated) {
    const std::uint64_t* at = bases[static_cast<std::size_t>(place.base)] + place.address + element * place.step;
    return load(at, place.width) ^ (uint128{negated} << kSign);
  };
  const std::size_t operations = step.operations.size();
  for (unsigned element = 0; element < step.elements; ++element) {
    const std::uint8_t flags = pe.flags[element];
    if (step.mask.flag != 0 && is_set(flags, step.mask.flag) == step.mask.inverted) continue;
    // All units read before one writes.
    Outcome outcomes[4];  // set before they are read
    for (std::size_t n = 0; n < operations; ++n) {
      const Operation& operation = step.operations[n];
      outcomes[n] = execute(operation.op, operand(operation.a, element, operation.negate_a),
                            operand(operation.b, element, operation.negate_b), operation.width);
    }
    for (const Write& write : step.writes) {
      if (write.predicate.flag != 0 && is_set(flags, write.predicate.flag) == write.predicate.inverted) continue;
      store(pe.words.data() + write.place.address + element * write.place.step, write.place.width,
            outcomes[write.operation].value);
    }
    if (!step.writes_flags) continue;
    for (std::size_t n = 0; n < operations; ++n) {
      const isa::FlagWrite& flag = step.operations[n].flag;
      if (flag.flag == 0) continue;
      if (flag.predicate.flag != 0 && is_set(flags, flag.predicate.flag) == flag.predicate.inverted) continue;
      const bool value = flag.condition == isa::Condition::negative ? (outcomes[n].value >> kSign) != 0
                         : flag.condition == isa::Condition::zero   ? outcomes[n].value == 0
                                                                    : outcomes[n].carry;
      const auto bit = static_cast<std::uint8_t>(1u << (flag.flag - 1));
      pe.flags[element] = static_cast<std::uint8_t>(value ? pe.flags[element] | bit : pe.flags[element] & ~bit);
    }
  }
}

}  // namespace gdr::bench
