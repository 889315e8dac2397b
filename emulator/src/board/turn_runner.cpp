#include "turn_runner.h"

#include <algorithm>

#include "transfer.h"

namespace gdr::emulator {
namespace {

// Turns of one piece: enough that threads do not wait for one another, and few enough that the words stay in cache.
constexpr std::uint64_t kPieceTurns = 8;

}  // namespace

TurnRunner::TurnRunner(Session& session, ThreadPool& pool, std::span<const Ring> rings, const TurnRun& run,
                       std::uint64_t number, Counters& counted, FirstJunctionEvents& ring_events)
    : session_(session),
      pool_(pool),
      rings_(rings),
      run_(run),
      number_(number),
      counted_(counted),
      ring_events_(ring_events),
      results_(rings.size()) {
  for (const Ring& ring : rings_) {
    first_place_.push_back(chips_);
    chips_ += ring.chips;
  }
}

std::vector<std::vector<std::uint64_t>> TurnRunner::results() {
  const std::uint64_t words = collected_words(session_.program(), run_.turns, true, true);
  for (std::vector<std::uint64_t>& result : results_) result.resize(words);
  for (std::uint64_t first = 0; first < run_.turns; first += kPieceTurns) {
    run_piece(first, std::min(kPieceTurns, run_.turns - first));
  }
  return std::move(results_);
}

void TurnRunner::run_piece(std::uint64_t first, std::uint64_t count) {
  Piece piece;
  piece.blocks = {0, run_.live_blocks};
  piece.address = (run_.first_record + first * kBlocks) * session_.program().record_words;
  piece.records = count * kBlocks;
  piece.live_pes = run_.live_pes;
  piece.run = number_;
  piece.first_iteration = first;
  piece.begins = first == 0;
  piece.ends = first + count == run_.turns;
  const std::vector<Collected> batches = collects_of(session_.program(), count, piece.begins, piece.ends);
  piece_words_ = batches.empty() ? 0 : batches.back().first + batches.back().words;
  words_.resize(std::max(words_.size(), chips_ * piece_words_));

  std::vector<Piece> pieces;
  for (const Ring& ring : rings_) {
    for (unsigned n = 0; n < ring.chips; ++n) {
      piece.chip = ring.first_chip + n;
      pieces.push_back(piece);
    }
  }
  Ticket ticket = session_.run(pieces);
  for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
    for (unsigned n = 0; n < rings_[ring].chips; ++n) {
      ticket = session_.collect(rings_[ring].first_chip + n, 0, words_of(ring, n));
    }
  }
  session_.wait(ticket);

  std::vector<Sent> sent(rings_.size() * batches.size());
  pool_.run(static_cast<unsigned>(sent.size()),
            [&](unsigned task) { send_batch(task / batches.size(), batches[task % batches.size()], sent[task]); });
  for (const Sent& each : sent) {
    counted_ += each.counted;
    for (const JunctionEvent& event : each.ring_events.events()) ring_events_.add(event);
  }
  done_ += piece_words_;
}

void TurnRunner::send_batch(std::size_t ring, const Collected& batch, Sent& sent) {
  const isa::Variable& result = *batch.result;
  const std::span<LongWord> sums = words_of(ring, 0).subspan(batch.first, batch.words);
  JunctionEvent place;
  place.run = number_;
  place.junction = Junction::ring;
  place.variable = static_cast<std::size_t>(&result - session_.program().variables.data());
  for (unsigned n = 1; n < rings_[ring].chips && result.reduction; ++n) {
    place.chip = rings_[ring].first_chip + n;
    const std::span<const LongWord> own = words_of(ring, n).subspan(batch.first, batch.words);
    const Width width = isa::info_of(*result.conversion).width;
    for (std::size_t word = 0; word < sums.size(); ++word) {
      place.result = done_ + batch.first + word;
      sums[word] = reduce(*result.reduction, sums[word], own[word], width, place, sent.counted.fp, sent.ring_events);
    }
  }
  for (std::size_t word = 0; word < sums.size(); ++word) {
    results_[ring][done_ + batch.first + word] = to_host(sums[word], result, sent.counted.conversions);
  }
  sent.counted.odp_words += rings_[ring].chips * batch.words;
  sent.counted.ring_words += (rings_[ring].chips - 1) * batch.words;
  sent.counted.host_bytes_out += batch.words * sizeof(std::uint64_t);
}

}  // namespace gdr::emulator
