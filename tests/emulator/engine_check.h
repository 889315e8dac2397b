// Two engines side by side on one program: everything a host can see must be equal, faults included.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"
#include "random_program.h"

namespace gdr::tests {

/// A program's input: what stands in registers and memories, and its loop runs one after the other.
struct EngineInput {
  struct Run {
    std::uint64_t records = 0;
    unsigned live_pes = emulator::kPesPerBlock;
  };
  isa::Program program;
  std::vector<unsigned> blocks;
  std::vector<Run> runs;
  std::uint64_t seed = 1;  // of the data
};

/// Lines that bring T, flags and the start of BM to local memory from `kDumpAddress` on, where read_pe sees them.
inline constexpr unsigned kDumpAddress = 400;
[[nodiscard]] std::vector<isa::Line> dump_lines();

/// Runs the input on the reference engine and on `isa`, and compares.
[[nodiscard]] testing::AssertionResult engines_agree(const EngineInput& input, emulator::HostIsa isa);
/// The same on every instruction set of the host. The message shows the shortest failing part of the program.
[[nodiscard]] testing::AssertionResult engines_agree(const EngineInput& input);

}  // namespace gdr::tests
