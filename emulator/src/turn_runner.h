// A run of a kernel of Type II: pieces of the loop on every chip, then their words around the rings and to the host,
// piece after piece, so that what waits between stays small.
#pragma once

#include <span>
#include <vector>

#include "collect.h"
#include "gdr/emulator/board.h"
#include "gdr/emulator/thread_pool.h"

namespace gdr::emulator {

class TurnRunner {
 public:
  /// `number` is the run's. What leaves the chips is added to `counted`, and where the ring had events to
  /// `ring_events`.
  TurnRunner(Session& session, ThreadPool& pool, std::span<const Ring> rings, const TurnRun& run, std::uint64_t number,
             Counters& counted, FirstJunctionEvents& ring_events);
  /// Of each ring, word by word.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> results();

 private:
  void run_piece(std::uint64_t first, std::uint64_t count);
  /// What sending some words counts.
  struct Sent {
    Counters counted;
    FirstJunctionEvents ring_events;
  };
  /// The words of one collect from all chips of a ring to the host.
  void send_batch(std::size_t ring, const Collected& batch, Sent& sent);
  /// What a chip collected in the piece, reduced over its blocks.
  [[nodiscard]] std::span<LongWord> words_of(std::size_t ring, unsigned chip) {
    return std::span(words_).subspan((first_place_[ring] + chip) * piece_words_, piece_words_);
  }

  Session& session_;
  ThreadPool& pool_;
  std::span<const Ring> rings_;
  TurnRun run_;
  std::uint64_t number_;
  Counters& counted_;
  FirstJunctionEvents& ring_events_;
  std::vector<std::size_t> first_place_;  // of each ring among the chips at work
  std::size_t chips_ = 0;                 // at work
  std::size_t piece_words_ = 0;           // of one chip
  std::vector<LongWord> words_;           // shape: [place][piece_words_]
  std::vector<std::vector<std::uint64_t>> results_;
  std::size_t done_ = 0;  // words of each result
};

}  // namespace gdr::emulator
