// The integer ALU against arithmetic on single bits, as one would do it with pencil and paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/word.h"

namespace gdr::tests {
namespace {

using emulator::AluResult;
using isa::uint128;
using isa::Width;

using Bits = std::vector<bool>;  // lowest first

Bits bits_of(uint128 value, Width width) {
  Bits bits;
  for (int i = 0; i < isa::bits_of(width); ++i, value /= 2) bits.push_back(value % 2 == 1);
  return bits;
}

uint128 value_of(const Bits& bits) {
  uint128 value = 0;
  for (auto bit = bits.rbegin(); bit != bits.rend(); ++bit) value = 2 * value + (*bit ? 1 : 0);
  return value;
}

struct BitResult {
  Bits bits;
  bool carry = false;
};

BitResult ripple_add(const Bits& a, const Bits& b, bool carry) {
  BitResult result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int ones = (a[i] ? 1 : 0) + (b[i] ? 1 : 0) + (carry ? 1 : 0);
    result.bits.push_back(ones % 2 == 1);
    carry = ones >= 2;
  }
  result.carry = carry;
  return result;
}

Bits inverted(Bits bits) {
  bits.flip();
  return bits;
}

/// Signed order, decided at the highest bit that differs; there the sign counts the other way round.
bool signed_less(const Bits& a, const Bits& b) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return i + 1 == a.size() ? a[i] : b[i];
  }
  return false;
}

/// Bit i of the result comes from `count` places below (left) or above it; from outside comes the fill.
Bits shifted(const Bits& bits, uint128 count, bool left, bool fill) {
  const int size = static_cast<int>(bits.size());
  const int places = count < bits.size() ? static_cast<int>(count) : size;
  Bits result;
  for (int i = 0; i < size; ++i) {
    const int from = left ? i - places : i + places;
    result.push_back(from < 0 || from >= size ? fill : bits[static_cast<std::size_t>(from)]);
  }
  return result;
}

template <class Rule>
BitResult each_bit(const Bits& a, const Bits& b, Rule rule) {
  BitResult result;
  for (std::size_t i = 0; i < a.size(); ++i) result.bits.push_back(rule(a[i], b[i]));
  return result;
}

BitResult leading_zeros(const Bits& a) {
  const auto highest_one = std::find(a.rbegin(), a.rend(), true);
  return {
      bits_of(static_cast<unsigned>(highest_one - a.rbegin()), a.size() == 72 ? Width::long_word : Width::short_word)};
}

struct AluCase {
  std::string name;
  AluResult (*emulated)(uint128 a, uint128 b, Width width);
  BitResult (*expected)(const Bits& a, const Bits& b);
};

const std::vector<AluCase>& alu_cases() {
  static const std::vector<AluCase> kCases = {
      {"uadd", emulator::uadd, [](const Bits& a, const Bits& b) { return ripple_add(a, b, false); }},
      {"usub", emulator::usub,
       [](const Bits& a, const Bits& b) {
         BitResult result = ripple_add(a, inverted(b), true);
         result.carry = !result.carry;  // no carry out of a + ~b + 1 is a borrow
         return result;
       }},
      {"uand", emulator::uand,
       [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x && y; }); }},
      {"uor", emulator::uor,
       [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x || y; }); }},
      {"uxor", emulator::uxor,
       [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x != y; }); }},
      {"unot", [](uint128 a, uint128, Width width) { return emulator::unot(a, width); },
       [](const Bits& a, const Bits&) { return BitResult{inverted(a)}; }},
      {"ulsl", emulator::ulsl,
       [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), true, false)}; }},
      {"ulsr", emulator::ulsr,
       [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), false, false)}; }},
      {"uasr", emulator::uasr,
       [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), false, a.back())}; }},
      {"upassa", [](uint128 a, uint128, Width width) { return emulator::upassa(a, width); },
       [](const Bits& a, const Bits&) { return BitResult{a}; }},
      {"umax", emulator::umax, [](const Bits& a, const Bits& b) { return BitResult{signed_less(a, b) ? b : a}; }},
      {"umin", emulator::umin, [](const Bits& a, const Bits& b) { return BitResult{signed_less(a, b) ? a : b}; }},
      {"ulzc", [](uint128 a, uint128, Width width) { return emulator::ulzc(a, width); },
       [](const Bits& a, const Bits&) { return leading_zeros(a); }},
  };
  return kCases;
}

std::vector<uint128> special_words(Width width) {
  const int bits = isa::bits_of(width);
  const uint128 sign = uint128{1} << (bits - 1);
  std::vector<uint128> words = {0, 1, 2, sign - 1, sign, sign + 1, 2 * sign - 2, 2 * sign - 1};
  for (const int near : {35, 36, 37, 63, 64, 65, 71, 72, 73}) words.push_back(static_cast<unsigned>(near));
  for (int bit = 2; bit < bits - 1; bit += 7) words.push_back(uint128{1} << bit);
  return words;
}

class Alu : public testing::TestWithParam<AluCase> {
 protected:
  static void check(uint128 a, uint128 b, Width width) {
    const BitResult expected = GetParam().expected(bits_of(a, width), bits_of(b, width));
    const AluResult result = GetParam().emulated(a, b, width);
    const bool any = std::find(expected.bits.begin(), expected.bits.end(), true) != expected.bits.end();
    const AluResult wanted = {value_of(expected.bits), expected.bits.back(), !any, expected.carry};
    ASSERT_TRUE(result == wanted) << GetParam().name << ' ' << to_hex(isa::LongWord::from_bits(a)) << ' '
                                  << to_hex(isa::LongWord::from_bits(b)) << " gives "
                                  << to_hex(isa::LongWord::from_bits(result.value)) << ", expected "
                                  << to_hex(isa::LongWord::from_bits(wanted.value));
  }
};

TEST_P(Alu, EqualsBitByBitArithmeticOnSpecialWords) {
  for (const Width width : {Width::long_word, Width::short_word}) {
    for (const uint128 a : special_words(width)) {
      for (const uint128 b : special_words(width)) check(a, b, width);
    }
  }
}

TEST_P(Alu, EqualsBitByBitArithmeticOnRandomWords) {
  std::mt19937_64 random(11);
  for (const Width width : {Width::long_word, Width::short_word}) {
    const int bits = isa::bits_of(width);
    // Any length from 0 to all bits, so that shift counts and leading zeros of every size occur.
    const auto word = [&] {
      const auto upper = uint128{random()} << 64;
      const uint128 value = (upper | random()) & ((uint128{1} << bits) - 1);
      return value >> (random() % static_cast<unsigned>(bits + 1));
    };
    for (int i = 0; i < 5'000; ++i) {
      const uint128 a = word();
      check(a, word(), width);
      check(a, random() % static_cast<unsigned>(bits + 2), width);
      check(a ^ (uint128{1} << (bits - 1)), random() % static_cast<unsigned>(bits + 2), width);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, Alu, testing::ValuesIn(alu_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(AluDeathTest, RefusesOperandsWiderThanTheOperation) {
  const uint128 wide = uint128{1} << isa::kShortBits;
  EXPECT_DEATH(static_cast<void>(emulator::uadd(wide, 0, Width::short_word)), "above its width");
  EXPECT_DEATH(static_cast<void>(emulator::ulsr(0, wide, Width::short_word)), "above its width");
}

}  // namespace
}  // namespace gdr::tests
