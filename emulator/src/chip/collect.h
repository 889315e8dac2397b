// The words that a run of a Type II kernel sends to the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// Words that one `collect` sends. All of them are converted for the host in the same way.
struct Collected {
  const isa::Variable* result = nullptr;
  isa::BlockChoice blocks;
  std::size_t first = 0;      // index among the words that one block sends to the tree in the piece
  std::size_t words = 0;      // of one block
  std::size_t first_out = 0;  // index among the words that leave the chip in the piece
  std::size_t words_out = 0;
};

/// The collects of a run, or of a piece of one, with this many iterations, in order. collected_words() is the sum of
/// their words, words_out() that of their words_out.
[[nodiscard]] std::vector<Collected> collects_of(const isa::Program& program, std::uint64_t iterations, bool begins,
                                                 bool ends);

/// Reduces words of the chip's 16 blocks once more, to find the places of events in the tree. `place` is the place of
/// the first word; the following words have consecutive results.
void place_tree_events(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                       const JunctionEvent& place, FirstJunctionEvents& first);

/// Passes words of the chip's 16 blocks through the tree without combining them: those of one block, or those of each
/// block in turn. `batch` has no reduction. `out` has batch.words_out words.
void pass_blocks(const Collected& batch, std::span<const std::span<const LongWord>> blocks, std::span<LongWord> out);

}  // namespace gdr::emulator
