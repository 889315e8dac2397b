// The comparison of arithmetic_test.cpp on ten million pairs per operation.
#include <gtest/gtest.h>

#include "arithmetic_check.h"

namespace gdr::tests {
namespace {

class ArithmeticNightly : public testing::TestWithParam<isa::Op> {};

TEST_P(ArithmeticNightly, EqualsTheExactResultRoundedOnce) { check_against_oracle(GetParam(), 10'000'000); }

INSTANTIATE_TEST_SUITE_P(Operations, ArithmeticNightly, testing::ValuesIn(fp_operations()),
                         [](const auto& tested) { return std::string(isa::info_of(tested.param).function); });

}  // namespace
}  // namespace gdr::tests
