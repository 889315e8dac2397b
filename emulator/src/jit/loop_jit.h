// Loop bodies as functions of their own: when they are compiled, and a run of turns of one block on them.
//
// The interpreter stays in charge. It runs what no function can and turns that a function gives up on: until a function
// has returned and all its checks have held, nothing of the block has changed; what it scattered is taken back if they
// have not.
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
#include "simd/row_set.h"

namespace gdr::emulator::jit {

/// Some turns of a block.
struct BlockTurns {
  std::uint64_t* state = nullptr;         // of the block
  const isa::LongWord* record = nullptr;  // of the first turn
  std::size_t record_step = 0;            // long words from one turn's record to the next one's
  unsigned record_words = 0;
  unsigned turns = 0;  // at most CodeTarget::turns()
  unsigned live_pes = 0;
  bool ends = false;    // the last of them is the last of the run, which leaves the registers as the machine does
  bool begins = false;  // the first of them is the first of the run
  isa::LongWord* collected = nullptr;  // where the words go that the turns send to the tree
};

/// Some turns of blocks side by side, with a record each in every turn. Their PEs stand in the states of as few blocks
/// as hold them: first PE 0 of each of the `places` blocks, then PE 1, and so on. Lanes without a PE of their own are
/// copies of another one with the same record.
struct PackedTurns {
  std::uint64_t* states = nullptr;        // of the first of these blocks
  std::size_t state_words = 0;            // from one to the next
  const isa::LongWord* record = nullptr;  // of the first turn of the first block, before those of the others
  std::size_t record_step = 0;            // long words from one turn's records to the next one's
  unsigned record_words = 0;
  unsigned turns = 0;  // at most CodeTarget::turns()
  unsigned blocks = 0;
  // A power of two from `blocks` on, at most LoopJit::lanes(); those behind are like the last block.
  unsigned places = 0;
  unsigned vectors = 0;
  bool ends = false;  // as BlockTurns has it
  /// Of turns that end: where all stays that they leave; rows of LoopJit::late() and flags do not go to the states
  /// before LoopJit::land_late(). Null: they do.
  std::vector<std::uint64_t>* late = nullptr;
};

/// Turns of a block that compiled bodies have run in this process, for tests and benchmarks.
[[nodiscard]] std::uint64_t compiled_turns();
/// Those of them that ran side by side with other blocks' turns.
[[nodiscard]] std::uint64_t packed_turns();
/// Those of these in which the last PEs' elements were known to be alike.
[[nodiscard]] std::uint64_t alike_turns();

/// What a program's bodies became. Thread safe.
class LoopJit {
 public:
  /// `of_body`: rows that packed turns may leave behind, since no section but the body has to do with them.
  LoopJit(const DecodedProgram& program, const simd::Schedule& schedule, simd::KernelSet kernels, JitUse use,
          const simd::RowSet& of_body);
  ~LoopJit();

  /// Takes note of interactions to come, and compiles if so many have come together that it pays. True if there is
  /// code.
  [[nodiscard]] bool ready(std::uint64_t interactions) const;
  /// The same for turns of blocks side by side.
  [[nodiscard]] bool ready_packed(std::uint64_t interactions) const;
  /// True if a body has been compiled.
  [[nodiscard]] bool has_code() const {
    return form(Filling::packed, Rounding::quick) != nullptr || form(Filling::one_block, Rounding::quick) != nullptr;
  }
  /// Runs the turns; false if none was run and the interpreter must.
  [[nodiscard]] bool run(const BlockTurns& turns) const;
  [[nodiscard]] bool run(const PackedTurns& turns) const;
  /// What `turns.late` has: the rows of late() and the flags; the other rows again, as the turns left them.
  void land_late(const PackedTurns& turns) const;
  void land_again(const PackedTurns& turns) const;
  /// Of a host vector; 0 if bodies are not compiled.
  [[nodiscard]] unsigned lanes() const { return target_.lanes; }
  /// Most turns of a call of run().
  [[nodiscard]] unsigned turns() const { return target_.turns(); }
  /// Flags that the last turn of a run leaves, as BodyGraph names them. There is packed code.
  [[nodiscard]] const std::vector<Left>& flags_left() const;
  /// Rows that packed turns leave behind, and all that turns which end leave. There is packed code.
  [[nodiscard]] const simd::RowSet& late() const;
  [[nodiscard]] const simd::RowSet& landed() const;
  /// Words that turns send to the tree, the first one of a run among them or not.
  [[nodiscard]] std::size_t collected_words(unsigned turns, bool begins) const;
  /// True if the last turn of a run may be run here, too.
  [[nodiscard]] bool may_end() const;
  [[nodiscard]] bool may_end_packed() const;
  /// True if writes that may be pending when the loop begins cannot be told from writes that have landed.
  [[nodiscard]] bool may_begin() const { return may_begin_; }
  /// Why the body stays with the interpreter; empty if it does not, or nobody has asked yet.
  [[nodiscard]] std::string refusal() const;

 private:
  struct Form;

  /// Whose turns a function runs.
  enum class Filling : std::uint8_t {
    one_block,
    packed,
    packed_alike  // packed, where all elements of a PE take over the same words
  };
  static constexpr std::size_t kFillings = 3;
  static constexpr std::size_t kRoundings = 2;
  /// What is known of a filling's functions.
  struct Functions {
    std::atomic<std::uint64_t> interactions{0};
    std::atomic<bool> refused{false};
    std::array<std::unique_ptr<Form>, kRoundings> forms;       // by Rounding
    std::array<std::atomic<const Form*>, kRoundings> ready{};  // those with code
  };

  [[nodiscard]] Functions& functions(Filling filling) const { return functions_[static_cast<std::size_t>(filling)]; }
  [[nodiscard]] const Form* form(Filling filling, Rounding rounding) const {
    return functions(filling).ready[static_cast<std::size_t>(rounding)].load(std::memory_order_acquire);
  }
  [[nodiscard]] bool ready(Filling filling, std::uint64_t interactions) const;
  void prepare(Filling filling, Rounding rounding, bool compiles) const;
  void make(Form& form, Filling filling, Rounding rounding) const;
  [[nodiscard]] std::string name_of_body(Filling filling, Rounding rounding) const;
  /// By the quick form, beside which `alike` may stand, then the robust one.
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
  std::size_t not_first_ = 0;  // of these
  mutable std::mutex preparing_;
  mutable std::string refusal_;  // of preparing_
  mutable std::array<Functions, kFillings> functions_;
};

}  // namespace gdr::emulator::jit
