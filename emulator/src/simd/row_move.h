// Moves of words between the states of blocks, where a row has one word for each PE, and packed states (packing.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "block_memory.h"
#include "jit/loop_jit.h"
#include "packing.h"

namespace gdr::emulator::simd {

/// Copies in pieces of a constant size: for a few words a call of std::memmove() would take longer than the copy.
inline void copy_words(const std::uint64_t* from, std::size_t words, std::uint64_t* to) {
  constexpr std::size_t kAtOnce = 4;
  if (words < kAtOnce) {
    for (std::size_t n = 0; n < words; ++n) to[n] = from[n];
    return;
  }
  for (std::size_t n = 0; n + kAtOnce < words; n += kAtOnce) std::memcpy(to + n, from + n, kAtOnce * sizeof *to);
  std::memcpy(to + words - kAtOnce, from + words - kAtOnce, kAtOnce * sizeof *to);
}

/// The 72 bits of the pair of rows that begins at an even row; `lane` is the PE's word in row 0.
[[nodiscard]] inline isa::LongWord get_pair(const std::uint64_t* lane, unsigned row, bool is_long) {
  const std::uint64_t first = lane[row_place(row)];
  const std::uint64_t second = lane[row_place(row + 1)];
  if (is_long) return {first, static_cast<std::uint8_t>(second)};
  return isa::join({first >> kShortShift}, {second >> kShortShift});
}

inline void put_pair(std::uint64_t* lane, unsigned row, bool is_long, isa::LongWord word) {
  lane[row_place(row)] = is_long ? word.high : word.upper().bits << kShortShift;
  lane[row_place(row + 1)] = is_long ? word.low : word.lower().bits << kShortShift;
}

/// Iterations for all the blocks and vectors of packed states, without records.
[[nodiscard]] jit::PackedTurns turns_of(const Packing& packing, Memory& packed);
/// Packs a row of the blocks.
void pack_row(const Memory& blocks, unsigned row, const Packing& packing, Memory& packed);
/// Packs a row that has these words in each of the blocks.
void pack_alike(const std::uint64_t* words, unsigned row, const Packing& packing, Memory& packed);
/// Copies rows of the live PEs to their blocks.
void unpack_rows(const Memory& packed, const Packing& packing, const std::vector<unsigned>& rows, Memory& blocks);
/// Copies flags of the live PEs to their blocks; places as in LoopJit::flags_left().
void unpack_flags(const Memory& packed, const Packing& packing, const std::vector<jit::Left>& flags, Memory& blocks);
/// While iterations run, values that are equal in all PEs have a place of their own; this copies them to the blocks.
void unpack_invariants(const Memory& packed, const Packing& packing, const Schedule& schedule, Memory& blocks);

}  // namespace gdr::emulator::simd
