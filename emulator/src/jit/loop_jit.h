// Loop bodies as functions of their own: when they are compiled, and a run of turns of one block on them.
//
// The interpreter stays in charge. It runs what no function can and turns that a function gives up on: until a function
// has returned and all its checks have held, nothing of the block has changed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "body_code.h"
#include "code_cache.h"
#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::jit {

/// Some turns of a block.
struct BlockTurns {
  std::uint64_t* state = nullptr;         // of the block
  const isa::LongWord* record = nullptr;  // of the first turn
  std::size_t record_step = 0;            // long words from one turn's record to the next one's
  unsigned turns = 0;                     // at most kTurns
  unsigned live_pes = 0;
};

/// Turns of a block that compiled bodies have run in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t compiled_turns();

/// What a program's bodies became. Thread safe.
class LoopJit {
 public:
  LoopJit(const DecodedProgram& program, const simd::Schedule& schedule, JitUse use);
  ~LoopJit();

  /// Takes note of interactions to come, and compiles if so many have come together that it pays. True if there is
  /// code.
  [[nodiscard]] bool ready(std::uint64_t interactions) const;
  /// Makes lanes beside the live PEs copies of one of them: whatever they held must not have turns refused. Their words
  /// are undefined anyway.
  void fill_dead_lanes(std::uint64_t* state, unsigned live_pes) const;
  /// Runs the turns, but not the last one of a run; false if none was run and the interpreter must.
  [[nodiscard]] bool run(const BlockTurns& turns) const { return run(turns, Extent::carried); }
  /// Runs the last turn of a run, which leaves the registers as the machine does; false as before.
  [[nodiscard]] bool run_last(const BlockTurns& turn) const { return run(turn, Extent::everything); }
  /// True if the last turn may be run here, too.
  [[nodiscard]] bool may_end() const { return form(Rounding::quick, Extent::everything) != nullptr; }
  /// True if writes that may be pending when the loop begins cannot be told from writes that have landed.
  [[nodiscard]] bool may_begin() const { return may_begin_; }
  /// Why the body stays with the interpreter; empty if it does not, or nobody has asked yet.
  [[nodiscard]] std::string refusal() const;

 private:
  struct Form;

  static std::size_t index_of(Rounding rounding, Extent extent) {
    return 2 * static_cast<std::size_t>(extent) + static_cast<std::size_t>(rounding);
  }
  [[nodiscard]] const Form* form(Rounding rounding, Extent extent) const {
    return ready_[index_of(rounding, extent)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool run(const BlockTurns& turns, Extent extent) const;
  void prepare(Rounding rounding, bool compiles) const;
  void prepare(Rounding rounding, Extent extent, bool compiles) const;

  const DecodedProgram& program_;
  const simd::Schedule& schedule_;
  JitUse use_;
  bool may_begin_ = false;
  mutable std::atomic<std::uint64_t> interactions_{0};
  mutable std::mutex preparing_;
  mutable std::string refusal_;  // of preparing_
  mutable std::atomic<bool> refused_{false};
  mutable std::array<std::unique_ptr<Form>, 4> forms_;       // by index_of()
  mutable std::array<std::atomic<const Form*>, 4> ready_{};  // those with code
};

}  // namespace gdr::emulator::jit
