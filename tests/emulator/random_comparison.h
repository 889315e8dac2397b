// One seed, one program with its input, on all engines of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "gdr/selftest/comparison.h"

namespace gdr::tests {

class RandomComparison {
 public:
  RandomComparison();
  /// The program, data and runs of this seed on every exact engine. The message of a failure shows the smallest part of
  /// the input that still fails.
  [[nodiscard]] testing::AssertionResult agree(std::uint64_t seed);

 private:
  selftest::Comparison comparison_;
};

}  // namespace gdr::tests
