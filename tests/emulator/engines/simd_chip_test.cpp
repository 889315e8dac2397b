// The vector engine against the scalar functions, operation by operation.
#include <gtest/gtest.h>

#include "arithmetic_check.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/selftest/random_program.h"
#include "operand_pairs.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::FpEvents;
using emulator::HostIsa;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::ShortWord;
using isa::Source;
using isa::Unit;
using isa::Width;
using selftest::code_of;
using selftest::RandomPrograms;

// Lines that bring T, flags and the start of BM to local memory from here on, where read_pe sees them.
constexpr unsigned kDumpAddress = 400;

std::vector<Line> dump_lines() {
  std::vector<Line> lines;
  const auto into_lm = [&](Line line, Unit unit, unsigned address) {
    line.vlen = isa::kVectorElements;
    line.lm_write = {unit, static_cast<std::uint16_t>(address), true, false, {}};
    lines.push_back(line);
  };
  const auto pass = [](Source source, Width width) {
    Line line;
    line.alu.op = isa::Op::UPASSA;
    line.alu.a = source;
    line.alu.width = width;
    return line;
  };
  unsigned address = kDumpAddress;
  into_lm(pass(Source::t_long, Width::long_word), Unit::alu, address);
  address += 2 * isa::kVectorElements;
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    Line line = pass(Source::immediate, Width::short_word);
    into_lm(line, Unit::alu, address);
    line.immediate.value = isa::widen(isa::ShortWord{1});
    line.mask.flag = static_cast<std::uint8_t>(flag);
    into_lm(line, Unit::alu, address);
    address += isa::kVectorElements;
  }
  for (unsigned word = 0; word < 64; word += 2 * isa::kVectorElements) {
    Line line;
    line.bm.mode = isa::BmMode::read;
    line.bm.address = static_cast<std::uint16_t>(word);
    line.bm.width = Width::long_word;
    line.bm.vector = true;
    into_lm(line, Unit::bm, address);
    address += 2 * isa::kVectorElements;
  }
  return lines;
}

/// One operation on operands of these widths.
struct Trial {
  Op op = Op::NOP;
  Width width = Width::long_word;
  Width width_a = Width::long_word;
  Width width_b = Width::long_word;
  bool negate_a = false;
  bool negate_b = false;
};

emulator::WordResult expected(const Trial& trial, LongWord a, LongWord b) {
  if (trial.negate_a) a = emulator::negate(a);
  if (trial.negate_b) b = emulator::negate(b);
  return emulator::compute(trial.op, a, b, trial.width);
}

/// The operation on 128 pairs at a time: once bare, once for each flag, which other kernels do.
class TrialChip {
 public:
  static constexpr std::size_t kPairs = emulator::kPesPerBlock * isa::kVectorElements;

  TrialChip(const Trial& trial, HostIsa isa) : trial_(trial), chip_(emulator::make_simd_chip(isa)) {
    isa::Program program;
    std::vector<Line> lines;
    conditions_ = isa::info_of(trial.op).writes_carry ? 3 : 2;
    add_lines(lines, 0, std::nullopt);
    for (unsigned condition = 0; condition < conditions_; ++condition) {
      add_lines(lines, 8 * (condition + 1), static_cast<isa::Condition>(condition));
    }
    const std::vector<Line> dump = dump_lines();
    lines.insert(lines.end(), dump.begin(), dump.end());
    program.sections[static_cast<std::size_t>(Section::loop_termination)] = code_of(lines);
    chip_->load(program);
  }

  /// Empty if all is well.
  std::string run(const std::vector<OperandPair>& pairs) {
    for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
      std::vector<LongWord> a;
      std::vector<LongWord> b;
      for (unsigned element = 0; element < isa::kVectorElements; ++element) {
        a.push_back(at(pairs, pe, element).a);
        b.push_back(at(pairs, pe, element).b);
      }
      chip_->write_pe(0, pe, {isa::Memory::gpr, 0, trial_.width_a, isa::kVectorElements}, a);
      chip_->write_pe(0, pe, {isa::Memory::gpr, 8, trial_.width_b, isa::kVectorElements}, b);
    }
    chip_->run_loop({0, 1}, {});
    for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
      const auto flags = chip_->read_pe(0, pe, {isa::Memory::lm, kDumpAddress + 8, Width::short_word, 16});
      for (unsigned copy = 0; copy <= conditions_; ++copy) {
        const auto results = chip_->read_pe(
            0, pe, {isa::Memory::lm, static_cast<std::uint16_t>(8 * copy), trial_.width, isa::kVectorElements});
        for (unsigned element = 0; element < isa::kVectorElements; ++element) {
          const OperandPair& pair = at(pairs, pe, element);
          const emulator::WordResult wanted = expected(trial_, pair.a, pair.b);
          events_ += wanted.event;
          if (results[element] != wanted.value) return difference(pair, wanted.value, results[element]);
          if (copy == 0) continue;
          const bool flag = flags[(copy - 1) * isa::kVectorElements + element] != LongWord{};
          const bool wanted_flag = copy == 1 ? wanted.negative : copy == 2 ? wanted.zero : wanted.carry;
          if (flag != wanted_flag)
            return difference(pair, wanted.value, results[element]) + ", flag " + std::to_string(copy);
        }
      }
    }
    return chip_->events(0) == events_ ? "" : "events differ";
  }

 private:
  static const OperandPair& at(const std::vector<OperandPair>& pairs, unsigned pe, unsigned element) {
    return pairs[pe * isa::kVectorElements + element];
  }

  static std::string difference(const OperandPair& pair, LongWord wanted, LongWord found) {
    return isa::to_hex(pair.a) + " " + isa::to_hex(pair.b) + ": expected " + isa::to_hex(wanted) + ", found " +
           isa::to_hex(found);
  }

  void add_lines(std::vector<Line>& lines, unsigned to, std::optional<isa::Condition> condition) {
    Line line;
    line.vlen = isa::kVectorElements;
    line.gpr_a = {0, trial_.width_a, true, false};
    const Unit unit = isa::info_of(trial_.op).unit;
    isa::Slot& slot = isa::slot_of(line, unit);
    slot.op = trial_.op;
    slot.a = Source::gpr_a;
    slot.negate_a = trial_.negate_a;
    if (isa::info_of(trial_.op).sources == 2) {
      line.gpr_b = {8, trial_.width_b, true, false};
      slot.b = Source::gpr_b;
      slot.negate_b = trial_.negate_b;
    }
    if (isa::info_of(trial_.op).half == isa::ProductHalf::second) {
      Line high = line;
      high.multiplier.op = isa::info_of(trial_.op).other_half;
      lines.push_back(high);
    }
    slot.width = trial_.width;
    if (condition) {
      slot.flag.flag = static_cast<std::uint8_t>(1 + static_cast<unsigned>(*condition));
      slot.flag.condition = *condition;
    }
    line.lm_write = {unit, static_cast<std::uint16_t>(to), true, false, {}};
    lines.push_back(line);
  }

  Trial trial_;
  std::unique_ptr<emulator::Chip> chip_;
  unsigned conditions_ = 2;
  FpEvents events_;
};

OperandPair in_widths(const Trial& trial, OperandPair pair) {
  if (trial.width_a == Width::short_word) pair.a = isa::widen(pair.a.upper());
  if (trial.width_b == Width::short_word) pair.b = isa::widen(pair.b.upper());
  return pair;
}

/// Pairs of integers around the places where carries, signs and shift counts turn.
OperandPair integer_pair(RandomPrograms& random, Width width) {
  const auto integer = [&]() -> LongWord {
    const int bits = isa::bits_of(width);
    isa::uint128 value = 0;
    switch (random.below(4)) {
      case 0:
        value = random.word().bits() >> (isa::kLongBits - bits);
        break;
      case 1:
        value = random.below(80);
        break;
      case 2:
        value = (isa::uint128{1} << random.below(static_cast<unsigned>(bits))) - random.below(2);
        break;
      default:
        value = ~isa::uint128{0} - random.below(3);
        break;
    }
    const LongWord word = LongWord::from_bits(value & ((isa::uint128{1} << bits) - 1));
    return width == Width::long_word ? word : isa::widen(ShortWord{static_cast<std::uint64_t>(word.bits())});
  };
  const LongWord a = integer();
  return {a, integer()};
}

std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (!info.computes()) continue;
    for (const Width width : {Width::long_word, Width::short_word}) {
      if (info.unit == Unit::alu) {
        all.push_back({info.op, width, width, width, false, false});
        continue;
      }
      for (const Width a : {Width::long_word, Width::short_word}) {
        for (const Width b : {Width::long_word, Width::short_word}) {
          if (info.second_source_is_short && b == Width::long_word) continue;
          if (info.sources == 1 && b == Width::short_word) continue;
          for (unsigned negations = 0; negations < (info.sources == 2 ? 4 : 2); ++negations) {
            all.push_back({info.op, width, a, b, (negations & 1) != 0, (negations & 2) != 0});
          }
        }
      }
    }
  }
  return all;
}

void check_trials(HostIsa isa, std::size_t pairs_per_trial, std::uint64_t seed) {
  RandomPrograms random(seed);
  for (const Trial& trial : trials()) {
    TrialChip chip(trial, isa);
    const bool integers = isa::info_of(trial.op).unit == Unit::alu;
    std::vector<OperandPair> pairs = integers ? std::vector<OperandPair>{} : special_pairs(family_of(trial.op));
    if (kSlowedDown && !integers) pairs.resize(TrialChip::kPairs);
    OperandPairs drawn(family_of(trial.op), seed + 1);
    while (pairs.size() < pairs_per_trial || pairs.size() % TrialChip::kPairs != 0) {
      pairs.push_back(integers ? integer_pair(random, trial.width) : drawn.next());
    }
    for (std::size_t first = 0; first < pairs.size(); first += TrialChip::kPairs) {
      std::vector<OperandPair> some;
      for (std::size_t n = first; n < first + TrialChip::kPairs; ++n) some.push_back(in_widths(trial, pairs[n]));
      const std::string difference = chip.run(some);
      ASSERT_EQ(difference, "") << isa::info_of(trial.op).mnemonic << (trial.negate_a ? " -" : " ")
                                << (trial.width_a == Width::long_word ? "long" : "short")
                                << (trial.negate_b ? " -" : " ")
                                << (trial.width_b == Width::long_word ? "long" : "short") << " to "
                                << (trial.width == Width::long_word ? "long" : "short");
    }
  }
}

class SimdChip : public testing::TestWithParam<HostIsa> {};

TEST_P(SimdChip, ComputesWhatTheScalarFunctionsDo) { check_trials(GetParam(), kSlowedDown ? 1'000 : 10'000, 11); }

INSTANTIATE_TEST_SUITE_P(Hosts, SimdChip, testing::ValuesIn(emulator::available_host_isas()),
                         [](const auto& tested) { return std::string(emulator::name_of(tested.param)); });

}  // namespace
}  // namespace gdr::tests
