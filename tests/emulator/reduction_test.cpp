// Every reduction, in the tree's nodes and on the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"
#include "host_reduction.h"
#include "integer_oracle.h"
#include "wide_oracle.h"

namespace gdr::tests {
namespace {

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

TEST_P(Reduction, OnTheHostIsTheSameOn64Bits) {
  RandomPrograms random(33);
  for (int n = 0; n < 2'000; ++n) {
    const std::uint64_t a = random.word().high;
    const std::uint64_t b = random.word().high;
    const std::uint64_t result = emulator::reduce_on_host(GetParam(), a, b);
    if (is_floating(GetParam())) {
      const auto usual = [](std::uint64_t field) {
        return field << 1 == 0 || std::isnormal(std::bit_cast<double>(field));
      };
      if (!usual(a) || !usual(b)) continue;
      const auto wide = wide_answer(GetParam(), {a, 0}, {b, 0}, 53);
      if (wide.event != WideEvent::none) continue;  // the host has subnormal numbers
      ASSERT_EQ(std::bit_cast<double>(result), std::bit_cast<double>(LongWord::from_bits(wide.bits).high));
    } else {
      const auto extended = [](std::uint64_t field) {
        return uint128{field} | ((field >> 63) != 0 ? uint128{0xff} << 64 : uint128{0});
      };
      const uint128 value = integer_answer(GetParam(), extended(a), extended(b), Width::long_word).value;
      ASSERT_EQ(result, static_cast<std::uint64_t>(value)) << a << ' ' << b;
    }
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

TEST(ReductionOnTheHost, TakesIntegersAsSigned) {
  const auto field = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  EXPECT_EQ(emulator::reduce_on_host(Op::UMAX, field(-1), 1), 1u);
  EXPECT_EQ(emulator::reduce_on_host(Op::UMIN, field(-1), 1), field(-1));
  EXPECT_EQ(emulator::reduce_on_host(Op::UADD, std::uint64_t{1} << 63, std::uint64_t{1} << 63), 0u);
}

TEST(ReductionOnTheHost, OfEqualNumbersIsTheFirst) {
  const auto zero = std::bit_cast<std::uint64_t>(0.0);
  const auto minus_zero = std::bit_cast<std::uint64_t>(-0.0);
  EXPECT_EQ(emulator::reduce_on_host(Op::FMAX, minus_zero, zero), minus_zero);
  EXPECT_EQ(emulator::reduce_on_host(Op::FMIN, zero, minus_zero), zero);
}

TEST(ReductionDeathTest, IsAnOperationOfTheTreesNodes) {
  FpEvents events;
  EXPECT_DEATH(static_cast<void>(emulator::reduce(Op::FSUB, {}, {}, Width::long_word, events)), "tree's nodes");
  EXPECT_DEATH(static_cast<void>(emulator::reduce_on_host(Op::USUB, 0, 0)), "tree's nodes");
}

TEST(Compute, RefusesOperationsWithoutAResult) {
  for (const Op op : {Op::NOP, Op::FMULH, Op::BM}) {
    EXPECT_THROW(static_cast<void>(emulator::compute(op, {}, {}, Width::long_word)), Error);
  }
}

}  // namespace
}  // namespace gdr::tests
