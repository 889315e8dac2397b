// PEs beside the live ones in the last vector of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "loop_jit.h"

namespace gdr::emulator::jit {

/// Words of the lanes that fill the last live PEs' vector. Their results are of no use, but what they hold may be
/// refused, so they become copies of the last live PE. PEs that are not live keep their i-data, so the words are put
/// back.
class DeadLanes {
 public:
  DeadLanes(const BlockTurns& turns, unsigned lanes, const std::vector<unsigned>& read)
      : words_(turns.state + turns.live_pes), count_((lanes - turns.live_pes % lanes) % lanes), read_(read) {}

  [[nodiscard]] unsigned count() const { return count_; }
  void fill() {
    before_.reserve(read_.size() * count_);
    for (const unsigned row : read_) {
      std::uint64_t* const words = words_ + simd::row_place(row);
      before_.insert(before_.end(), words, words + count_);
      std::fill_n(words, count_, words[-1]);
    }
  }
  void restore() const {
    const std::uint64_t* from = before_.data();
    for (const unsigned row : read_) {
      std::copy_n(from, count_, words_ + simd::row_place(row));
      from += count_;
    }
  }

 private:
  std::uint64_t* words_;  // of row 0
  unsigned count_;
  const std::vector<unsigned>& read_;
  std::vector<std::uint64_t> before_;
};

}  // namespace gdr::emulator::jit
