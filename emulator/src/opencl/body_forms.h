// The loop body of a program in doubles, compiled for the device when that pays.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "body_kernel.h"
#include "gdr/emulator/host_isa.h"
#include "jit/loop_edges.h"
#include "machine.h"
#include "simd/scheduler.h"

namespace gdr::emulator::opencl {

/// One form of the body.
struct BodyForm {
  BodyKernel kernel;
  std::unique_ptr<Code> code;
  bool failed = false;  // there will be no code
};

/// The forms of the loop body of a program. Thread safe.
class BodyForms {
 public:
  BodyForms(const DecodedProgram& program, std::shared_ptr<Machine> machine, JitUse use);

  /// Counts interactions that are about to run. Returns the quick form if the body has one and enough interactions have
  /// been counted for it to pay. If null, the machine's own kernel must run the body.
  [[nodiscard]] const BodyForm* quick(std::uint64_t interactions) const;
  /// The form that also computes lanes near ties; null if there is none.
  [[nodiscard]] const BodyForm* robust() const;
  [[nodiscard]] bool may_begin() const { return edges_.may_begin; }
  /// Why there is no form; empty if there is one, or if none was requested yet.
  [[nodiscard]] std::string refusal() const;

 private:
  void write(BodyForm& form, jit::Rounding rounding) const;
  void compile(BodyForm& form) const;

  const DecodedProgram& program_;
  std::shared_ptr<Machine> machine_;
  JitUse use_;
  jit::LoopEdges edges_;
  mutable std::atomic<std::uint64_t> interactions_{0};
  mutable std::mutex making_;
  // Protected by making_:
  mutable std::string refusal_;
  mutable std::unique_ptr<BodyForm> quick_;
  mutable std::unique_ptr<BodyForm> robust_;
};

/// Number of turns of blocks that forms in doubles have run in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t turns_in_doubles();
void count_turns_in_doubles(std::uint64_t turns);

}  // namespace gdr::emulator::opencl
