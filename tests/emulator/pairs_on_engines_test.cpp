// The reference engine's scalar functions, the vector engine on every instruction set of the host, and MPFR on a
// million pairs per operation, at night on ten million, in a soak on a thousand million; MPFR itself against the wide
// oracle on fewer.
#include "pairs_on_engines.h"

#include <gtest/gtest.h>

#include "arithmetic_check.h"
#include "mpfr_oracle.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

constexpr std::uint64_t kPairs = kSlowedDown ? 50'000 : 1'000'000;

class PairsOnEngines : public testing::TestWithParam<isa::Op> {};

TEST_P(PairsOnEngines, AgreeAndAreWhatMpfrSays) {
  const std::vector<OperandWidths> widths = operand_widths(GetParam());
  for (const OperandWidths& each : widths) {
    compare_engines(GetParam(), each, emulator::available_host_isas(), kPairs / widths.size(), 21);
  }
}

TEST_P(PairsOnEngines, MpfrAgreesWithTheWideOracle) {
  constexpr int kCount = 20'000;
  MixedPairs pairs(family_of(GetParam()), 22);
  for (const int precision : {61, 25}) {
    MpfrOracle oracle(precision);
    for (int n = 0; n < kCount; ++n) {
      const OperandPair pair = pairs.next();
      const WideAnswer wide = wide_answer(GetParam(), pair.a, pair.b, precision);
      const MpfrAnswer answer = oracle.answer(GetParam(), pair.a, pair.b);
      ASSERT_EQ(answer.value, isa::LongWord::from_bits(wide.bits)) << isa::to_hex(pair.a) << ' ' << isa::to_hex(pair.b);
      ASSERT_EQ(answer.negative, wide.negative);
      ASSERT_EQ(answer.zero, wide.zero);
      ASSERT_EQ(answer.event, wide.event);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, PairsOnEngines, testing::ValuesIn(fp_operations()),
                         [](const auto& tested) { return std::string(isa::info_of(tested.param).function); });

}  // namespace
}  // namespace gdr::tests
