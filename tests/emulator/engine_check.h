// Engines side by side on one program: everything a host can see must be equal, faults included.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engines.h"
#include "random_program.h"

namespace gdr::tests {

/// A program's input: what stands in registers and memories, which blocks go through it together, and its loop runs one
/// after the other.
struct EngineInput {
  struct Run {
    std::uint64_t records = 0;
    unsigned live_pes = emulator::kPesPerBlock;
    std::uint64_t piece = 0;  // iterations of each piece but the last, an even number; 0: one piece
  };
  isa::Program program;
  std::vector<emulator::BlockRange> ranges;  // without a block in common
  std::vector<Run> runs;                     // of each range; PEs that die stay dead
  std::uint64_t seed = 1;                    // of the data
};

/// The reference engine and others that must do the same.
class EngineCheck {
 public:
  explicit EngineCheck(std::vector<ExactEngine> others);

  /// Runs the input on all of them and compares: words of live PEs, T, flags, BM, collected words, events, faults. The
  /// message of a failure shows the shortest part of the input that still fails.
  [[nodiscard]] testing::AssertionResult agree(const EngineInput& input);

 private:
  struct Loaded {
    std::string name;
    std::unique_ptr<emulator::Chip> chip;
  };
  [[nodiscard]] testing::AssertionResult check(const EngineInput& input);
  [[nodiscard]] EngineInput shrunk(EngineInput input);
  [[nodiscard]] bool still_fails(const EngineInput& input);

  std::unique_ptr<emulator::Chip> reference_;
  std::vector<Loaded> others_;
};

/// Lines that bring T, flags and the start of BM to local memory from `kDumpAddress` on, where read_pe sees them.
inline constexpr unsigned kDumpAddress = 400;
[[nodiscard]] std::vector<isa::Line> dump_lines();

}  // namespace gdr::tests
