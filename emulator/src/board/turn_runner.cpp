#include "turn_runner.h"

#include <algorithm>

#include "gdr/base/stopping.h"
#include "transfer.h"

namespace gdr::emulator {
namespace {

// Turns of one piece: enough that threads do not wait for one another, and few enough that the words stay in cache.
constexpr std::uint64_t kPieceTurns = 8;

/// Number of words that a ring of chips sends to the host for one collect.
std::size_t words_of_ring(const Collected& batch, unsigned chips) {
  return batch.words_out * (batch.blocks.is_separate() ? chips : 1);
}

/// The same for all collects of a run.
std::size_t ring_words(const isa::Program& program, std::uint64_t turns, unsigned chips) {
  const auto words = static_cast<std::size_t>(words_out(program, turns, true, true));
  if (chips == 1 || !program.has_separate_results()) return words;
  std::size_t sum = 0;
  for (const Collected& batch : collects_of(program, turns, true, true)) sum += words_of_ring(batch, chips);
  return sum;
}

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
      results_(rings.size()),
      results_done_(rings.size()) {
  for (const Ring& ring : rings_) {
    first_place_.push_back(chips_);
    chips_ += ring.chips;
  }
}

std::vector<std::vector<std::uint64_t>> TurnRunner::results() {
  for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
    results_[ring].resize(ring_words(session_.program(), run_.turns, rings_[ring].chips));
  }
  for (std::uint64_t first = 0; first < run_.turns; first += kPieceTurns) {
    base::pause();
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
  piece_words_ = batches.empty() ? 0 : batches.back().first_out + batches.back().words_out;
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
  std::vector<std::size_t> begins(sent.size());  // of the results of each batch
  for (std::size_t task = 0; task < sent.size(); ++task) {
    const std::size_t ring = task / batches.size();
    begins[task] = results_done_[ring];
    results_done_[ring] += words_of_ring(batches[task % batches.size()], rings_[ring].chips);
  }
  pool_.run(static_cast<unsigned>(sent.size()), [&](unsigned task) {
    send_batch(task / batches.size(), batches[task % batches.size()], begins[task], sent[task]);
  });
  for (const Sent& each : sent) {
    counted_ += each.counted;
    for (const JunctionEvent& event : each.ring_events.events()) ring_events_.add(event);
  }
  done_ += piece_words_;
}

void TurnRunner::send_batch(std::size_t ring, const Collected& batch, std::size_t begin, Sent& sent) {
  const unsigned chips = rings_[ring].chips;
  sent.counted.odp_words += chips * batch.words_out;
  if (batch.blocks.is_separate()) {
    for (unsigned n = 0; n < chips; ++n) send_words(ring, batch, n, begin + n * batch.words_out, sent);
    return;
  }
  add_in_ring(ring, batch, sent);
  send_words(ring, batch, 0, begin, sent);
  sent.counted.ring_words += (chips - 1) * batch.words_out;
}

void TurnRunner::add_in_ring(std::size_t ring, const Collected& batch, Sent& sent) {
  const isa::Variable& result = *batch.result;
  const std::span<LongWord> sums = words_of(ring, 0).subspan(batch.first_out, batch.words_out);
  JunctionEvent place;
  place.run = number_;
  place.junction = Junction::ring;
  place.variable = static_cast<std::size_t>(&result - session_.program().variables.data());
  for (unsigned n = 1; n < rings_[ring].chips && result.reduction; ++n) {
    place.chip = rings_[ring].first_chip + n;
    const std::span<const LongWord> own = words_of(ring, n).subspan(batch.first_out, batch.words_out);
    const Width width = isa::info_of(*result.conversion).width;
    for (std::size_t word = 0; word < sums.size(); ++word) {
      place.result = done_ + batch.first_out + word;
      sums[word] = reduce(*result.reduction, sums[word], own[word], width, place, sent.counted.fp, sent.ring_events);
    }
  }
}

void TurnRunner::send_words(std::size_t ring, const Collected& batch, unsigned chip, std::size_t begin, Sent& sent) {
  const std::span<const LongWord> words = words_of(ring, chip).subspan(batch.first_out, batch.words_out);
  for (std::size_t word = 0; word < words.size(); ++word) {
    results_[ring][begin + word] = to_host(words[word], *batch.result, sent.counted.conversions);
  }
  sent.counted.host_bytes_out += words.size() * sizeof(std::uint64_t);
}

}  // namespace gdr::emulator
