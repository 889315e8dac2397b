// The loop body of a program in doubles, compiled for the device when that pays.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "body_kernel.h"
#include "gdr/emulator/host_isa.h"
#include "line/scheduler.h"
#include "loop/graph/loop_edges.h"
#include "machine.h"

namespace gdr::emulator::opencl {

struct CompiledBody {
  BodyKernel kernel;
  std::unique_ptr<Code> code;
};

/// Thread safe.
class LoopBody {
 public:
  LoopBody(const DecodedProgram& program, std::shared_ptr<Machine> machine, JitUse use);

  /// Counts interactions that are about to run on so many blocks at once. Returns the body if it has a form in doubles
  /// and enough interactions have been counted for compiling it to pay. If null, the machine's own kernel must run it.
  [[nodiscard]] const CompiledBody* in_doubles(std::uint64_t interactions, std::size_t blocks) const;
  [[nodiscard]] bool may_begin() const { return edges_.may_begin; }
  /// True if the device gains by more work-items than PEs.
  [[nodiscard]] bool has_ways() const { return shape_.ways > 1; }
  /// Why it has no form in doubles; empty if it has one, or if none was requested yet.
  [[nodiscard]] std::string refusal() const;

 private:
  [[nodiscard]] std::unique_ptr<CompiledBody> write(bool side_by_side) const;
  void compile(CompiledBody& body) const;

  const DecodedProgram& program_;
  std::shared_ptr<Machine> machine_;
  JitUse use_;
  jit::LoopEdges edges_;
  DeviceShape shape_;
  std::size_t few_blocks_;
  mutable std::atomic<std::uint64_t> interactions_{0};
  mutable std::mutex making_;
  // Protected by making_:
  mutable std::string refusal_;
  mutable std::array<std::unique_ptr<CompiledBody>, 2> bodies_;  // for many blocks, and for few
};

/// Number of turns of blocks that ran in doubles in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t turns_in_doubles();
void count_turns_in_doubles(std::uint64_t turns);

}  // namespace gdr::emulator::opencl
