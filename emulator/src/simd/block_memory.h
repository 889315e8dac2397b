// The state of blocks in the host's memory; micro_op.h has the places in it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gdr/isa/word.h"
#include "micro_op.h"
#include "zeroed_memory.h"

namespace gdr::emulator::simd {

/// Words of the widest host vector, with its alignment.
struct alignas(kVectorWords * sizeof(std::uint64_t)) Chunk {
  std::array<std::uint64_t, kVectorWords> words{};
};

/// The blocks' states, one after the other.
class Memory {
 public:
  Memory() = default;
  Memory(const std::vector<isa::LongWord>& constants, unsigned blocks) {
    std::size_t chunks =
        (place::kConstants + 2 * constants.size()) / kVectorWords + 2;  // a vector may read past the end
    // The size is an odd multiple of a chunk, so that the same row of neighbouring blocks is in different cache sets.
    chunks += 1 - chunks % 2;
    block_words_ = static_cast<std::uint32_t>(chunks * kVectorWords);
    chunks_ = ZeroedMemory<Chunk>(chunks * blocks);
    for (unsigned block = 0; block < blocks; ++block) fill(state(block), block, constants);
  }

  [[nodiscard]] std::uint64_t* state(unsigned block) { return chunks_.data()->words.data() + block * block_words_; }
  [[nodiscard]] const std::uint64_t* state(unsigned block) const {
    return chunks_.data()->words.data() + block * block_words_;
  }
  [[nodiscard]] std::uint32_t block_words() const { return block_words_; }

 private:
  static void fill(std::uint64_t* state, unsigned block, const std::vector<isa::LongWord>& constants) {
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      state[place::kPeIdShort + pe] = std::uint64_t{pe} << kShortShift;
      state[place::kPeIdLow + pe] = pe;
    }
    state[place::kBlockIdShort] = std::uint64_t{block} << kShortShift;
    state[place::kBlockIdLow] = block;
    std::fill_n(state + flag_place(0), isa::kVectorElements, 0xffffffff);
    for (std::size_t n = 0; n < constants.size(); ++n) {
      state[place::kConstants + 2 * n] = constants[n].high;
      state[place::kConstants + 2 * n + 1] = constants[n].low;
    }
  }

  ZeroedMemory<Chunk> chunks_;
  std::uint32_t block_words_ = 0;
};

}  // namespace gdr::emulator::simd
