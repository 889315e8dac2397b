#include "pairs_on_engines.h"

#include <gtest/gtest.h>

#include <array>
#include <iomanip>
#include <iostream>

#include "arithmetic_check.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/selftest/random_program.h"
#include "mpfr_oracle.h"

namespace gdr::tests {
namespace {

using emulator::FpEvent;
using emulator::FpEvents;
using emulator::FpLanes;
using emulator::HostIsa;
using emulator::WordResult;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Width;
using selftest::code_of;

// Short addresses. GPR: the words of a, then those of b; LM: long results, then short ones.
constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 2 * OperationChip::kPairsOfPe;
constexpr std::uint16_t kLongResults = 0;
constexpr std::uint16_t kShortResults = 2 * OperationChip::kPairsOfPe;

std::uint16_t address(unsigned base, std::size_t word, Width width) {
  return static_cast<std::uint16_t>(base + word * (width == Width::long_word ? 2 : 1));
}

/// Elements `first` to `first` + 3 of all PEs.
void add_lines(std::vector<Line>& lines, Op op, std::size_t first, OperandWidths widths, Width width) {
  Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {address(kA, first, widths.a), widths.a, true, false};
  const isa::Unit unit = isa::info_of(op).unit;
  isa::Slot& slot = isa::slot_of(line, unit);
  slot.op = op;
  slot.a = isa::Source::gpr_a;
  if (isa::info_of(op).sources == 2) {
    line.gpr_b = {address(kB, first, widths.b), widths.b, true, false};
    slot.b = isa::Source::gpr_b;
  }
  if (isa::info_of(op).half == isa::ProductHalf::second) {
    Line high = line;
    high.multiplier.op = isa::info_of(op).other_half;
    lines.push_back(high);
  }
  slot.width = width;
  line.lm_write = {
      unit, address(width == Width::long_word ? kLongResults : kShortResults, first, width), true, false, {}};
  lines.push_back(line);
}

WideEvent event_of(FpEvent event) {
  switch (event) {
    case FpEvent::none:
      return WideEvent::none;
    case FpEvent::invalid:
      return WideEvent::invalid;
    case FpEvent::overflow:
      return WideEvent::overflow;
    case FpEvent::underflow:
      break;
  }
  return WideEvent::underflow;
}

bool same(const WordResult& result, const MpfrAnswer& answer) {
  return result.value == answer.value && result.negative == answer.negative && result.zero == answer.zero &&
         event_of(result.event) == answer.event;
}

/// Scalar functions, MPFR and the chips on the same pairs.
class Comparison {
 public:
  Comparison(isa::Op op, OperandWidths widths, std::span<const HostIsa> isas) : op_(op) {
    for (const HostIsa isa : isas) chips_.emplace_back(op, isa, widths);
  }

  [[nodiscard]] testing::AssertionResult run(std::span<const OperandPair> pairs) {
    expected_long_.clear();
    expected_short_.clear();
    for (const OperandPair& pair : pairs) {
      for (const Width width : {Width::long_word, Width::short_word}) {
        const bool is_long = width == Width::long_word;
        const WordResult result = emulator::compute(op_, pair.a, pair.b, width);
        events_ += result.event;
        (is_long ? expected_long_ : expected_short_).push_back(result.value);
        const MpfrAnswer answer = (is_long ? long_oracle_ : short_oracle_).answer(op_, pair.a, pair.b);
        if (!same(result, answer)) return difference("MPFR", pair, result.value, answer.value);
      }
    }
    for (OperationChip& chip : chips_) {
      const auto found = chip.run(pairs);
      for (std::size_t n = 0; n < pairs.size(); ++n) {
        if (found.of_long[n] != expected_long_[n]) {
          return difference(emulator::name_of(chip.isa()), pairs[n], expected_long_[n], found.of_long[n]);
        }
        if (found.of_short[n] != expected_short_[n]) {
          return difference(emulator::name_of(chip.isa()), pairs[n], expected_short_[n], found.of_short[n]);
        }
      }
      if (chip.events() != events_) {
        return testing::AssertionFailure() << emulator::name_of(chip.isa()) << " counts other events";
      }
    }
    return testing::AssertionSuccess();
  }

  /// After `pairs` pairs.
  void report(std::uint64_t pairs) const {
    for (const OperationChip& chip : chips_) {
      const FpLanes lanes = chip.lanes();
      const std::string isa(emulator::name_of(chip.isa()));
      EXPECT_EQ(lanes.all, 2 * pairs) << isa;
      const double share = static_cast<double>(lanes.slow) / static_cast<double>(lanes.all);
      std::cout << std::setw(8) << isa << ' ' << isa::info_of(op_).mnemonic << ": " << pairs << " pairs, "
                << std::setprecision(3) << 100 * share << " % of results in integers\n";
      testing::Test::RecordProperty("slow_share_" + isa, std::to_string(share));
      EXPECT_GT(lanes.slow, 0u) << isa;
      EXPECT_LT(lanes.slow, lanes.all) << isa;
    }
  }

 private:
  [[nodiscard]] testing::AssertionResult difference(std::string_view who, const OperandPair& pair, LongWord expected,
                                                    LongWord found) const {
    return testing::AssertionFailure() << isa::info_of(op_).mnemonic << ' ' << isa::to_hex(pair.a) << ' '
                                       << isa::to_hex(pair.b) << ": scalar " << isa::to_hex(expected) << ", " << who
                                       << ' ' << isa::to_hex(found);
  }

  isa::Op op_;
  std::vector<OperationChip> chips_;
  MpfrOracle long_oracle_{61};
  MpfrOracle short_oracle_{25};
  std::vector<LongWord> expected_long_;
  std::vector<LongWord> expected_short_;
  FpEvents events_;
};

}  // namespace

MixedPairs::MixedPairs(PairFamily family, std::uint64_t seed)
    : family_(family), drawn_(family, seed), special_(special_pairs(family)) {}

OperandPair MixedPairs::next() {
  const OperandPair pair = drawn_.next();
  const std::size_t n = count_++;
  // Every special word is there as a and as b before the list of pairs has been gone through once.
  const OperandPair& special = special_[n / 16 % special_.size()];
  const auto as_b = [&](LongWord word) {
    return family_ == PairFamily::short_product ? isa::widen(word.upper()) : word;
  };
  switch (n % 16) {
    case 0:
      return {special.a, pair.b};
    case 4:
      return {pair.a, special.b};
    case 8:
      return {pair.a, as_b(pair.a)};
    case 12:
      return {pair.a, as_b(emulator::negate(pair.a))};
    default:
      return pair;
  }
}

std::vector<OperandWidths> operand_widths(isa::Op op) {
  std::vector<OperandWidths> all;
  for (const Width a : {Width::long_word, Width::short_word}) {
    for (const Width b : {Width::long_word, Width::short_word}) {
      const bool must_be_short = isa::info_of(op).second_source_is_short || isa::info_of(op).sources == 1;
      if (!must_be_short || b == Width::short_word) all.push_back({a, b});
    }
  }
  return all;
}

OperationChip::OperationChip(isa::Op op, HostIsa isa, OperandWidths widths)
    : isa_(isa), widths_(widths), chip_(emulator::make_simd_chip(isa)) {
  std::vector<Line> lines;
  for (std::size_t first = 0; first < kPairsOfPe; first += isa::kVectorElements) {
    for (const Width width : {Width::long_word, Width::short_word}) {
      add_lines(lines, op, first, widths, width);
    }
  }
  isa::Program program;
  program.sections[static_cast<std::size_t>(isa::Section::loop_termination)] = code_of(lines);
  chip_->load(program);
}

OperationChip::Results OperationChip::run(std::span<const OperandPair> pairs) {
  std::array<LongWord, kPairsOfPe> a;
  std::array<LongWord, kPairsOfPe> b;
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    const auto mine = pairs.subspan(pe * kPairsOfPe, kPairsOfPe);
    for (std::size_t n = 0; n < kPairsOfPe; ++n) {
      a[n] = mine[n].a;
      b[n] = mine[n].b;
    }
    chip_->write_pe(0, pe, {isa::Memory::gpr, kA, widths_.a, kPairsOfPe}, a);
    chip_->write_pe(0, pe, {isa::Memory::gpr, kB, widths_.b, kPairsOfPe}, b);
  }
  chip_->run_loop({0, 1}, {});
  Results results;
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    const auto take = [&](std::uint16_t from, Width width, std::vector<LongWord>& to) {
      const std::vector<LongWord> words = chip_->read_pe(0, pe, {isa::Memory::lm, from, width, kPairsOfPe});
      to.insert(to.end(), words.begin(), words.end());
    };
    take(kLongResults, Width::long_word, results.of_long);
    take(kShortResults, Width::short_word, results.of_short);
  }
  return results;
}

void compare_engines(isa::Op op, OperandWidths widths, std::span<const HostIsa> isas, std::uint64_t count,
                     std::uint64_t seed) {
  const auto as = [](LongWord word, Width width) {
    return width == Width::short_word ? isa::widen(word.upper()) : word;
  };
  Comparison comparison(op, widths, isas);
  const std::vector<OperandPair> special = special_pairs(family_of(op));
  MixedPairs mixed(family_of(op), seed);
  std::vector<OperandPair> pairs(OperationChip::kPairs);
  std::uint64_t done = 0;
  while (done < count) {
    for (OperandPair& pair : pairs) {
      pair = done < special.size() ? special[done] : mixed.next();
      pair = {as(pair.a, widths.a), as(pair.b, widths.b)};
      ++done;
    }
    const testing::AssertionResult agree = comparison.run(pairs);
    ASSERT_TRUE(agree) << agree.message();
  }
  comparison.report(done);
}

}  // namespace gdr::tests
