// The comparison of arithmetic_test.cpp on ten million pairs per operation.
#include <gtest/gtest.h>

#include "arithmetic_check.h"

namespace gdr::tests {
namespace {

class ArithmeticNightly : public testing::TestWithParam<FpOperation> {};

TEST_P(ArithmeticNightly, EqualsTheExactResultRoundedOnce) { check_against_oracle(GetParam(), 10'000'000); }

INSTANTIATE_TEST_SUITE_P(Operations, ArithmeticNightly,
                         testing::Values(FpOperation::fadd, FpOperation::fsub, FpOperation::fpassa, FpOperation::fmax,
                                         FpOperation::fmin, FpOperation::fmul, FpOperation::fmul2),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace gdr::tests
