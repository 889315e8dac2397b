// Loop bodies as compiled functions: when they are compiled, and how iterations of one block or of packed blocks run on
// them.
//
// The interpreter stays in charge. It runs bodies that cannot be compiled and iterations that a compiled function
// refuses. Until a function has returned and all of its checks have passed, nothing of the block has changed. The one
// exception is local memory that it has scattered to, which is restored if a check fails.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "code_cache.h"
#include "gdr/emulator/host_isa.h"
#include "line/row_set.h"
#include "loop/code/body_code.h"

namespace gdr::emulator::jit {

/// Some iterations of a block.
struct BlockTurns {
  std::uint64_t* state = nullptr;         // of the block
  const isa::LongWord* record = nullptr;  // of the first iteration
  std::size_t record_step = 0;            // long words from an iteration's record to the next one's
  unsigned record_words = 0;
  unsigned turns = 0;  // at most CodeTarget::turns()
  unsigned live_pes = 0;
  bool ends = false;    // the last of them is the last of the run, which leaves registers as the machine does
  bool begins = false;  // the first of them is the first of the run
  isa::LongWord* collected = nullptr;  // buffer for the words that the iterations send to the tree
};

/// Some iterations of packed blocks, which run side by side. In every iteration each block has a record of its own. The
/// PEs are in the states of as few blocks as can hold them: first PE 0 of each of the `places` blocks, then PE 1, and
/// so on. Lanes without a PE are copies of a lane with the same record.
struct PackedTurns {
  std::uint64_t* states = nullptr;        // of the first of these blocks
  std::size_t state_words = 0;            // from one state to the next
  const isa::LongWord* record = nullptr;  // of the first iteration of the first block; the other blocks' follow
  std::size_t record_step = 0;            // long words from an iteration's records to the next one's
  unsigned record_words = 0;
  unsigned turns = 0;  // at most CodeTarget::turns()
  unsigned blocks = 0;
  // A power of two, at least `blocks` and at most LoopJit::lanes(). Places after the last block repeat it.
  unsigned places = 0;
  unsigned vectors = 0;
  bool ends = false;  // as in BlockTurns
  /// If `ends`: buffer that keeps all that the iterations leave. Rows of LoopJit::late() and flags are then written to
  /// the states only by LoopJit::land_late(). If null, they are written at once.
  std::vector<std::uint64_t>* late = nullptr;
};

/// Iterations of a block that compiled bodies have run in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t compiled_turns();
/// Those among them that ran side by side with iterations of other blocks.
[[nodiscard]] std::uint64_t packed_turns();
/// Those among packed_turns() in which the elements of the last PEs were known to be alike.
[[nodiscard]] std::uint64_t alike_turns();

/// The compiled functions of a program's loop body. Thread safe.
class LoopJit {
 public:
  /// `of_body`: rows that only the loop body uses, so that packed iterations need not write them to the states.
  LoopJit(const DecodedProgram& program, const simd::Schedule& schedule, simd::KernelSet kernels, JitUse use,
          const simd::RowSet& of_body);
  ~LoopJit();

  /// Counts interactions that are about to run, and compiles once there have been enough of them. Returns true if there
  /// is code.
  [[nodiscard]] bool ready(std::uint64_t interactions) const;
  /// The same for iterations of packed blocks.
  [[nodiscard]] bool ready_packed(std::uint64_t interactions) const;
  /// True if a body has been compiled.
  [[nodiscard]] bool has_code() const {
    return form(Filling::packed, Rounding::quick) != nullptr || form(Filling::one_block, Rounding::quick) != nullptr;
  }
  /// Runs the iterations. Returns false if none was run, so that the interpreter must run them.
  [[nodiscard]] bool run(const BlockTurns& turns) const;
  [[nodiscard]] bool run(const PackedTurns& turns) const;
  /// Write what `turns.late` holds to the states: land_late() the rows of late() and the flags, land_again() all other
  /// rows, to restore what the iterations left.
  void land_late(const PackedTurns& turns) const;
  void land_again(const PackedTurns& turns) const;
  /// Lanes of a host vector; 0 if bodies are not compiled.
  [[nodiscard]] unsigned lanes() const { return target_.lanes; }
  /// Most iterations for a call of run().
  [[nodiscard]] unsigned turns() const { return target_.turns(); }
  /// Flags that the last iteration of a run leaves, with places as in BodyGraph. Only if there is packed code.
  [[nodiscard]] const std::vector<Left>& flags_left() const;
  /// Rows that packed iterations need not write to the states, and all rows that iterations ending a run leave. Only if
  /// there is packed code.
  [[nodiscard]] const simd::RowSet& late() const;
  [[nodiscard]] const simd::RowSet& landed() const;
  /// Words that the iterations send to the tree. `begins`: the first of them is the first of a run.
  [[nodiscard]] std::size_t collected_words(unsigned turns, bool begins) const;
  /// True if the compiled body can also run the last iteration of a run.
  [[nodiscard]] bool may_end() const;
  [[nodiscard]] bool may_end_packed() const;
  /// True if it makes no difference whether writes that are pending when the loop begins have already landed.
  [[nodiscard]] bool may_begin() const { return may_begin_; }
  /// Why the body is left to the interpreter; empty if it is not, or if compiling has not been tried yet.
  [[nodiscard]] std::string refusal() const;

 private:
  struct Form;

  /// The blocks whose iterations a function runs.
  enum class Filling : std::uint8_t {
    one_block,
    packed,
    packed_alike  // packed, if all elements of a PE take over the same words
  };
  static constexpr std::size_t kFillings = 3;
  static constexpr std::size_t kRoundings = 2;
  /// The functions for one filling.
  struct Functions {
    std::atomic<std::uint64_t> interactions{0};
    std::atomic<bool> refused{false};
    std::array<std::unique_ptr<Form>, kRoundings> forms;       // by Rounding
    std::array<std::atomic<const Form*>, kRoundings> ready{};  // forms that have code
  };

  [[nodiscard]] Functions& functions(Filling filling) const { return functions_[static_cast<std::size_t>(filling)]; }
  [[nodiscard]] const Form* form(Filling filling, Rounding rounding) const {
    return functions(filling).ready[static_cast<std::size_t>(rounding)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool ready(Filling filling, std::uint64_t interactions) const;
  void prepare(Filling filling, Rounding rounding, bool compiles) const;
  void make(Form& form, Filling filling, Rounding rounding) const;
  [[nodiscard]] std::string name_of_body(Filling filling, Rounding rounding) const;
  /// Runs the quick form, with `alike` (or null) for the last vector, then the robust form if needed.
  template <class Turns>
  [[nodiscard]] bool run_on_forms(Filling filling, const Turns& turns, const Form* alike) const;

  const DecodedProgram& program_;
  const simd::Schedule& schedule_;
  CodeTarget target_;
  JitUse use_;
  simd::RowSet of_body_;
  bool names_code_ = false;  // for perf
  bool may_begin_ = false;
  std::size_t collected_a_turn_ = 0;
  std::size_t not_first_ = 0;  // the part of these that the first iteration does not send
  mutable std::mutex preparing_;
  mutable std::string refusal_;  // guarded by preparing_
  mutable std::array<Functions, kFillings> functions_;
};

}  // namespace gdr::emulator::jit
