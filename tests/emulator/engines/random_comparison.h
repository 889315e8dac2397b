// One seed, one program with its input, on all engines of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "gdr/selftest/comparison.h"

namespace gdr::tests {

/// On which instruction sets of the host the vector engine runs a program, interpreted and compiled: on all of them, or
/// on one, which another seed changes.
enum class InstructionSets { all, in_turn };

class RandomComparison {
 public:
  explicit RandomComparison(InstructionSets sets = InstructionSets::all);
  /// The program, data and runs of this seed on every form of exact engine. The message of a failure shows the smallest
  /// part of the input that still fails.
  [[nodiscard]] testing::AssertionResult agree(std::uint64_t seed);

 private:
  selftest::Comparison comparison_;
};

}  // namespace gdr::tests
