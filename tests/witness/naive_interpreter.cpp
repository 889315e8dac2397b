#include "naive_interpreter.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "gdr/isa/line.h"
#include "integer_oracle.h"

namespace gdr::tests {
namespace {

using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::Slot;
using isa::Source;
using isa::uint128;
using isa::Unit;
using isa::Width;

// ---- arithmetic on 72-bit words, short ones in the upper half -------------------------------------------------------

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

/// The larger or the smaller, the first if they are equal.
inline uint128 choose(uint128 a, uint128 b, bool larger) {
  const Number x = unpack(a);
  const Number y = unpack(b);
  const auto magnitude_less = [](const Number& m, const Number& n) {
    return m.exponent != n.exponent ? m.exponent < n.exponent : m.significand < n.significand;
  };
  const auto less = [&](const Number& m, const Number& n) {
    return m.negative != n.negative ? m.negative : m.negative ? magnitude_less(n, m) : magnitude_less(m, n);
  };
  return (larger ? less(x, y) : less(y, x)) ? b : a;
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

inline Outcome evaluate(Op op, uint128 a, uint128 b, Width width) {
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
      return {add(choose(a, b, true), 0, width), false};
    case Op::FMIN:
      return {add(choose(a, b, false), 0, width), false};
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
    default: {  // slower, but there is one row for each operation to write
      const IntegerAnswer answer = integer_answer(op, m(), n(), width);
      return integer(answer.value, width, answer.carry);
    }
  }
}

/// Told from operands and result, so that it costs nothing where nobody counts.
emulator::FpEvents events_of(Op op, uint128 a, uint128 b, uint128 result) {
  if (isa::info_of(op).kind != isa::NumberKind::floating_point) return {};
  if (op == Op::FMAX || op == Op::FMIN) a = choose(a, b, op == Op::FMAX);
  const bool product = op == Op::FMUL || op == Op::FMULL;
  const bool sum = op == Op::FADD || op == Op::FSUB;
  const Number x = unpack(a);
  Number y = unpack(product || sum ? b : 0);
  if (op == Op::FSUB && y.significand != 0) y.negative = !y.negative;
  const auto infinite = [](const Number& number) { return number.exponent == static_cast<int>(kInfinity); };
  if (infinite(x) || infinite(y)) {
    const bool of_product = product && (x.significand == 0 || y.significand == 0);
    const bool of_sum = sum && infinite(x) && infinite(y) && x.negative != y.negative;
    return {of_product || of_sum ? 1u : 0u, 0, 0};
  }
  if (infinite(unpack(result))) return {0, 1, 0};
  const bool opposite = x.exponent == y.exponent && x.significand == y.significand && x.negative != y.negative;
  const bool exact_zero =
      product ? x.significand == 0 || y.significand == 0 : opposite || (x.significand == 0 && y.significand == 0);
  return {0, 0, result == 0 && !exact_zero ? 1u : 0u};
}

// ---- words ----------------------------------------------------------------------------------------------------------

constexpr unsigned stride_of(Width width) { return width == Width::long_word ? 2 : 1; }

inline uint128 load(const std::uint64_t* at, Width width) {
  const uint128 upper = uint128{at[0]} << isa::kShortBits;
  return width == Width::long_word ? upper | at[1] : upper;
}
inline void store(std::uint64_t* at, Width width, uint128 value) {
  at[0] = static_cast<std::uint64_t>(value >> isa::kShortBits);
  if (width == Width::long_word) at[1] = static_cast<std::uint64_t>(value) & isa::kShortMask;
}

/// Operations that have a result. fmull forms the whole product.
bool works(const Slot& slot) { return isa::info_of(slot.op).computes(); }

bool holds(const Outcome& outcome, isa::Condition condition) {
  switch (condition) {
    case isa::Condition::negative:
      return (outcome.value >> kSign) != 0;
    case isa::Condition::zero:
      return outcome.value == 0;
    case isa::Condition::carry:
      break;
  }
  return outcome.carry;
}

}  // namespace

// ---- code -----------------------------------------------------------------------------------------------------------

NaiveCode::NaiveCode(const isa::Program& program, Landing landing) : program_(program), landing_(landing) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    const isa::Visitor take_apart{
        [&](const isa::ProgramLine& word) {
          const Line line = isa::decoded(word.word);
          const bool across_pes = line.bm.mode == isa::BmMode::write || line.bm.one_pe;
          if (landing == Landing::at_once && (across_pes || line.lm_read.indirect || line.lm_write.indirect)) {
            throw Error("NaiveCode: a line stores to BM, loads into one PE or addresses indirectly: " +
                        isa::print(line));
          }
          sections_[section].emplace_back(taken_apart(line));
          if (static_cast<Section>(section) != Section::loop_body) return;
          for (const Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
            operations_ += works(*slot) ? line.vlen : 0;
          }
        },
        [](const isa::TransferStep&) {},  // the record is there when its iteration begins
        [&](const isa::CollectStep& collect) { sections_[section].emplace_back(collect); }};
    for (const isa::Step& step : program.sections[section]) std::visit(take_apart, step);
  }
}

NaiveCode::Place NaiveCode::place_of(const Line& line, Source source, Width asked) {
  using Interpreter = NaiveInterpreter;
  const auto port = [](unsigned first, const isa::ReadPort& p) -> Place {
    const unsigned step = p.vector ? stride_of(p.width) : 0;
    return {Base::pe, p.width, static_cast<std::uint16_t>(first + p.address), static_cast<std::uint16_t>(step),
            p.indirect};
  };
  const auto number = [&](unsigned first) -> Place {  // its long word, or the lower half of that
    return {Base::pe, asked, static_cast<std::uint16_t>(asked == Width::long_word ? first : first + 1), 0, false};
  };
  switch (source) {
    case Source::gpr_a:
      return port(0, line.gpr_a);
    case Source::gpr_b:
      return port(0, line.gpr_b);
    case Source::lm:
      return port(Interpreter::kLm, line.lm_read);
    case Source::bm: {
      Place place = port(0, {line.bm.address, line.bm.width, line.bm.vector});
      place.base = line.bm.record ? Base::record : Base::bm;
      return place;
    }
    case Source::t_short:
      return {Base::pe, Width::short_word, Interpreter::kT, 2, false};
    case Source::t_long:
      return {Base::pe, Width::long_word, Interpreter::kT, 2, false};
    case Source::immediate:
      return {Base::immediate, line.immediate.width, 0, 0, false};
    case Source::pe_id:
      return number(Interpreter::kPeNumber);
    case Source::bb_id:
      return number(Interpreter::kBlockNumber);
    case Source::none:
      break;
  }
  return {Base::immediate, Width::short_word, 0, 0, false};
}

NaiveCode::TakenApart NaiveCode::taken_apart(const Line& line) {
  TakenApart apart;
  apart.elements = line.vlen;
  apart.mask = line.mask;
  apart.immediate = {line.immediate.value.upper().bits, line.immediate.value.lower().bits};
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    const Slot& slot = isa::slot_of(line, unit);
    if (!works(slot)) continue;
    apart.operations.push_back({slot.op, slot.width, slot.negate_a, slot.negate_b, place_of(line, slot.a, slot.width),
                                place_of(line, slot.b, slot.width), slot.flag, false, 0});
    apart.writes_flags = apart.writes_flags || slot.flag.flag != 0;
    const auto number = static_cast<std::uint8_t>(apart.operations.size() - 1);
    add_writes(line, unit, number, apart.writes);
  }
  if (line.bm.mode == isa::BmMode::none) return apart;
  const bool stores = line.bm.mode == isa::BmMode::write;
  const Source moved = stores ? line.bm.store_source : Source::bm;
  apart.operations.push_back({Op::UPASSA,
                              line.bm.width,
                              false,
                              false,
                              place_of(line, moved, line.bm.width),
                              {},
                              {},
                              line.bm.one_pe,
                              line.bm.pe});
  const auto number = static_cast<std::uint8_t>(apart.operations.size() - 1);
  if (stores) {
    apart.writes.push_back({number, false, place_of(line, Source::bm, line.bm.width), {}});
  } else {
    add_writes(line, Unit::bm, number, apart.writes);
  }
  return apart;
}

void NaiveCode::add_writes(const Line& line, Unit unit, std::uint8_t operation, std::vector<Write>& writes) {
  const Width width = isa::result_width(line, unit);
  const auto add = [&](const isa::WritePort& port, unsigned first) {
    if (port.source != unit) return;
    const unsigned step = port.vector ? stride_of(width) : 0;
    writes.push_back({operation,
                      false,
                      {Base::pe, width, static_cast<std::uint16_t>(first + port.address),
                       static_cast<std::uint16_t>(step), port.indirect},
                      port.predicate});
  };
  if (line.t_write.source == unit) {
    const Place t{Base::pe, Width::long_word, NaiveInterpreter::kT, 2, false};
    writes.push_back({operation, true, t, line.t_write.predicate});
  }
  add(line.gpr_write, 0);
  add(line.lm_write, NaiveInterpreter::kLm);
}

// ---- state ----------------------------------------------------------------------------------------------------------

NaiveInterpreter::NaiveInterpreter(std::shared_ptr<const NaiveCode> code, unsigned block)
    : code_(std::move(code)), block_(block) {
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    store(&pes_[pe][kPeNumber], Width::long_word, pe);
    store(&pes_[pe][kBlockNumber], Width::long_word, block);
  }
}

void NaiveInterpreter::write_pe(unsigned pe, const emulator::PeWords& where, std::span<const LongWord> words) {
  std::uint64_t* at = &pes_.at(pe).at(where.address + (where.memory == isa::Memory::gpr ? 0 : kLm));
  for (const LongWord word : words) {
    store(at, where.width, word.bits());
    at += stride_of(where.width);
  }
}

void NaiveInterpreter::write_bm(unsigned address, std::span<const LongWord> words) {
  for (const LongWord word : words) store(&bm_.at(2 * address++), Width::long_word, word.bits());
}

std::vector<LongWord> NaiveInterpreter::read_pe(unsigned pe, const emulator::PeWords& where) const {
  const std::uint64_t* at = &pes_.at(pe).at(where.address + (where.memory == isa::Memory::gpr ? 0 : kLm));
  std::vector<LongWord> words;
  for (unsigned n = 0; n < where.count; ++n, at += stride_of(where.width)) {
    words.push_back(LongWord::from_bits(load(at, where.width)));
  }
  return words;
}

std::vector<LongWord> NaiveInterpreter::read_bm(unsigned address, unsigned count) const {
  std::vector<LongWord> words;
  for (unsigned n = address; n < address + count; ++n) {
    words.push_back(LongWord::from_bits(load(&bm_.at(2 * n), Width::long_word)));
  }
  return words;
}

emulator::PeRegisters NaiveInterpreter::registers(unsigned pe) const {
  const Pe& words = pes_.at(pe);
  emulator::PeRegisters registers{};
  for (unsigned element = 0; element < isa::kVectorElements; ++element) {
    registers.t[element] = LongWord::from_bits(load(&words[kT + 2 * element], Width::long_word));
    for (unsigned flag = 0; flag < isa::kFlags; ++flag) {
      const auto bit = static_cast<std::uint8_t>(words[kFlags + element * isa::kFlags + flag] << flag);
      registers.flags[element] = static_cast<std::uint8_t>(registers.flags[element] | bit);
    }
  }
  return registers;
}

void NaiveInterpreter::set_registers(unsigned pe, const emulator::PeRegisters& registers) {
  Pe& words = pes_.at(pe);
  for (unsigned element = 0; element < isa::kVectorElements; ++element) {
    store(&words[kT + 2 * element], Width::long_word, registers.t[element].bits());
    for (unsigned flag = 0; flag < isa::kFlags; ++flag) {
      words[kFlags + element * isa::kFlags + flag] = (registers.flags[element] >> flag) & 1;
    }
  }
}

// ---- running --------------------------------------------------------------------------------------------------------

void NaiveInterpreter::initialize() {
  section(Section::initialization, emulator::kPesPerBlock, false);
  land(std::numeric_limits<std::uint64_t>::max());
}

void NaiveInterpreter::run(const emulator::LoopRun& run) {
  const emulator::RecordStream& stream = run.stream;
  collected_ = run.collected;
  jvalid_ = true;
  run_ = run.run;
  iteration_ = 0;
  if (run.begins) section(Section::loop_initialization, run.live_pes, false);
  for (std::uint64_t iteration = 0; iteration < stream.iterations(); ++iteration) {
    const std::uint64_t record = iteration * emulator::kBlocks + block_;
    jvalid_ = record < stream.records;
    iteration_ = run.first_iteration + iteration;
    record_base_ = iteration % 2 == 0 ? 0 : 2 * stream.record_words;
    for (unsigned n = 0; n < stream.record_words; ++n) {
      const LongWord word = jvalid_ ? stream.words[record * stream.record_words + n] : LongWord();
      store(&bm_[record_base_ + 2 * n], Width::long_word, word.bits());
    }
    section(Section::loop_body, run.live_pes, run.begins && iteration == 0);
  }
  jvalid_ = true;
  iteration_ = 0;
  if (run.ends) section(Section::loop_termination, run.live_pes, false);
  land(std::numeric_limits<std::uint64_t>::max());
}

void NaiveInterpreter::section(Section section, unsigned live_pes, bool first_turn) {
  const auto& steps = code_->sections_[static_cast<std::size_t>(section)];
  if (code_->landing_ == Landing::at_once) {
    // No PE sees another: each runs the whole section, its words in the fastest cache.
    for (unsigned pe = 0; pe < live_pes; ++pe) {
      for (const NaiveCode::Step& step : steps) {
        if (const auto* line = std::get_if<TakenApart>(&step)) execute<Landing::at_once>(*line, pe, {section, 0});
      }
    }
    return;
  }
  At at{section, 0};
  const isa::Visitor issue{[&](const TakenApart& line) {
                             for (unsigned pe = 0; pe < live_pes; ++pe) execute<Landing::in_order>(line, pe, at);
                             land(++line_);
                             ++at.line;
                           },
                           [&](const isa::CollectStep& collect) {
                             if (!collect.not_first || !first_turn) this->collect(collect);
                           }};
  for (const NaiveCode::Step& step : steps) std::visit(issue, step);
}

/// Words leave as the next line would find them.
void NaiveInterpreter::collect(const isa::CollectStep& collect) {
  const std::vector<LongWord> leaving = read_bm(code_->program_.address_of(collect) / 2, collect.words());
  std::copy(leaving.begin(), leaving.end(), collected_.begin());
  collected_ = collected_.subspan(leaving.size());
}

void NaiveInterpreter::land(std::uint64_t line) {
  std::erase_if(underway_, [&](const Underway& write) {
    if (write.lands_before > line) return false;
    *write.at = write.value;
    return true;
  });
}

emulator::PePlace NaiveInterpreter::place_of(unsigned pe, unsigned element, At at) const {
  return {run_, at.section, iteration_, at.line, 0, block_, pe, element};
}

void NaiveInterpreter::note(Op op, const emulator::FpEvents& events, const emulator::PePlace& place) {
  using emulator::FpEvent;
  for (const auto& [count, event] :
       {std::pair(events.invalid, FpEvent::invalid), std::pair(events.overflow, FpEvent::overflow),
        std::pair(events.underflow, FpEvent::underflow)}) {
    if (count == 0 || first_events_.size() == emulator::kKeptEvents) continue;
    first_events_.push_back({place, isa::info_of(op).unit, event});
  }
}

unsigned NaiveInterpreter::indirect_address(const Place& place, unsigned pe, unsigned element, At at) const {
  const unsigned base = place.address - kLm + element * place.step;
  const uint128 t = right_aligned(load(&pes_[pe][kT + 2 * element], Width::long_word), place.width);
  const uint128 address = base + t;
  const unsigned words = stride_of(place.width);
  if (address + words > isa::kLmShortWords || address % words != 0) {
    throw emulator::Fault(emulator::FaultKind::address, code_->program_, at.section, at.line, "outside local memory",
                          place_of(pe, element, at));
  }
  return kLm + static_cast<unsigned>(address);
}

template <Landing landing>
void NaiveInterpreter::execute(const TakenApart& line, unsigned pe_number, At at) {
  constexpr bool kAllRules = landing == Landing::in_order;
  Pe& pe = pes_[pe_number];
  const std::uint64_t* const sources[] = {pe.data(), bm_.data(), bm_.data() + record_base_, line.immediate.data()};
  std::uint64_t* const targets[] = {pe.data(), bm_.data(), bm_.data() + record_base_};
  const auto address = [&](const Place& place, unsigned element) -> unsigned {
    if constexpr (kAllRules) {
      if (place.indirect) return indirect_address(place, pe_number, element, at);
    }
    return place.address + element * place.step;
  };
  const auto operand = [&](const Place& place, unsigned element, bool negated) {
    const std::uint64_t* const base = sources[static_cast<std::size_t>(place.base)];
    return load(base + address(place, element), place.width) ^ (uint128{negated} << kSign);
  };
  const auto write = [&](const Write& to, unsigned element, uint128 value) {
    std::uint64_t* const words = targets[static_cast<std::size_t>(to.place.base)] + address(to.place, element);
    if constexpr (kAllRules) {
      const std::uint64_t reader = line_ + (to.to_t ? 1 : 2);
      underway_.push_back({reader, words, static_cast<std::uint64_t>(value >> isa::kShortBits)});
      if (to.place.width == Width::short_word) return;
      underway_.push_back({reader, words + 1, static_cast<std::uint64_t>(value) & isa::kShortMask});
    } else {
      store(words, to.place.width, value);
    }
  };
  const std::size_t operations = line.operations.size();
  for (unsigned element = 0; element < line.elements; ++element) {
    std::uint64_t* const flags = &pe[kFlags + element * isa::kFlags];
    const auto gated = [&](unsigned flag, bool inverted) { return flag != 0 && (flags[flag - 1] != 0) == inverted; };
    const auto lets_through = [&](const isa::Predicate& predicate) {
      return !gated(predicate.flag, predicate.inverted) && (jvalid_ || !predicate.jvalid);
    };
    if (gated(line.mask.flag, line.mask.inverted)) continue;
    // All units read before one writes.
    Outcome outcomes[4];  // set before they are read
    emulator::FpEvents events[4];
    for (std::size_t n = 0; n < operations; ++n) {
      const Operation& operation = line.operations[n];
      if (kAllRules && operation.in_one_pe && operation.pe != pe_number) continue;
      const uint128 a = operand(operation.a, element, operation.negate_a);
      const uint128 b = operand(operation.b, element, operation.negate_b);
      outcomes[n] = evaluate(operation.op, a, b, operation.width);
      if constexpr (kAllRules) events[n] = events_of(operation.op, a, b, outcomes[n].value);
    }
    [[maybe_unused]] std::array<bool, 4> written{};
    for (const Write& to : line.writes) {
      const Operation& operation = line.operations[to.operation];
      if (kAllRules && operation.in_one_pe && operation.pe != pe_number) continue;
      if (!lets_through(to.predicate)) continue;
      write(to, element, outcomes[to.operation].value);
      written[to.operation] = true;
    }
    if (line.writes_flags) {
      std::array<std::uint64_t, isa::kFlags> now;  // a flag that this line sets gates nothing in it
      std::copy_n(flags, isa::kFlags, now.begin());
      for (std::size_t n = 0; n < operations; ++n) {
        const isa::FlagWrite& flag = line.operations[n].flag;
        if (flag.flag == 0 || !lets_through(flag.predicate)) continue;
        const std::uint64_t value = holds(outcomes[n], flag.condition) ? 1 : 0;
        if constexpr (kAllRules) underway_.push_back({line_ + 2, &flags[flag.flag - 1], value});
        now[flag.flag - 1u] = value;
        written[n] = true;
      }
      if constexpr (!kAllRules) std::copy_n(now.begin(), isa::kFlags, flags);
    }
    if constexpr (kAllRules) {
      for (std::size_t n = 0; n < operations; ++n) {
        if (!written[n]) continue;
        events_ += events[n];
        note(line.operations[n].op, events[n], place_of(pe_number, element, at));
      }
    }
  }
}

LongWord naive_node(Op op, LongWord a, LongWord b, Width width, emulator::FpEvents& events) {
  const uint128 result = evaluate(op, a.bits(), b.bits(), width).value;
  events += events_of(op, a.bits(), b.bits(), result);
  return LongWord::from_bits(result);
}

}  // namespace gdr::tests
