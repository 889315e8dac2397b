// A run of the loop in packed states, on compiled code.
#pragma once

#include <cstdint>
#include <vector>

#include "row_store.h"
#include "sequence.h"

namespace gdr::emulator::simd {

/// Progress of a packed run.
struct PackedProgress {
  std::uint64_t turns = 0;  // 0: nothing was done
  bool ended = false;       // loop termination has run, too
};

/// One run of some blocks, at most as many as a host vector has lanes.
class PackedRun {
 public:
  PackedRun(const LoweredSimd& program, RowStore::Packed& packed, const LoopRun& loop);

  /// Runs loop initialization, `turns` turns of the body, all with a record, and, if `terminates` is true, loop
  /// termination. It stops earlier if compiled code gives up. `all`: these are all turns with a record. Counts in
  /// `tallies`, one for each block. The words of a run that has ended stay packed, those of a run that has stopped come
  /// to the blocks. If nothing was done, the words are those of before.
  PackedProgress run(std::uint64_t turns, bool all, bool terminates, Tally* tallies);

 private:
  void give_records(std::uint64_t turns);
  /// False if a floating-point event happened; its place would name a wrong block.
  bool run_section(isa::Section section);
  /// `terminates`: rows that only the body uses go to `late` instead of the states.
  [[nodiscard]] std::uint64_t run_turns(std::uint64_t turns, bool all, bool terminates);
  bool terminate();

  const LoweredSimd& program_;
  RowStore::Packed& packed_;
  const LoopRun& loop_;
  std::vector<Tally> tallies_;       // one for each packed state
  std::vector<Sequence> sequences_;  // one for the full states and one for the last state
};

}  // namespace gdr::emulator::simd
