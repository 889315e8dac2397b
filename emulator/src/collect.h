// The words that a run of a kernel of Type II brings to the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// Words that one `collect` brings, all with one way to the host.
struct Collected {
  const isa::Variable* result = nullptr;
  std::size_t first = 0;  // among the words of the piece
  std::size_t words = 0;
};

/// The collects of a run, or a piece of one, of this many iterations, in order; collected_words() is their sum.
[[nodiscard]] std::vector<Collected> collects_of(const isa::Program& program, std::uint64_t iterations, bool begins,
                                                 bool ends);

/// Words of the chip's 16 blocks through the tree once more, for the places of the events in it. `place` is that of the
/// first word; those of the others follow it.
void place_tree_events(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                       const JunctionEvent& place, FirstJunctionEvents& first);

}  // namespace gdr::emulator
