#include "turn_runner.h"

#include <algorithm>

namespace gdr::emulator {
namespace {

// Turns of one piece: enough that threads do not wait for one another, few enough that the words stay in cache.
constexpr std::uint64_t kPieceTurns = 8;

std::uint64_t to_host(LongWord word, const isa::Variable& result, ConversionEvents& events) {
  Oht oht;
  const std::uint64_t field = oht.convert(word, *result.conversion, result.width);
  events += oht.events;
  return field;
}

}  // namespace

TurnRunner::TurnRunner(const isa::Program& program, std::span<ControlProcessor> chips, ThreadPool& pool,
                       std::span<const Ring> rings, const TurnRun& run)
    : program_(program), chips_(chips), pool_(pool), rings_(rings), run_(run), results_(rings.size()) {
  for (const Ring& ring : rings_) {
    first_place_.push_back(numbers_.size());
    for (unsigned n = 0; n < ring.chips; ++n) numbers_.push_back(ring.first_chip + n);
  }
  const std::uint64_t turns = std::min(kPieceTurns, run_.turns);
  piece_words_ = std::max(collected_words(program_, turns, true, run_.turns <= kPieceTurns),
                          collected_words(program_, turns, false, true));
  words_.resize(numbers_.size() * kBlocks * piece_words_);
}

std::vector<std::vector<std::uint64_t>> TurnRunner::results() {
  for (const unsigned chip : numbers_) chips_[chip].start_turns(run_.first_record, run_.turns, run_.live_pes);
  const std::uint64_t words = collected_words(program_, run_.turns, true, true);
  for (std::vector<std::uint64_t>& result : results_) result.resize(words);
  for (std::uint64_t first = 0; first < run_.turns; first += kPieceTurns) {
    run_piece(first, std::min(kPieceTurns, run_.turns - first));
  }
  return std::move(results_);
}

void TurnRunner::run_piece(std::uint64_t first, std::uint64_t count) {
  // Tasks as of a run of Type I: an engine may have blocks to run side by side.
  constexpr unsigned kTasksPerChip = 4;
  const unsigned share = (run_.live_blocks + kTasksPerChip - 1) / kTasksPerChip;
  pool_.run(static_cast<unsigned>(numbers_.size()) * kTasksPerChip, [&](unsigned task) {
    const std::size_t place = task / kTasksPerChip;
    const BlockRange range{
        task % kTasksPerChip * share,
        std::min(share, run_.live_blocks - std::min(run_.live_blocks, task % kTasksPerChip * share))};
    if (range.count == 0) return;
    const std::span<LongWord> room = std::span(words_).subspan((place * kBlocks + range.first) * piece_words_);
    chips_[numbers_[place]].run_turns(range, first, count, room.first(range.count * piece_words_));
  });
  const std::vector<Batch> batches = batches_of(first, count);
  booked_.assign(batches.size(), std::vector<Booked>(numbers_.size()));
  pool_.run(static_cast<unsigned>(rings_.size() * batches.size()), [&](unsigned task) {
    const std::size_t number = task % batches.size();
    reduce_batch(task / batches.size(), batches[number], booked_[number]);
  });
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    for (std::size_t ring = 0; ring < rings_.size(); ++ring) {
      for (unsigned n = 0; n < rings_[ring].chips; ++n) {
        const std::size_t place = first_place_[ring] + n;
        const bool last = n + 1 == rings_[ring].chips;
        const Booked& booked = booked_[batch][place];
        chips_[numbers_[place]].count_collected(batches[batch].words, !last, last, booked.fp, booked.conversions);
      }
    }
  }
  for (const Batch& batch : batches) done_ += batch.words;
}

std::vector<TurnRunner::Batch> TurnRunner::batches_of(std::uint64_t first, std::uint64_t count) const {
  std::vector<Batch> batches;
  std::size_t at = 0;
  const auto add = [&](isa::Section section, bool first_turn) {
    const isa::Visitor visitor{[](const isa::ProgramLine&) {}, [](const isa::TransferStep&) {},
                               [&](const isa::CollectStep& collect) {
                                 if (collect.not_first && first_turn) return;
                                 batches.push_back({&program_.variables[collect.variable], at, collect.words()});
                                 at += collect.words();
                               }};
    for (const isa::Step& step : program_.steps(section)) std::visit(visitor, step);
  };
  for (std::uint64_t turn = first; turn < first + count; ++turn) add(isa::Section::loop_body, turn == 0);
  if (first + count == run_.turns) add(isa::Section::loop_termination, false);
  return batches;
}

void TurnRunner::reduce_batch(std::size_t ring, const Batch& batch, std::vector<Booked>& booked) {
  const isa::Variable& result = *batch.result;
  std::vector<LongWord> sums(batch.words);
  std::vector<LongWord> own(batch.words);
  for (unsigned n = 0; n < rings_[ring].chips; ++n) {
    const std::size_t place = first_place_[ring] + n;
    std::array<std::span<const LongWord>, kBlocks> blocks;
    for (unsigned block = 0; block < kBlocks; ++block) {
      blocks[block] = words_of(place, block).subspan(batch.first, batch.words);
    }
    const ControlProcessor& chip = chips_[numbers_[place]];
    FpEvents& events = booked[place].fp;
    chip.reduce(result, blocks, n == 0 ? sums : own, events);
    if (n == 0 || !result.reduction) continue;
    const Width width = isa::info_of(*result.conversion).width;
    for (std::size_t word = 0; word < batch.words; ++word) {
      sums[word] = emulator::reduce(*result.reduction, sums[word], own[word], width, events);
    }
  }
  const std::size_t last = first_place_[ring] + rings_[ring].chips - 1;
  for (std::size_t word = 0; word < batch.words; ++word) {
    results_[ring][done_ + batch.first + word] = to_host(sums[word], result, booked[last].conversions);
  }
}

}  // namespace gdr::emulator
