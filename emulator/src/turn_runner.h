// A run of a kernel of Type II: pieces of the loop on every block of every chip, then their words through tree, ring
// and OHT, piece after piece, so that what waits between stays small.
#pragma once

#include <span>
#include <vector>

#include "gdr/emulator/board.h"
#include "thread_pool.h"

namespace gdr::emulator {

class TurnRunner {
 public:
  TurnRunner(const isa::Program& program, std::span<ControlProcessor> chips, ThreadPool& pool,
             std::span<const Ring> rings, const TurnRun& run);
  /// Of each ring, word by word.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> results();

 private:
  /// Words that one collect brings, all with one way to the host.
  struct Batch {
    const isa::Variable* result = nullptr;
    std::size_t first = 0;  // among the piece's words
    std::size_t words = 0;
  };
  struct Booked {
    FpEvents fp;
    ConversionEvents conversions;
  };

  void run_piece(std::uint64_t first, std::uint64_t count);
  [[nodiscard]] std::vector<Batch> batches_of(std::uint64_t first, std::uint64_t count) const;
  void reduce_batch(std::size_t ring, const Batch& batch, std::vector<Booked>& booked);
  [[nodiscard]] std::span<LongWord> words_of(std::size_t place, unsigned block) {
    return std::span(words_).subspan((place * kBlocks + block) * piece_words_, piece_words_);
  }

  const isa::Program& program_;
  std::span<ControlProcessor> chips_;
  ThreadPool& pool_;
  std::span<const Ring> rings_;
  TurnRun run_;
  std::vector<unsigned> numbers_;         // of the chips at work, ring after ring
  std::vector<std::size_t> first_place_;  // of each ring in numbers_
  std::size_t piece_words_ = 0;           // room of one block
  std::vector<LongWord> words_;           // shape: [place][block][piece_words_]
  std::vector<std::vector<std::uint64_t>> results_;
  std::size_t done_ = 0;                     // words of each result
  std::vector<std::vector<Booked>> booked_;  // [batch][place]
};

}  // namespace gdr::emulator
