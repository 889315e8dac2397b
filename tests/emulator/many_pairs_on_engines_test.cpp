// The comparison of pairs_on_engines_test.cpp on GDR_PAIRS pairs per operation, in shares that run side by side.
#include "pairs_on_engines.h"

#include <gtest/gtest.h>

namespace gdr::tests {
namespace {

constexpr std::uint64_t kShares = 4;

class ManyPairsOnEngines : public testing::TestWithParam<std::tuple<isa::Op, std::uint64_t>> {};

TEST_P(ManyPairsOnEngines, AgreeAndAreWhatMpfrSays) {
  const auto [operation, share] = GetParam();
  constexpr std::uint64_t kFirstSeed = 1000;
  const std::vector<OperandWidths> widths = operand_widths(operation);
  compare_engines(operation, widths[share % widths.size()], emulator::available_host_isas(),
                  std::uint64_t{GDR_PAIRS} / kShares, kFirstSeed + share);
}

INSTANTIATE_TEST_SUITE_P(Operations, ManyPairsOnEngines,
                         testing::Combine(testing::ValuesIn(fp_operations()),
                                          testing::Range(std::uint64_t{0}, kShares)),
                         [](const auto& tested) {
                           return std::string(isa::info_of(std::get<0>(tested.param)).function) +
                                  std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace gdr::tests
