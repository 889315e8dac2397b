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
  std::size_t first = 0;  // index among the words of the piece
  std::size_t words = 0;
};

/// The collects of a run, or of a piece of one, with this many iterations, in order. collected_words() is the sum of
/// their words.
[[nodiscard]] std::vector<Collected> collects_of(const isa::Program& program, std::uint64_t iterations, bool begins,
                                                 bool ends);

/// Reduces words of the chip's 16 blocks once more, to find the places of events in the tree. `place` is the place of
/// the first word; the following words have consecutive results.
void place_tree_events(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                       const JunctionEvent& place, FirstJunctionEvents& first);

}  // namespace gdr::emulator
