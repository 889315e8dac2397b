// Blocks with few live PEs side by side in the lanes of host vectors, for compiled loop bodies.
//
// A run of few i-particles leaves most lanes of a vector without a live PE. All blocks do the same with PEs of the same
// numbers, each with a record of its own; so the live PEs of several blocks are put one behind the other into states of
// as few blocks as hold them, the loop's sections run there, and what they leave goes back.
#pragma once

#include <cstdint>
#include <vector>

#include "block_memory.h"
#include "decoded_program.h"
#include "jit/loop_jit.h"
#include "scheduler.h"
#include "sequence.h"

namespace gdr::emulator::simd {

/// What a program's sections around the loop body take and leave.
struct PackingPlan {
  PackingPlan(const DecodedProgram& program, const Schedule& schedule);

  bool possible = false;                         // no block can tell where its PEs stand
  std::vector<unsigned> taken;                   // rows of registers that the sections read before they write them
  std::vector<unsigned> left;                    // rows that they write
  std::vector<unsigned> written_in_termination;  // of these
  std::vector<unsigned> bm;                      // short words of broadcast memory that they read
};

/// How far a run of blocks side by side has come; the blocks' states are as they then stand.
struct PackedProgress {
  std::uint64_t turns = 0;  // 0: nothing was done
  bool ended = false;       // loop termination, too
};

/// Where packed PEs stand; never copied, for nothing is in it between runs.
class PackedMemory {
 public:
  PackedMemory() = default;
  PackedMemory(const PackedMemory& /*other*/) {}
  PackedMemory(PackedMemory&&) = default;
  PackedMemory& operator=(PackedMemory other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~PackedMemory() = default;

  [[nodiscard]] Memory& get(const std::vector<isa::LongWord>& constants, unsigned states) {
    if (memory_.block_words() == 0) memory_ = Memory(constants, states);
    return memory_;
  }

 private:
  Memory memory_;
};

/// True if vectors of this many lanes hold so many fewer live PEs than they could that packing saves an eighth of them.
[[nodiscard]] bool packing_pays(unsigned blocks, unsigned live_pes, unsigned lanes);

/// One run of some blocks, at most as many as a host vector has lanes.
class PackedRun {
 public:
  struct Program {
    const DecodedProgram& code;
    const Schedule& schedule;
    const jit::LoopJit& loop;
    const PackingPlan& plan;
  };
  PackedRun(const Program& program, Memory& memory, PackedMemory& packed, BlockRange blocks, const LoopRun& loop);

  /// Runs loop initialization, `turns` turns of the body, all with a record, and, if it `terminates`, loop termination;
  /// less of it where compiled code gives up. `all`: these are all turns with a record. Counts in `tallies`, which are
  /// by block.
  PackedProgress run(std::uint64_t turns, bool all, bool terminates, Tally* tallies);

 private:
  [[nodiscard]] bool bm_is_alike() const;
  void take_bm();
  void take_rows();
  void give_rows();
  void give_flags();
  void give_invariants();
  void give_records(std::uint64_t turns);
  /// False if a floating-point event happened, whose place would be another block's.
  bool run_section(isa::Section section);
  [[nodiscard]] std::uint64_t run_turns(std::uint64_t turns, bool all);
  bool terminate();

  /// Calls function(state, lane, first, pes): the PEs from `first` on stand in this state from this lane on.
  template <class Function>
  void for_each_piece(unsigned block, Function function) const;
  [[nodiscard]] const SectionCode& code_of(isa::Section section) const {
    return program_.schedule.sections[static_cast<std::size_t>(section)];
  }
  [[nodiscard]] unsigned pes() const { return blocks_.count * loop_.live_pes; }

  Program program_;
  Memory& memory_;
  Memory& packed_;
  BlockRange blocks_;
  const LoopRun& loop_;
  std::vector<Tally> tallies_;       // by state
  std::vector<Sequence> sequences_;  // of the full states and of the last one
};

}  // namespace gdr::emulator::simd
