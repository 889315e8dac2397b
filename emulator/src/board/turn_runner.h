// A run of a Type II kernel. It is split into pieces: every chip runs a piece of the loop, then the words pass around
// the rings and to the host. So only the words of one piece have to be stored.
#pragma once

#include <span>
#include <vector>

#include "chip/collect.h"
#include "gdr/emulator/board.h"
#include "gdr/emulator/thread_pool.h"

namespace gdr::emulator {

class TurnRunner {
 public:
  /// `number` is the number of the run. Words that leave the chips are added to `counted`, events of the ring to
  /// `ring_events`.
  TurnRunner(Session& session, ThreadPool& pool, std::span<const Ring> rings, const TurnRun& run, std::uint64_t number,
             Counters& counted, FirstJunctionEvents& ring_events);
  /// Executes the run and returns its results, shape [ring][word].
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> results();

 private:
  void run_piece(std::uint64_t first, std::uint64_t count);
  /// Counters and events of one call of send_batch().
  struct Sent {
    Counters counted;
    FirstJunctionEvents ring_events;
  };
  /// Sends the words of one collect from all chips of a ring to the host, where they are results from `begin` on.
  void send_batch(std::size_t ring, const Collected& batch, std::size_t begin, Sent& sent);
  /// Adds the words of the ring's other chips to those of its first chip.
  void add_in_ring(std::size_t ring, const Collected& batch, Sent& sent);
  /// Converts the words of one chip to results.
  void send_words(std::size_t ring, const Collected& batch, unsigned chip, std::size_t begin, Sent& sent);
  /// The words that left a chip in the piece.
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
  std::vector<std::size_t> first_place_;  // first place of each ring among the chips in use
  std::size_t chips_ = 0;                 // number of chips in use
  std::size_t piece_words_ = 0;           // words of one chip in a piece
  std::vector<LongWord> words_;           // shape: [place][piece_words_]
  std::vector<std::vector<std::uint64_t>> results_;
  std::vector<std::size_t> results_done_;  // number of complete results of each ring
  std::size_t done_ = 0;                   // number of words that left a chip in earlier pieces
};

}  // namespace gdr::emulator
