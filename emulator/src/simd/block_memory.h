// The state of blocks in the host's memory; micro_op.h has the places in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/isa/word.h"
#include "line/micro_op.h"
#include "zeroed_memory.h"

namespace gdr::emulator::simd {

/// The blocks' states, one after the other. Each is made when it is first asked for, so that a program pays only for
/// the blocks that it uses. Several threads may ask for different blocks.
class Memory {
 public:
  explicit Memory(Pages pages = Pages::huge) : pages_(pages) {}
  Memory(const Memory& other)
      : pages_(other.pages_),
        holds_(other.holds_.size(), Holds::zeros),
        constants_(other.constants_),
        block_words_(other.block_words_) {
    if (holds_.empty()) return;
    memory_ = ZeroedMemory(holds_.size() * block_words_, pages_);
    for (unsigned block = 0; block < holds_.size(); ++block) {
      if (other.holds_[block] != Holds::state) continue;
      std::copy_n(other.place_of(block), block_words_, place_of(block));
      holds_[block] = Holds::state;
    }
  }
  Memory(Memory&&) noexcept = default;
  Memory& operator=(Memory other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(memory_, other.memory_);
    std::swap(holds_, other.holds_);
    std::swap(constants_, other.constants_);
    std::swap(block_words_, other.block_words_);
    return *this;
  }
  ~Memory() = default;

  /// Begins a program with these constants, in the memory of the program before if that is large enough.
  void begin(const std::vector<isa::LongWord>& constants, unsigned blocks) {
    std::vector<isa::LongWord> own = constants;
    std::size_t vectors = (place::kConstants + 2 * std::max(own.size(), kUsualConstants)) / kVectorWords +
                          2;  // one may be read past the end
    // The size is an odd multiple of a vector's, so that the same row of neighbouring blocks is in different cache
    // sets.
    vectors += 1 - vectors % 2;
    const auto words = static_cast<std::uint32_t>(vectors * kVectorWords);
    if (words > block_words_ || blocks != holds_.size()) {
      std::vector<Holds> zeros(blocks, Holds::zeros);
      memory_ = ZeroedMemory(std::size_t{words} * blocks, pages_);
      holds_ = std::move(zeros);
      block_words_ = words;
    } else {
      std::ranges::replace(holds_, Holds::state, Holds::old_state);
    }
    constants_ = std::move(own);
  }

  [[nodiscard]] std::uint64_t* state(unsigned block) {
    make(block);
    return place_of(block);
  }
  [[nodiscard]] const std::uint64_t* state(unsigned block) const {
    make(block);
    return place_of(block);
  }
  /// The state of the first of these blocks. The others follow, block_words() words apart.
  [[nodiscard]] std::uint64_t* states(BlockRange blocks) {
    for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) make(block);
    return place_of(blocks.first);
  }
  /// 0 before the first program.
  [[nodiscard]] std::uint32_t block_words() const { return block_words_; }

 private:
  /// What the memory of a block holds.
  enum class Holds : std::uint8_t { zeros, old_state, state };
  // There is room for at least so many constants, so that most programs reuse the memory of the program before. Chosen:
  // it costs 1 KiB a block.
  static constexpr std::size_t kUsualConstants = 64;

  [[nodiscard]] std::uint64_t* place_of(unsigned block) const {
    return memory_.data() + std::size_t{block} * block_words_;
  }

  void make(unsigned block) const {
    if (holds_[block] == Holds::state) return;
    if (holds_[block] == Holds::old_state) std::fill_n(place_of(block), block_words_, 0);
    fill(place_of(block), block, constants_);
    holds_[block] = Holds::state;
  }

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

  Pages pages_;
  ZeroedMemory memory_;
  mutable std::vector<Holds> holds_;  // of each block
  std::vector<isa::LongWord> constants_;
  std::uint32_t block_words_ = 0;
};

}  // namespace gdr::emulator::simd
