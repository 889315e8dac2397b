#include "packed_run.h"

#include <algorithm>

#include "row_move.h"

namespace gdr::emulator::simd {

using isa::Section;

PackedRun::PackedRun(const LoweredSimd& program, RowStore::Packed& packed, const LoopRun& loop)
    : program_(program), packed_(packed), loop_(loop) {
  const unsigned full = packed.packing().all_lanes() / kPesPerBlock;
  const unsigned rest = packed.packing().all_lanes() % kPesPerBlock;
  tallies_.resize(full + 1);
  const auto add = [&](BlockRange states, unsigned live_pes) {
    sequences_.emplace_back(program.code.program, packed.states(), states, tallies_.data(), live_pes)
        .number(loop.run, 0);
  };
  if (full > 0) add({0, full}, kPesPerBlock);
  if (rest > 0) add({full, 1}, rest);
}

/// Writes the last two records to broadcast memory.
void PackedRun::give_records(std::uint64_t turns) {
  Tally unused[kBlocks];
  Sequence records(program_.code.program, packed_.blocks(), packed_.packing().blocks(), unused, loop_.live_pes);
  if (turns > 1) records.receive_records(loop_.stream, turns - 2, true);
  records.receive_records(loop_.stream, turns - 1, true);
}

bool PackedRun::run_section(Section section) {
  for (Sequence& sequence : sequences_) {
    sequence.section(section, program_.section(section));
    sequence.land();
  }
  return std::ranges::all_of(tallies_, [](const Tally& tally) { return tally.events == FpEvents{}; });
}

std::uint64_t PackedRun::run_turns(std::uint64_t turns, bool all, bool terminates) {
  const RecordStream& stream = loop_.stream;
  jit::PackedTurns some = turns_of(packed_.packing(), packed_.states());
  some.record_step = std::size_t{kBlocks} * stream.record_words;
  some.record_words = stream.record_words;
  if (terminates) some.late = &packed_.late();
  std::uint64_t done = 0;
  while (done < turns) {
    some.record = stream.words.data() + (done * kBlocks + packed_.packing().blocks().first) * stream.record_words;
    some.turns = static_cast<unsigned>(std::min<std::uint64_t>(program_.loop.turns(), turns - done));
    some.ends = all && done + some.turns == turns;
    if (!program_.loop.run(some)) break;
    done += some.turns;
  }
  return done;
}

/// Runs loop termination. If an event happens, returns false and restores the state after the turns.
bool PackedRun::terminate() {
  // The other results of the turns can be restored without a copy.
  const std::vector<unsigned> rows = numbers_of(program_.packing.written_in_termination - program_.loop.landed());
  const std::vector<std::uint64_t> before = packed_.words_of(rows);
  if (run_section(Section::loop_termination)) return true;
  packed_.put_words(rows, before);
  jit::PackedTurns turns = turns_of(packed_.packing(), packed_.states());
  turns.late = &packed_.late();
  program_.loop.land_again(turns);
  program_.loop.land_late(turns);
  return false;
}

PackedProgress PackedRun::run(std::uint64_t turns, bool all, bool terminates, Tally* tallies) {
  if (!run_section(Section::loop_initialization)) return {};
  PackedProgress progress;
  progress.turns = run_turns(turns, all, terminates);
  if (progress.turns == 0) return {};
  progress.ended = terminates && progress.turns == turns && terminate();
  give_records(progress.turns);
  progress.ended ? packed_.keep() : packed_.bring_back(progress.turns == turns && all);

  std::uint64_t elements = program_.section(Section::loop_initialization).fp_elements +
                           progress.turns * program_.section(Section::loop_body).fp_elements;
  if (progress.ended) elements += program_.section(Section::loop_termination).fp_elements;
  const BlockRange& blocks = packed_.packing().blocks();
  for (unsigned block = 0; block < blocks.count; ++block) {
    tallies[blocks.first + block].lanes.all += elements * loop_.live_pes;
  }
  for (const Tally& tally : tallies_) tallies[blocks.first].lanes.slow += tally.lanes.slow;
  return progress;
}

}  // namespace gdr::emulator::simd
