// One seed, one program with its input, on all engines.
#pragma once

#include <cstdint>

#include "engine_check.h"

namespace gdr::tests {

class RandomComparison {
 public:
  RandomComparison();
  /// The program, data and runs of this seed on every exact engine. Lockstep, which copies whole chips, takes part in
  /// one of eight.
  [[nodiscard]] testing::AssertionResult agree(std::uint64_t seed);

 private:
  EngineCheck all_;
  EngineCheck without_lockstep_;
};

}  // namespace gdr::tests
