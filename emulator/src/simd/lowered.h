// A program as the vector engine runs it.
#pragma once

#include "jit/loop_jit.h"
#include "line/decoded_program.h"
#include "line/scheduler.h"
#include "packing.h"

namespace gdr::emulator::simd {

/// A lowered program, shared by all chips that run it.
class LoweredSimd final : public Lowered {
 public:
  LoweredSimd(const isa::Program& program, KernelSet kernels, JitUse jit, EqualRows equal = EqualRows::in_one_word)
      : code(decode_program(program)),
        schedule(make_schedule(code, kernels, equal)),
        packing(code, schedule),
        loop(code, schedule, kernels, jit, packing.of_body) {}
  [[nodiscard]] const isa::Program& program() const override { return code.program; }
  [[nodiscard]] const SectionCode& section(isa::Section section) const {
    return schedule.sections[static_cast<std::size_t>(section)];
  }

  const DecodedProgram code;
  const Schedule schedule;
  const PackingPlan packing;
  const jit::LoopJit loop;
};

}  // namespace gdr::emulator::simd
