// The integer ALU against arithmetic on single bits.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/operations.h"
#include "integer_oracle.h"

namespace gdr::tests {
namespace {

using emulator::AluResult;
using isa::uint128;
using isa::Width;

std::vector<uint128> special_words(Width width) {
  const int bits = isa::bits_of(width);
  const uint128 sign = uint128{1} << (bits - 1);
  std::vector<uint128> words = {0, 1, 2, sign - 1, sign, sign + 1, 2 * sign - 2, 2 * sign - 1};
  for (const int near : {35, 36, 37, 63, 64, 65, 71, 72, 73}) words.push_back(static_cast<unsigned>(near));
  for (int bit = 2; bit < bits - 1; bit += 7) words.push_back(uint128{1} << bit);
  return words;
}

AluResult emulated(isa::Op op, uint128 a, uint128 b, Width width) {
  switch (op) {
#define GDR_OPERANDS_1 a
#define GDR_OPERANDS_2 a, b
#define GDR_CASE(OP, function, sources) \
  case isa::Op::OP:                     \
    return emulator::function(GDR_OPERANDS_##sources, width);
    GDR_ALU_OPERATIONS(GDR_CASE)
#undef GDR_CASE
#undef GDR_OPERANDS_1
#undef GDR_OPERANDS_2
    default:
      throw std::logic_error("only operations of the ALU are tested");
  }
}

std::vector<isa::Op> alu_operations() {
  std::vector<isa::Op> all;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (info.unit == isa::Unit::alu) all.push_back(info.op);
  }
  return all;
}

class Alu : public testing::TestWithParam<isa::Op> {
 protected:
  static void check(uint128 a, uint128 b, Width width) {
    const IntegerAnswer expected = integer_answer(GetParam(), a, b, width);
    const AluResult result = emulated(GetParam(), a, b, width);
    const bool negative = (expected.value >> (isa::bits_of(width) - 1)) != 0;
    const AluResult wanted = {expected.value, negative, expected.value == 0, expected.carry};
    ASSERT_TRUE(result == wanted) << isa::info_of(GetParam()).mnemonic << ' ' << to_hex(isa::LongWord::from_bits(a))
                                  << ' ' << to_hex(isa::LongWord::from_bits(b)) << " gives "
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

INSTANTIATE_TEST_SUITE_P(Operations, Alu, testing::ValuesIn(alu_operations()),
                         [](const auto& tested) { return std::string(isa::info_of(tested.param).mnemonic); });

TEST(AluDeathTest, RefusesOperandsWiderThanTheOperation) {
  const uint128 wide = uint128{1} << isa::kShortBits;
  EXPECT_DEATH(static_cast<void>(emulator::uadd(wide, 0, Width::short_word)), "above its width");
  EXPECT_DEATH(static_cast<void>(emulator::ulsr(0, wide, Width::short_word)), "above its width");
}

}  // namespace
}  // namespace gdr::tests
