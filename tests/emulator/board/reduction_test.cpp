// Every reduction: in the tree's nodes, in the ring, and on the host.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gdr/emulator/board.h"
#include "gdr/emulator/host_reduction.h"
#include "gdr/selftest/sums.h"
#include "integer_oracle.h"
#include "wide_oracle.h"

namespace gdr::tests {
namespace {

using emulator::FpEvent;
using emulator::FpEvents;
using isa::LongWord;
using isa::Op;
using isa::uint128;
using isa::Width;
using selftest::RandomPrograms;

bool is_floating(Op op) { return isa::info_of(op).kind == isa::NumberKind::floating_point; }

LongWord left_justified(uint128 integer, Width width) {
  return LongWord::from_bits(integer << (isa::kLongBits - isa::bits_of(width)));
}
uint128 right_aligned(LongWord word, Width width) { return word.bits() >> (isa::kLongBits - isa::bits_of(width)); }

/// The word that the record calls the operation's neutral one.
std::optional<LongWord> neutral_word(Op op, Width width) {
  const uint128 ones = (uint128{1} << isa::bits_of(width)) - 1;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (isa::info_of(op).neutral) {
    case isa::Identity::zero:
      return LongWord{};
    case isa::Identity::all_ones:
      return left_justified(ones, width);
    case isa::Identity::least:
      return is_floating(op) ? LongWord{std::bit_cast<std::uint64_t>(-infinity), 0}
                             : left_justified(ones ^ (ones >> 1), width);
    case isa::Identity::greatest:
      return is_floating(op) ? LongWord{std::bit_cast<std::uint64_t>(infinity), 0} : left_justified(ones >> 1, width);
    case isa::Identity::none:
      break;
  }
  return std::nullopt;
}

/// By the oracles.
LongWord expected(Op op, LongWord a, LongWord b, Width width) {
  if (is_floating(op)) {
    return LongWord::from_bits(wide_answer(op, a, b, width == Width::long_word ? 61 : 25).bits);
  }
  return left_justified(integer_answer(op, right_aligned(a, width), right_aligned(b, width), width).value, width);
}

LongWord word_of(RandomPrograms& random, Width width) {
  const LongWord word = random.word();
  return width == Width::long_word ? word : isa::widen(word.upper());
}

class Reduction : public testing::TestWithParam<Op> {};

TEST_P(Reduction, InATreeNodeIsTheUnitsOperation) {
  RandomPrograms random(31);
  for (const Width width : {Width::long_word, Width::short_word}) {
    for (int n = 0; n < 2'000; ++n) {
      const LongWord a = word_of(random, width);
      const LongWord b = word_of(random, width);
      FpEvents events;
      ASSERT_EQ(emulator::reduce(GetParam(), a, b, width, events), expected(GetParam(), a, b, width))
          << isa::to_hex(a) << ' ' << isa::to_hex(b);
    }
  }
}

TEST_P(Reduction, LeavesAWordBesideItsNeutralOneAsItIs) {
  RandomPrograms random(32);
  for (const Width width : {Width::long_word, Width::short_word}) {
    const std::optional<LongWord> neutral = neutral_word(GetParam(), width);
    ASSERT_TRUE(neutral);
    for (int n = 0; n < 2'000; ++n) {
      LongWord word = word_of(random, width);
      if (is_floating(GetParam())) word = emulator::fpassa(word, width).value;  // canonical
      FpEvents events;
      ASSERT_EQ(emulator::reduce(GetParam(), *neutral, word, width, events), word) << isa::to_hex(word);
      ASSERT_EQ(emulator::reduce(GetParam(), word, *neutral, width, events), word) << isa::to_hex(word);
      ASSERT_EQ(events, FpEvents{});
    }
  }
}

/// The event as the oracle calls it.
WideEvent wide(FpEvent event) {
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

/// A double of any kind: NaN, infinities, subnormal numbers and both zeros are no rarer than others.
double any_double(RandomPrograms& random) {
  const std::uint64_t high = random.word().high;
  constexpr std::uint64_t kExponent = std::uint64_t{2047} << 52;
  switch (random.below(6)) {
    case 0:
      return std::bit_cast<double>(high | kExponent);
    case 1:
      return std::bit_cast<double>((high | kExponent) ^ (std::uint64_t{1} << 52));  // the largest
    case 2:
      return std::bit_cast<double>(high & ~kExponent);
    case 3:
      return std::bit_cast<double>((high & ~kExponent) | (1 + random.below(3)) << 52);
    default:
      return std::bit_cast<double>(high);
  }
}

TEST_P(Reduction, BeyondTheChipFollowsTheTable) {
  // Results of 1, 2, 4 and 8 chips of one or two boards, in the ring and on the host.
  unsigned inputs = 0;
  for (std::uint64_t seed = 0; seed < 900; ++seed) {
    const selftest::SumsInput input = selftest::random_sums(seed);
    if (*input.program.variables.back().reduction != GetParam()) continue;
    ++inputs;
    const auto differs = selftest::check_sums(input);
    ASSERT_FALSE(differs) << "seed " << seed << ", " << text_of(*differs);
  }
  EXPECT_GT(inputs, 30u);
  if (!is_floating(GetParam())) return;
  RandomPrograms random(33);
  for (std::size_t size : {1, 7, 64, 200, 5'000}) {  // batches, parts of one, and both
    std::vector<double> sums(size);
    std::vector<double> more(size);
    for (std::size_t n = 0; n < size; ++n) {
      // Long runs of ordinary numbers and of wild ones.
      const bool wild = n / 100 % 2 == 0;
      sums[n] = wild ? any_double(random) : 1 + static_cast<double>(random.below(1u << 30)) * 0x1p-40;
      more[n] = wild ? any_double(random) : -1 - static_cast<double>(random.below(1u << 30)) * 0x1p-60;
    }
    const std::vector<double> before = sums;
    const std::vector<emulator::NumberEvent> events = emulator::reduce_on_host(GetParam(), sums, more);
    auto event = events.begin();
    for (std::size_t n = 0; n < size; ++n) {
      const LongWord a{std::bit_cast<std::uint64_t>(before[n]), 0};
      const LongWord b{std::bit_cast<std::uint64_t>(more[n]), 0};
      const WideAnswer answer = wide_answer(GetParam(), a, b, 53);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(sums[n]), LongWord::from_bits(answer.bits).high)
          << isa::to_hex(a) << ' ' << isa::to_hex(b);
      const bool had = event != events.end() && event->index == n;
      ASSERT_EQ(had ? wide(event->event) : WideEvent::none, answer.event) << isa::to_hex(a) << ' ' << isa::to_hex(b);
      if (had) ++event;
    }
    EXPECT_EQ(event, events.end());
  }
}

std::vector<Op> reductions() {
  std::vector<Op> all;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (info.reduces) all.push_back(info.op);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Operations, Reduction, testing::ValuesIn(reductions()),
                         [](const auto& tested) { return std::string(isa::info_of(tested.param).mnemonic); });

/// The result of a kernel that passes a 64-bit integer through, on a board with a chip for each of `integers`.
std::int64_t on_chips(Op op, const std::vector<std::int64_t>& integers, std::uint64_t& saturated,
                      emulator::Combination combination) {
  selftest::SumsInput input;
  for (std::uint64_t seed = 0;; ++seed) {
    input = selftest::random_sums(seed);
    const isa::Variable& result = input.program.variables.back();
    if (result.reduction == op && result.conversion == isa::Conversion::FIX72TO64) break;
  }
  emulator::MachineDescription machine;
  machine.chips = static_cast<unsigned>(integers.size());
  machine.em_words = 1;
  emulator::Boards boards(machine, 1, emulator::Engine::reference, 1);
  boards.load(input.program);
  for (std::size_t k = 0; k < integers.size(); ++k) {
    const auto field = static_cast<std::uint64_t>(integers[k]);
    boards.write_record(k, {&field, 1});
  }
  const std::uint64_t none = 0;
  const auto result = boards.run({&none, 1}, 1, 0, integers.size(), combination);
  saturated = boards.counters().conversions.saturated;
  return static_cast<std::int64_t>(result.front());
}

TEST(ReductionOverChips, OfIntegersHas72BitsAndSaturatesOnce) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const auto combination : {emulator::Combination::host, emulator::Combination::ring}) {
    std::uint64_t saturated = 0;
    EXPECT_EQ(on_chips(Op::UADD, {Limits::min(), Limits::min()}, saturated, combination), Limits::min());
    EXPECT_EQ(saturated, 1u) << "it is below 64 bits";
    EXPECT_EQ(on_chips(Op::UADD, {Limits::max(), 1, 0, 0}, saturated, combination), Limits::max());
    EXPECT_EQ(saturated, 1u);
    EXPECT_EQ(on_chips(Op::UADD, {Limits::max(), Limits::max(), Limits::min(), Limits::min()}, saturated, combination),
              -2);
    EXPECT_EQ(saturated, 0u) << "only the last sum must be inside 64 bits";
    EXPECT_EQ(on_chips(Op::UMAX, {-1, 1}, saturated, combination), 1);
    EXPECT_EQ(on_chips(Op::UMIN, {-1, 1}, saturated, combination), -1);
  }
}

TEST(ReductionOnTheHost, OfInfinitiesOfBothSignsIsVisible) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> sums{infinity, -infinity, -infinity, 1.5};
  const std::vector<emulator::NumberEvent> events =
      emulator::reduce_on_host(Op::FADD, sums, std::vector<double>{-infinity, infinity, -infinity, 1});
  EXPECT_EQ(sums, (std::vector<double>{infinity, infinity, -infinity, 2.5}));
  EXPECT_EQ(events, (std::vector<emulator::NumberEvent>{{0, FpEvent::invalid}, {1, FpEvent::invalid}}));
}

TEST(ReductionDeathTest, IsAnOperationOfTheTreesNodes) {
  FpEvents events;
  EXPECT_DEATH(static_cast<void>(emulator::reduce(Op::FSUB, {}, {}, Width::long_word, events)), "tree's nodes");
  EXPECT_DEATH(static_cast<void>(emulator::reduce_on_host(Op::UADD, {}, {})), "tree's nodes");
}

TEST(Compute, RefusesOperationsWithoutAResult) {
  for (const Op op : {Op::NOP, Op::FMULH, Op::BM}) {
    EXPECT_THROW(static_cast<void>(emulator::compute(op, {}, {}, Width::long_word)), Error);
  }
}

}  // namespace
}  // namespace gdr::tests
