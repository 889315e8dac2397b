// The reference engine's scalar functions, the vector engine on every instruction set of the host, and MPFR on a
// million pairs per operation, at night on ten million, in a soak on a thousand million; MPFR itself against the wide
// oracle on fewer. The long ones come in shares, which run side by side.
#include "pairs_on_engines.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

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

constexpr std::uint64_t kShares = 4;

/// An operation, the pairs of all its shares, the share.
class ManyPairsOnEngines : public testing::TestWithParam<std::tuple<isa::Op, std::uint64_t, std::uint64_t>> {
 public:
  static auto shares(std::uint64_t pairs) {
    return testing::Combine(testing::ValuesIn(fp_operations()), testing::Values(pairs),
                            testing::Range(std::uint64_t{0}, kShares));
  }
  static std::string name(const testing::TestParamInfo<ParamType>& tested) {
    return std::string(isa::info_of(std::get<0>(tested.param)).function) + std::to_string(std::get<2>(tested.param));
  }
};

TEST_P(ManyPairsOnEngines, AgreeAndAreWhatMpfrSays) {
  const auto [operation, pairs, share] = GetParam();
  constexpr std::uint64_t kFirstSeed = 1000;
  const std::vector<OperandWidths> widths = operand_widths(operation);
  compare_engines(operation, widths[share % widths.size()], emulator::available_host_isas(), pairs / kShares,
                  kFirstSeed + share);
}

INSTANTIATE_TEST_SUITE_P(Nightly, ManyPairsOnEngines, ManyPairsOnEngines::shares(10'000'000), ManyPairsOnEngines::name);
INSTANTIATE_TEST_SUITE_P(Soak, ManyPairsOnEngines, ManyPairsOnEngines::shares(1'000'000'000), ManyPairsOnEngines::name);

}  // namespace
}  // namespace gdr::tests
