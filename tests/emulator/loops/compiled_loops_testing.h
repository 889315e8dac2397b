// Compiled loop bodies beside the interpreter: what their tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/isa/program.h"

namespace gdr::tests {

/// Instruction sets of this host that loops are compiled for; none if this build compiles no loops.
[[nodiscard]] std::vector<emulator::HostIsa> compiled_isas();

/// Of the same work on a chip of each instruction set that loops are compiled for: whether all leave the same, and how
/// many turns were compiled ones, and of blocks side by side, on the instruction set with the fewest.
struct Outcome {
  bool equal = true;
  std::uint64_t compiled = ~std::uint64_t{0};
  std::uint64_t packed = ~std::uint64_t{0};
};

/// Writes what the runs begin with to a chip that has its program.
using Prepare = std::function<void(emulator::Chip&)>;

/// The run, twice, in the first `blocks` blocks: all that it leaves there and the words that it collects, against those
/// of the chip expected.
[[nodiscard]] Outcome compare(
    const isa::Program& program, const emulator::LoopRun& run, unsigned blocks, const Prepare& prepare,
    std::unique_ptr<emulator::Chip> expected_chip = emulator::make_simd_chip(emulator::HostIsa::portable));
/// The engine native against its own interpreter, on each instruction set by itself: the sign of a NaN is the host's.
[[nodiscard]] Outcome compare_native(const isa::Program& program, const emulator::LoopRun& run, unsigned blocks,
                                     const Prepare& prepare);

class CompiledLoops : public testing::Test {
 protected:
  void SetUp() override {
    if (compiled_isas().empty()) GTEST_SKIP() << "this host or this build compiles no loops";
  }
};

/// Each vector's first element in place of the others.
[[nodiscard]] std::vector<isa::LongWord> with_equal_elements(std::span<const isa::LongWord> words);

}  // namespace gdr::tests
