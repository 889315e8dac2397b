// Blocks with few live PEs side by side in the lanes of host vectors: which programs can run so, and where words are.
//
// In a run of few i-particles most lanes of a vector have no live PE. All blocks compute the same for PEs with the same
// numbers, but each has its own record. So the live PEs of several blocks are packed into the states of as few blocks
// as can hold them, and the loop's sections run there.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "block_memory.h"
#include "line/decoded_program.h"
#include "line/row_set.h"
#include "line/scheduler.h"

namespace gdr::emulator::simd {

/// Data that a program's sections around the loop body read and write.
struct PackingPlan {
  PackingPlan(const DecodedProgram& program, const Schedule& schedule);

  bool possible = false;          // true if nothing depends on the block or PE in which it runs
  std::vector<unsigned> taken;    // rows of registers that the sections read and never write
  std::vector<unsigned> kept;     // rows that they write, and in which they read values of the run before
  std::vector<unsigned> left;     // rows that they write, including `kept`
  std::vector<unsigned> bm;       // short words of broadcast memory that they read
  RowSet left_rows;               // as `left`
  RowSet written_in_termination;  // those of `left_rows` that loop termination writes
  RowSet of_body;                 // those of `left_rows` that only the body uses and no later run reads
};

/// Layout of the packed live PEs of some blocks: first PE 0 of each block, then PE 1, and so on. A lane of a host
/// vector therefore belongs to the same block in every vector. The number of places for blocks is a power of two.
/// Places after the last block are copies of it, and places after the last PE in its vector are copies of that PE.
class Packing {
 public:
  Packing() = default;
  /// At most as many blocks as a vector has lanes.
  Packing(BlockRange blocks, unsigned live_pes, unsigned lanes)
      : blocks_(blocks),
        live_pes_(live_pes),
        lanes_(lanes),
        places_(std::bit_ceil(blocks.count)),
        vectors_(vectors(blocks.count, live_pes, lanes)),
        pes_(all_lanes() / places_) {}

  [[nodiscard]] const BlockRange& blocks() const { return blocks_; }
  [[nodiscard]] unsigned live_pes() const { return live_pes_; }
  [[nodiscard]] unsigned places() const { return places_; }
  [[nodiscard]] unsigned vectors() const { return vectors_; }
  [[nodiscard]] unsigned all_lanes() const { return vectors_ * lanes_; }
  /// Number of PEs of a block that have lanes.
  [[nodiscard]] unsigned pes() const { return pes_; }
  /// Index, from the first word of the packed states, of the word of a row for this PE of the first block. The words of
  /// the other blocks follow.
  [[nodiscard]] std::size_t word(const Memory& packed, unsigned row, unsigned pe) const {
    const unsigned lane = pe * places_;
    return std::size_t{lane / kPesPerBlock} * packed.block_words() + row_place(row) + lane % kPesPerBlock;
  }

  /// Two packings are equal if they put every PE in the same place.
  friend bool operator==(const Packing& a, const Packing& b) {
    return a.blocks_.first == b.blocks_.first && a.blocks_.count == b.blocks_.count && a.live_pes_ == b.live_pes_ &&
           a.lanes_ == b.lanes_;
  }

  [[nodiscard]] static unsigned vectors(unsigned blocks, unsigned live_pes, unsigned lanes) {
    return (live_pes * std::bit_ceil(blocks) + lanes - 1) / lanes;
  }

 private:
  BlockRange blocks_{0, 0};
  unsigned live_pes_ = 0;
  unsigned lanes_ = 0;
  unsigned places_ = 0;
  unsigned vectors_ = 0;
  unsigned pes_ = 0;
};

[[nodiscard]] std::vector<unsigned> numbers_of(const RowSet& rows);
/// True if packing saves at least an eighth of the vectors of this many lanes.
[[nodiscard]] bool packing_pays(unsigned blocks, unsigned live_pes, unsigned lanes);

}  // namespace gdr::emulator::simd
