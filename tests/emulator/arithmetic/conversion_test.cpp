// Conversions between host numbers and machine words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/emulator/conversion.h"
#include "gdr/isa/word.h"

namespace gdr::tests {
namespace {

using emulator::ConversionEvent;
using emulator::ConversionEvents;
using emulator::convert_array;
using emulator::fix36to64;
using emulator::fix64to36;
using emulator::fix64to72;
using emulator::fix72to64;
using emulator::flt36to64;
using emulator::flt64to36;
using emulator::flt64to72;
using emulator::flt72to64;
using emulator::raw36to64;
using emulator::raw64to36;
using emulator::raw64to72;
using emulator::raw72to64;
using isa::LongWord;
using isa::ShortWord;
using testing::HasSubstr;
using testing::Property;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestDouble = std::numeric_limits<double>::max();
constexpr double kSmallestDouble = std::numeric_limits<double>::min();
constexpr double kSubnormal = std::numeric_limits<double>::denorm_min();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Host numbers of every kind but NaN and subnormal: exponents all over the range.
std::vector<double> host_numbers() {
  std::vector<double> numbers = {
      0.0, 1.0, -1.0, 0.1, kLargestDouble, -kLargestDouble, kSmallestDouble, -kSmallestDouble, kInfinity, -kInfinity};
  std::mt19937_64 random(5);
  while (numbers.size() < 20'000) {
    const double number = std::bit_cast<double>(random());
    if (std::isnormal(number)) numbers.push_back(number);
  }
  return numbers;
}

TEST(FltConversion, AppendsEightZeroBitsToADouble) {
  for (const double number : host_numbers()) {
    const auto converted = flt64to72(number);
    ASSERT_EQ(converted.value, (LongWord{std::bit_cast<std::uint64_t>(number), 0}));
    ASSERT_EQ(converted.event, ConversionEvent::none);
  }
}

TEST(FltConversion, ReturnsEveryDoubleUnchanged) {
  for (const double number : host_numbers()) {
    const auto back = flt72to64(flt64to72(number).value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back.value), std::bit_cast<std::uint64_t>(number));
    ASSERT_EQ(back.event, ConversionEvent::none);
  }
}

TEST(FltConversion, MakesBothZerosPlusZero) {
  EXPECT_EQ(flt64to72(-0.0).value, LongWord{});
  EXPECT_EQ(flt64to36(-0.0).value, ShortWord{});
  EXPECT_FALSE(std::signbit(flt72to64(LongWord{std::uint64_t{1} << 63, 3}).value));
  EXPECT_EQ(flt64to72(-0.0).event, ConversionEvent::none);
}

TEST(FltConversion, FlushesSubnormalsAndCountsThem) {
  for (const double number : {kSubnormal, -kSubnormal, kSmallestDouble - kSubnormal}) {
    EXPECT_EQ(flt64to72(number).value, LongWord{});
    EXPECT_EQ(flt64to72(number).event, ConversionEvent::underflow);
    EXPECT_EQ(flt64to36(number).value, ShortWord{});
    EXPECT_EQ(flt64to36(number).event, ConversionEvent::underflow);
  }
}

TEST(FltConversion, RoundsToShortAsAFloatWithOneMoreBitWould) {
  // x + c rounds x to the last place of c: with c of 25 bits' weight above x, the host itself rounds to nearest even.
  for (const double number : host_numbers()) {
    int exponent = 0;
    const double fraction = std::frexp(number, &exponent);  // 0.5 <= |fraction| < 1
    if (!std::isfinite(number) || exponent > 1023) continue;
    const double magic = 0x1.8p27;  // last place 2^-25 = that of a 25-bit number below 1
    const double rounded = (fraction + magic) - magic;
    ASSERT_EQ(flt36to64(flt64to36(number).value).value, std::ldexp(rounded, exponent)) << number;
  }
}

TEST(FltConversion, OverflowsToShortInfinityAndCounts) {
  EXPECT_EQ(flt36to64(flt64to36(-kLargestDouble).value).value, -kInfinity);
  EXPECT_EQ(flt64to36(-kLargestDouble).event, ConversionEvent::overflow);
  EXPECT_EQ(flt64to36(kInfinity).event, ConversionEvent::none);
  EXPECT_EQ(flt36to64(flt64to36(kInfinity).value).value, kInfinity);
}

TEST(FltConversion, RoundsLongToDoubleToNearestEven) {
  const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
  EXPECT_EQ(flt72to64({one, 0x7f}).value, 1.0);
  EXPECT_EQ(flt72to64({one, 0x80}).value, 1.0);
  EXPECT_EQ(flt72to64({one, 0x81}).value, std::nextafter(1.0, 2.0));
  EXPECT_EQ(flt72to64({one + 1, 0x80}).value, std::bit_cast<double>(one + 2));
  EXPECT_EQ(flt72to64({std::bit_cast<std::uint64_t>(std::nextafter(2.0, 1.0)), 0x80}).value, 2.0);
}

TEST(FltConversion, OverflowsToDoubleInfinityAndCounts) {
  const auto converted = flt72to64({std::bit_cast<std::uint64_t>(-kLargestDouble), 0x80});
  EXPECT_EQ(converted.value, -kInfinity);
  EXPECT_EQ(converted.event, ConversionEvent::overflow);
  EXPECT_EQ(flt72to64({std::bit_cast<std::uint64_t>(-kLargestDouble), 0x7f}).value, -kLargestDouble);
}

TEST(FltConversion, TakesWordsByTheirExponentAlone) {
  EXPECT_EQ(flt72to64({0x000f'ffff'ffff'ffff, 0xff}).value, 0.0);
  EXPECT_EQ(flt72to64({0x000f'ffff'ffff'ffff, 0xff}).event, ConversionEvent::none);
  EXPECT_EQ(flt72to64({0xfff0'0000'0000'0000, 0x01}).value, -kInfinity);
  EXPECT_EQ(flt36to64({0x7ff000001}).value, kInfinity);
}

TEST(FltConversion, RefusesNanNamingArrayAndIndex) {
  const std::vector<double> masses = {1.0, 2.0, kNan};
  EXPECT_THAT([&] { static_cast<void>(convert_array<flt64to72>(masses, "mass")); },
              ThrowsMessage<Error>(HasSubstr("mass[2] is NaN")));
  EXPECT_THAT([&] { static_cast<void>(flt64to36(-kNan, {"eps", 4})); },
              ThrowsMessage<Error>(HasSubstr("eps[4] is NaN")));
}

TEST(FixConversion, ExtendsTheSign) {
  EXPECT_EQ(fix64to72(-1).value, LongWord::from_bits(~isa::uint128{0}));
  EXPECT_EQ(fix64to72(std::numeric_limits<std::int64_t>::min()).value, (LongWord{0xff80'0000'0000'0000, 0}));
  EXPECT_EQ(fix64to72(5).value, LongWord::from_bits(5));
  EXPECT_EQ(fix36to64({isa::kShortMask}).value, -1);
  EXPECT_EQ(fix36to64({isa::kShortMask >> 1}).value, 34359738367);
}

TEST(FixConversion, ReturnsEveryIntegerUnchanged) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
    ASSERT_EQ(fix72to64(fix64to72(value).value).value, value);
    const std::int64_t small = value >> 28;
    ASSERT_EQ(fix36to64(fix64to36(small).value).value, small);
  }
}

TEST(FixConversion, RefusesWhatAShortWordCannotHold) {
  const std::vector<std::int64_t> fits = {34359738367, -34359738368};
  EXPECT_EQ(convert_array<fix64to36>(fits, "index").values, (std::vector<ShortWord>{{0x7ffffffff}, {0x800000000}}));
  const std::vector<std::int64_t> above = {0, 34359738368};
  EXPECT_THAT([&] { static_cast<void>(convert_array<fix64to36>(above, "index")); },
              ThrowsMessage<Error>(HasSubstr("index[1] is 34359738368")));
  EXPECT_THROW(static_cast<void>(fix64to36(-34359738369)), Error);
}

TEST(FixConversion, SaturatesWhatTheHostCannotHoldAndCounts) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto largest = static_cast<isa::uint128>(Limits::max());
  const std::vector<LongWord> words = {LongWord::from_bits(largest), LongWord::from_bits(largest + 1),
                                       LongWord::from_bits(~largest), LongWord::from_bits(~largest - 1),
                                       LongWord::from_bits(isa::uint128{1} << 71)};
  const auto converted = convert_array<fix72to64>(words, "count");
  EXPECT_EQ(converted.values,
            (std::vector<std::int64_t>{Limits::max(), Limits::max(), Limits::min(), Limits::min(), Limits::min()}));
  EXPECT_EQ(converted.events, (ConversionEvents{.saturated = 3}));
}

TEST(RawConversion, KeepsTheLowBits) {
  EXPECT_EQ(raw64to72(~std::uint64_t{0}).value, LongWord::from_bits(~std::uint64_t{0}));
  EXPECT_EQ(raw72to64(LongWord::from_bits((isa::uint128{0xab} << 64) | 0x1234)).value, 0x1234u);
  EXPECT_EQ(raw36to64(raw64to36(0xfffffffff).value).value, 0xfffffffffu);
  EXPECT_THROW(static_cast<void>(raw64to36(0x1000000000)), Error);
}

TEST(ConvertArray, CountsTheEventsOfAllElements) {
  const std::vector<double> numbers = {1.0, kSubnormal, kLargestDouble, kSubnormal};
  const auto converted = convert_array<flt64to36>(numbers, "x");
  EXPECT_EQ(converted.values.size(), numbers.size());
  EXPECT_EQ(converted.events, (ConversionEvents{.overflow = 1, .underflow = 2}));
}

}  // namespace
}  // namespace gdr::tests
