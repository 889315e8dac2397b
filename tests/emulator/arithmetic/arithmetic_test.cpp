// Floating point against the wide oracle, and the rules of docs/machine/arithmetic.md one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>

#include "arithmetic_check.h"
#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/word.h"

namespace gdr::tests {
namespace {

using emulator::fadd;
using emulator::fmax;
using emulator::fmin;
using emulator::fmul;
using emulator::fmul2;
using emulator::fpassa;
using emulator::FpEvent;
using emulator::FpEvents;
using emulator::FpResult;
using emulator::fsub;
using isa::LongWord;
using isa::Width;

LongWord word(double value) { return {std::bit_cast<std::uint64_t>(value), 0}; }

/// sign, exponent field, 60 bits of fraction
LongWord word(bool negative, unsigned exponent, std::uint64_t fraction) {
  return LongWord::from_bits((isa::uint128{negative} << 71) | (isa::uint128{exponent} << 60) | fraction);
}

const LongWord kPlusZero = word(0.0);
const LongWord kPlusInfinity = word(std::numeric_limits<double>::infinity());
const LongWord kMinusInfinity = word(-std::numeric_limits<double>::infinity());
const LongWord kLargest = word(false, 2046, (std::uint64_t{1} << 60) - 1);
const LongWord kSmallest = word(false, 1, 0);

class Arithmetic : public testing::TestWithParam<std::tuple<isa::Op, std::uint64_t>> {
 public:
  static std::string name(const testing::TestParamInfo<ParamType>& tested) {
    return std::string(isa::info_of(std::get<isa::Op>(tested.param)).function);
  }
};

TEST_P(Arithmetic, EqualsTheExactResultRoundedOnce) {
  const auto [operation, pairs] = GetParam();
  check_against_oracle(operation, pairs);
}

INSTANTIATE_TEST_SUITE_P(Operations, Arithmetic,
                         testing::Combine(testing::ValuesIn(fp_operations()), testing::Values(100'000)),
                         Arithmetic::name);
INSTANTIATE_TEST_SUITE_P(Nightly, Arithmetic,
                         testing::Combine(testing::ValuesIn(fp_operations()), testing::Values(10'000'000)),
                         Arithmetic::name);

// The oracle itself, rounding to 53 bits, against the host's own arithmetic where neither overflows nor underflows.
TEST(WideOracle, AgreesWithHostDoubles) {
  std::mt19937_64 random(7);
  const auto number = [&random] {
    constexpr std::uint64_t kPortFraction = ~std::uint64_t{0x7} & 0x000f'ffff'ffff'ffff;  // 50 bits: no port cuts them
    const std::uint64_t exponent = 1023 - 80 + random() % 160;
    return std::bit_cast<double>(((random() & 1) << 63) | (exponent << 52) | (random() & kPortFraction));
  };
  for (int i = 0; i < 20'000; ++i) {
    const double a = number();
    const double b = number();
    const auto answer = [&](isa::Op operation) {
      return LongWord::from_bits(wide_answer(operation, word(a), word(b), 53).bits);
    };
    ASSERT_EQ(answer(isa::Op::FADD), word(a + b)) << a << " + " << b;
    ASSERT_EQ(answer(isa::Op::FSUB), word(a - b)) << a << " - " << b;
    ASSERT_EQ(answer(isa::Op::FMULL), word(a * b)) << a << " * " << b;
    ASSERT_EQ(answer(isa::Op::FMAX), word(std::fmax(a, b)));
    ASSERT_EQ(answer(isa::Op::FMIN), word(std::fmin(a, b)));
  }
}

TEST(OperandPairs, AreTheSameForTheSameSeed) {
  for (const PairFamily family : {PairFamily::sum, PairFamily::short_product, PairFamily::long_product}) {
    OperandPairs first(family, 3);
    OperandPairs second(family, 3);
    for (int i = 0; i < 1000; ++i) {
      const OperandPair a = first.next();
      const OperandPair b = second.next();
      ASSERT_EQ(a.a, b.a);
      ASSERT_EQ(a.b, b.b);
    }
  }
}

TEST(OperandPairs, GiveShortMultipliersToFmul) {
  OperandPairs pairs(PairFamily::short_product);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(pairs.next().b.lower().bits, 0u);
}

TEST(Adder, TakesAnyWordWithExponentZeroAsZero) {
  const LongWord junk = word(true, 0, 0x0123'4567'89ab'cde);
  EXPECT_EQ(fadd(junk, word(1.5), Width::long_word).value, word(1.5));
  const FpResult result = fadd(junk, junk, Width::long_word);
  EXPECT_EQ(result, (FpResult{kPlusZero, false, true, FpEvent::none}));
}

TEST(Adder, CancelsToPlusZeroWithoutAnEvent) {
  const FpResult result = fsub(word(-3.0), word(-3.0), Width::short_word);
  EXPECT_EQ(result, (FpResult{kPlusZero, false, true, FpEvent::none}));
}

TEST(Adder, GivesPlusInfinityForTheDifferenceOfInfinities) {
  const LongWord junk_infinity = word(true, 2047, 42);
  EXPECT_EQ(fadd(junk_infinity, kPlusInfinity, Width::long_word),
            (FpResult{kPlusInfinity, false, false, FpEvent::invalid}));
  EXPECT_EQ(fsub(junk_infinity, kMinusInfinity, Width::long_word),
            (FpResult{kPlusInfinity, false, false, FpEvent::invalid}));
  EXPECT_EQ(fadd(junk_infinity, kMinusInfinity, Width::long_word),
            (FpResult{kMinusInfinity, true, false, FpEvent::none}));
}

TEST(Adder, OverflowsToInfinityOfTheSign) {
  const LongWord minus_largest = emulator::negate(kLargest);
  EXPECT_EQ(fadd(minus_largest, minus_largest, Width::long_word),
            (FpResult{kMinusInfinity, true, false, FpEvent::overflow}));
}

TEST(Adder, OverflowsInThePassToAShortWordOnlyByRounding) {
  EXPECT_EQ(fpassa(kLargest, Width::short_word), (FpResult{kPlusInfinity, false, false, FpEvent::overflow}));
  EXPECT_EQ(fpassa(kLargest, Width::long_word), (FpResult{kLargest, false, false, FpEvent::none}));
}

TEST(Adder, FlushesADifferenceBelowTheSmallestNumber) {
  const LongWord next = word(false, 1, 1);
  EXPECT_EQ(fsub(next, kSmallest, Width::long_word), (FpResult{kPlusZero, false, true, FpEvent::underflow}));
}

TEST(Adder, KeepsADifferenceThatRoundsUpToTheSmallestNumber) {
  const LongWord twice = word(false, 2, 0);
  const LongWord next = word(false, 1, 1);
  EXPECT_EQ(fsub(twice, next, Width::long_word).event, FpEvent::underflow);
  EXPECT_EQ(fsub(twice, next, Width::short_word), (FpResult{kSmallest, false, false, FpEvent::none}));
}

TEST(Adder, LetsTheSmallestNumberBreakATie) {
  const LongWord tie = word(false, 1023, (std::uint64_t{1} << 36) | (std::uint64_t{1} << 35));
  const LongWord below = word(false, 1023, std::uint64_t{1} << 36);
  EXPECT_EQ(fadd(tie, kSmallest, Width::short_word), fpassa(tie, Width::short_word));  // up, as the tie to even
  EXPECT_EQ(fsub(tie, kSmallest, Width::short_word).value, below);
}

TEST(Adder, ComparesInfinitiesAndZeros) {
  EXPECT_EQ(fmax(kMinusInfinity, kLargest, Width::long_word).value, kLargest);
  EXPECT_EQ(fmin(kMinusInfinity, kLargest, Width::long_word).value, kMinusInfinity);
  EXPECT_EQ(fmax(word(true, 0, 5), word(-1.0), Width::long_word), (FpResult{kPlusZero, false, true, FpEvent::none}));
  EXPECT_EQ(fmin(word(true, 2047, 5), word(true, 2047, 6), Width::long_word).value, kMinusInfinity);
}

TEST(Adder, ChoosesTheMaximumBeforeItRounds) {
  const LongWord a = word(true, 1023, 1);  // both round to -1
  const LongWord b = word(true, 1023, 2);
  EXPECT_EQ(fmax(a, b, Width::short_word).value, word(-1.0));
  EXPECT_EQ(fmax(b, a, Width::long_word).value, a);
  EXPECT_EQ(fmin(a, b, Width::long_word).value, b);
}

TEST(Negate, FlipsTheSignBitAlone) {
  const LongWord a = word(false, 77, 0xabc);
  EXPECT_EQ(emulator::negate(a), word(true, 77, 0xabc));
  EXPECT_EQ(emulator::negate(emulator::negate(a)), a);
}

TEST(Multiplier, CutsALongOperandToFiftyBits) {
  const LongWord a = word(false, 1023, 0x7ff);  // 1 + 2^-49 - 2^-60: the port sees 1
  EXPECT_EQ(fmul(a, word(1.0), Width::long_word).value, word(1.0));
  EXPECT_EQ(fmul2(word(1.0), a, Width::long_word).value, word(1.0));
  const LongWord kept = word(false, 1023, 0x800);
  EXPECT_EQ(fmul(kept, word(1.0), Width::long_word).value, kept);
}

TEST(Multiplier, GivesPlusInfinityForZeroTimesInfinity) {
  const FpResult invalid = {kPlusInfinity, false, false, FpEvent::invalid};
  EXPECT_EQ(fmul(word(true, 0, 9), kMinusInfinity, Width::long_word), invalid);
  EXPECT_EQ(fmul(kMinusInfinity, kPlusZero, Width::short_word), invalid);
  EXPECT_EQ(fmul2(kPlusZero, kPlusInfinity, Width::long_word), invalid);
}

TEST(Multiplier, DecidesEventsOnTheWholeDoubleProduct) {
  // The lower half of b alone would give a product far below 2^-1022.
  const LongWord a = word(false, 500, 0);
  const LongWord b = word(false, 524, 0x800);
  EXPECT_EQ(fmul2(a, b, Width::long_word), (FpResult{word(false, 1, 0x800), false, false, FpEvent::none}));
}

TEST(Multiplier, UnderflowsToPlusZeroWhateverTheSign) {
  EXPECT_EQ(fmul(word(true, 1, 0), word(false, 1, 0), Width::long_word),
            (FpResult{kPlusZero, false, true, FpEvent::underflow}));
}

TEST(MultiplierDeathTest, RefusesALongSecondOperandInOnePass) {
  const LongWord wide = word(false, 1023, 1);
  EXPECT_DEATH(static_cast<void>(emulator::fmul(wide, wide, Width::long_word)), "short word");
}

TEST(FpEvents, CountEachKind) {
  FpEvents events;
  events += FpEvent::none;
  events += FpEvent::overflow;
  events += FpEvent::invalid;
  events += FpEvent::overflow;
  events += FpEvents{0, 0, 4};
  EXPECT_EQ(events, (FpEvents{1, 2, 4}));
}

}  // namespace
}  // namespace gdr::tests
