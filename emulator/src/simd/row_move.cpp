#include "row_move.h"

namespace gdr::emulator::simd {
namespace {

/// Copies a PE's word for all blocks; the number of words at a time is a compile-time constant.
template <unsigned at_once>
void spread(const std::uint64_t* words, unsigned row, const Packing& packing, Memory& packed) {
  for (unsigned pe = 0; pe < packing.pes(); ++pe) {
    const std::uint64_t word = words[std::min(pe, packing.live_pes() - 1)];
    std::uint64_t* const to = packed.state(0) + packing.word(packed, row, pe);
    for (unsigned n = 0; n < packing.places(); n += at_once) {
      for (unsigned place = n; place < n + at_once; ++place) to[place] = word;
    }
  }
}

}  // namespace

jit::PackedTurns turns_of(const Packing& packing, Memory& packed) {
  jit::PackedTurns turns;
  turns.states = packed.state(0);
  turns.state_words = packed.block_words();
  turns.blocks = packing.blocks().count;
  turns.places = packing.places();
  turns.vectors = packing.vectors();
  return turns;
}

void pack_row(const Memory& blocks, unsigned row, const Packing& packing, Memory& packed) {
  for (unsigned n = 0; n < packing.places(); ++n) {
    const unsigned block = packing.blocks().first + std::min(n, packing.blocks().count - 1);
    const std::uint64_t* const from = blocks.state(block) + row_place(row);
    for (unsigned pe = 0; pe < packing.pes(); ++pe) {
      packed.state(0)[packing.word(packed, row, pe) + n] = from[std::min(pe, packing.live_pes() - 1)];
    }
  }
}

void pack_alike(const std::uint64_t* words, unsigned row, const Packing& packing, Memory& packed) {
  if (packing.places() == jit::kMostLanes) {
    spread<jit::kMostLanes>(words, row, packing, packed);
  } else {
    spread<1>(words, row, packing, packed);
  }
}

void unpack_rows(const Memory& packed, const Packing& packing, const std::vector<unsigned>& rows, Memory& blocks) {
  for (const unsigned row : rows) {
    for (unsigned pe = 0; pe < packing.live_pes(); ++pe) {
      const std::uint64_t* const from = packed.state(0) + packing.word(packed, row, pe);
      for (unsigned n = 0; n < packing.blocks().count; ++n) {
        blocks.state(packing.blocks().first + n)[row_place(row) + pe] = from[n];
      }
    }
  }
}

void unpack_flags(const Memory& packed, const Packing& packing, const std::vector<jit::Left>& flags, Memory& blocks) {
  for (const jit::Left& left : flags) {
    const std::uint32_t at = flag_place(left.place / isa::kVectorElements) + left.place % isa::kVectorElements;
    for (unsigned n = 0; n < packing.blocks().count; ++n) {
      std::uint64_t& of_block = blocks.state(packing.blocks().first + n)[at];
      for (unsigned pe = 0; pe < packing.live_pes(); ++pe) {
        const unsigned lane = pe * packing.places() + n;
        const std::uint64_t flag = packed.state(lane / kPesPerBlock)[at] >> lane % kPesPerBlock & 1;
        of_block = (of_block & ~(std::uint64_t{1} << pe)) | flag << pe;
      }
    }
  }
}

void unpack_invariants(const Memory& packed, const Packing& packing, const Schedule& schedule, Memory& blocks) {
  schedule.invariant.for_each([&](unsigned row) {
    const std::uint32_t at = uniform_place(row, schedule.long_pairs[row / 2]);
    for (unsigned n = 0; n < packing.blocks().count; ++n) {
      blocks.state(packing.blocks().first + n)[at] = packed.state(0)[at];
    }
  });
}

}  // namespace gdr::emulator::simd
