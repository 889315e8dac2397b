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
  bool ends = false;    // the last of them is the last of the run, which leaves the registers as the machine does
  bool begins = false;  // the first of them is the first of the run
  isa::LongWord* collected = nullptr;  // where the words go that the turns send to the tree
};

/// Turns of a block that compiled bodies have run in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t compiled_turns();

/// What a program's bodies became. Thread safe.
class LoopJit {
 public:
  LoopJit(const DecodedProgram& program, const simd::Schedule& schedule, HostIsa isa, JitUse use);
  ~LoopJit();

  /// Takes note of interactions to come, and compiles if so many have come together that it pays. True if there is
  /// code.
  [[nodiscard]] bool ready(std::uint64_t interactions) const;
  /// Runs the turns; false if none was run and the interpreter must.
  [[nodiscard]] bool run(const BlockTurns& turns) const;
  /// Words that turns send to the tree, the first one of a run among them or not.
  [[nodiscard]] std::size_t collected_words(unsigned turns, bool begins) const;
  /// True if the last turn of a run may be run here, too.
  [[nodiscard]] bool may_end() const;
  /// True if writes that may be pending when the loop begins cannot be told from writes that have landed.
  [[nodiscard]] bool may_begin() const { return may_begin_; }
  /// Why the body stays with the interpreter; empty if it does not, or nobody has asked yet.
  [[nodiscard]] std::string refusal() const;

 private:
  struct Form;

  [[nodiscard]] const Form* form(Rounding rounding) const {
    return ready_[static_cast<std::size_t>(rounding)].load(std::memory_order_acquire);
  }
  void prepare(Rounding rounding, bool compiles) const;
  void make(Form& form, Rounding rounding) const;

  const DecodedProgram& program_;
  const simd::Schedule& schedule_;
  CodeTarget target_;
  JitUse use_;
  bool may_begin_ = false;
  std::size_t collected_a_turn_ = 0;
  std::size_t not_first_ = 0;  // of these
  mutable std::atomic<std::uint64_t> interactions_{0};
  mutable std::mutex preparing_;
  mutable std::string refusal_;  // of preparing_
  mutable std::atomic<bool> refused_{false};
  mutable std::array<std::unique_ptr<Form>, 2> forms_;       // by Rounding
  mutable std::array<std::atomic<const Form*>, 2> ready_{};  // those with code
};

}  // namespace gdr::emulator::jit
