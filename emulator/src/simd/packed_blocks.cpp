#include "packed_blocks.h"

#include <algorithm>

#include "line_facts.h"

namespace gdr::emulator::simd {
namespace {

using isa::Section;

constexpr std::array kLoopSections{Section::loop_initialization, Section::loop_body, Section::loop_termination};

bool names_a_place(const Operand& operand) {
  const auto is_number = [](std::uint32_t place) { return place >= place::kPeIdShort && place < place::kFlags; };
  return is_number(operand.high) || is_number(operand.low);
}

/// True if nothing but registers makes a section around the body depend on the PE or block in which it runs.
bool is_placeless(const std::vector<const DecodedLine*>& lines, const SectionCode& code) {
  for (const DecodedLine* line : lines) {
    const auto depends = [](const isa::Access& access) {
      return access.storage == isa::Storage::flag || access.storage == isa::Storage::record || access.one_pe;
    };
    if (line->effects.writes_bm() || std::ranges::any_of(line->effects.reads(), depends) ||
        std::ranges::any_of(line->effects.writes(), depends)) {
      return false;
    }
  }
  for (const auto* ops : {&code.ops, &code.edge}) {
    if (std::ranges::any_of(*ops, [](const MicroOp& op) { return names_a_place(op.a) || names_a_place(op.b); })) {
      return false;
    }
  }
  return true;
}

/// Adds the addresses of the short words of BM that the lines read.
void add_bm(const std::vector<const DecodedLine*>& lines, std::vector<unsigned>& words) {
  for (const DecodedLine* line : lines) {
    for (const isa::Access& read : line->effects.reads()) {
      if (read.storage != isa::Storage::bm) continue;
      const isa::WordRange range = isa::extent_of(read, line->effects.elements());
      for (unsigned word = range.first; word < range.last; ++word) words.push_back(word);
    }
  }
}

std::vector<unsigned> numbers_of(const RowSet& rows) {
  std::vector<unsigned> numbers;
  rows.for_each([&](unsigned row) { numbers.push_back(row); });
  return numbers;
}

bool had_event(const std::vector<Tally>& tallies) {
  return std::ranges::any_of(tallies, [](const Tally& tally) { return tally.events != FpEvents{}; });
}

}  // namespace

PackingPlan::PackingPlan(const DecodedProgram& program, const Schedule& schedule) {
  if (schedule.may_fault || program.program.record_words == 0) return;
  RowSet read;
  RowSet written(kTRows);
  RowSet overwritten;
  RowSet around;  // rows that the sections around the body read or write
  for (const Section section : kLoopSections) {
    const std::vector<DecodedStep>& steps = program.steps(section);
    const std::vector<const DecodedLine*> lines = lines_of(steps);
    if (lines.size() != steps.size()) return;  // transfers and collects belong to single blocks
    const bool is_body = section == Section::loop_body;
    if (!is_body && !is_placeless(lines, schedule.sections[static_cast<std::size_t>(section)])) return;
    add_bm(lines, bm);
    std::vector<LineFacts> facts;
    for (const DecodedLine* line : lines) facts.push_back(facts_of(line->effects));
    if (section != Section::loop_termination) overwritten |= overwritten_unread(lines, facts) - read;
    RowSet written_here(kTRows);
    for (const LineFacts& line : facts) {
      read |= line.reads;
      if (!is_body) around |= line.reads;
      written_here |= line.writes;
    }
    written |= written_here;
    if (!is_body) around |= written_here;
    if (section == Section::loop_termination) written_in_termination = written_here.whole_pairs();
  }
  // The two places of the record in BM differ from block to block.
  const unsigned records = 4 * program.program.record_words;
  if (std::ranges::any_of(bm, [&](unsigned word) { return word < records; })) return;
  std::ranges::sort(bm);
  bm.erase(std::ranges::unique(bm).begin(), bm.end());
  // Half of a pair may be stored in both of its rows.
  const RowSet taken_rows = (read | written).whole_pairs() - overwritten.both_of_pairs();
  left_rows = written.whole_pairs();
  taken = numbers_of(taken_rows - left_rows);
  kept = numbers_of(taken_rows & left_rows);
  left = numbers_of(left_rows);
  of_body = left_rows - taken_rows - around.whole_pairs();
  possible = true;
}

bool packing_pays(unsigned blocks, unsigned live_pes, unsigned lanes) {
  if (lanes == 0 || live_pes == 0) return false;
  const unsigned one_by_one = blocks * ((live_pes + lanes - 1) / lanes);
  return 8 * Packing::vectors(blocks, live_pes, lanes) <= 7 * one_by_one;
}

jit::PackedTurns PackedBlocks::turns() {
  jit::PackedTurns turns;
  turns.states = packed_.state(0);
  turns.state_words = packed_.block_words();
  turns.blocks = packing_.blocks().count;
  turns.places = packing_.places();
  turns.vectors = packing_.vectors();
  return turns;
}

bool PackedBlocks::bm_is_alike() const {
  const std::uint64_t* const first = memory_.state(packing_.blocks().first) + place::kBm;
  for (unsigned n = 1; n < packing_.blocks().count; ++n) {
    const std::uint64_t* const other = memory_.state(packing_.blocks().first + n) + place::kBm;
    for (const unsigned word : program_.plan.bm) {
      if (other[word] != first[word]) return false;
    }
  }
  return true;
}

void PackedBlocks::take_bm(unsigned states) {
  const std::uint64_t* const from = memory_.state(packing_.blocks().first) + place::kBm;
  for (unsigned state = 0; state < states; ++state) {
    std::uint64_t* const to = packed_.state(state) + place::kBm;
    for (const unsigned word : program_.plan.bm) to[word] = from[word];
  }
}

void PackedBlocks::take_rows(const std::vector<unsigned>& rows, const AlikeRows& alike) {
  for (const unsigned row : rows) {
    const std::uint64_t* const of_all = alike.words(row, packing_.blocks());
    if (of_all == nullptr) {
      take_row(row);
    } else if (packing_.places() == jit::kMostLanes) {
      spread_row<jit::kMostLanes>(row, of_all);
    } else {
      spread_row<1>(row, of_all);
    }
  }
}

void PackedBlocks::take_row(unsigned row) {
  for (unsigned n = 0; n < packing_.places(); ++n) {
    const unsigned block = packing_.blocks().first + std::min(n, packing_.blocks().count - 1);
    const std::uint64_t* const from = memory_.state(block) + row_place(row);
    for (unsigned pe = 0; pe < packing_.pes(); ++pe) {
      packed_.state(0)[packing_.word(packed_, row, pe) + n] = from[std::min(pe, packing_.live_pes() - 1)];
    }
  }
}

/// Copies a PE's word for all blocks; the number of words at a time is a compile-time constant.
template <unsigned at_once>
void PackedBlocks::spread_row(unsigned row, const std::uint64_t* words) {
  for (unsigned pe = 0; pe < packing_.pes(); ++pe) {
    const std::uint64_t word = words[std::min(pe, packing_.live_pes() - 1)];
    std::uint64_t* const to = packed_.state(0) + packing_.word(packed_, row, pe);
    for (unsigned n = 0; n < packing_.places(); n += at_once) {
      for (unsigned place = n; place < n + at_once; ++place) to[place] = word;
    }
  }
}

/// Words of PEs beside the live ones are undefined after a run.
void PackedBlocks::give_rows(const std::vector<unsigned>& rows) {
  for (const unsigned row : rows) {
    for (unsigned pe = 0; pe < packing_.live_pes(); ++pe) {
      const std::uint64_t* const from = packed_.state(0) + packing_.word(packed_, row, pe);
      for (unsigned n = 0; n < packing_.blocks().count; ++n) {
        memory_.state(packing_.blocks().first + n)[row_place(row) + pe] = from[n];
      }
    }
  }
}

void PackedBlocks::give_flags() {
  for (const jit::Left& left : program_.loop.flags_left()) {
    const std::uint32_t at = flag_place(left.place / isa::kVectorElements) + left.place % isa::kVectorElements;
    for (unsigned n = 0; n < packing_.blocks().count; ++n) {
      std::uint64_t& flags = memory_.state(packing_.blocks().first + n)[at];
      for (unsigned pe = 0; pe < packing_.live_pes(); ++pe) {
        const unsigned lane = pe * packing_.places() + n;
        const std::uint64_t flag = packed_.state(lane / kPesPerBlock)[at] >> lane % kPesPerBlock & 1;
        flags = (flags & ~(std::uint64_t{1} << pe)) | flag << pe;
      }
    }
  }
}

/// While turns run, values that are equal in all PEs have a place of their own; this copies them back.
void PackedBlocks::give_invariants() {
  program_.schedule.invariant.for_each([&](unsigned row) {
    const std::uint32_t at = uniform_place(row, program_.schedule.long_pairs[row / 2]);
    for (unsigned n = 0; n < packing_.blocks().count; ++n) {
      memory_.state(packing_.blocks().first + n)[at] = packed_.state(0)[at];
    }
  });
}

void PackedBlocks::give_ended() {
  jit::PackedTurns ended = turns();
  ended.late = &late_;
  program_.loop.land_late(ended);
  give_rows(program_.plan.left);
  give_flags();
}

PackedRun::PackedRun(const PackedBlocks::Program& program, Memory& memory, const AlikeRows& alike, PackedStates& packed,
                     const Packing& packing, const LoopRun& loop, bool resumes)
    : program_(program),
      memory_(memory),
      alike_(alike),
      packed_(packed.memory),
      late_(packed.late),
      packing_(packing),
      states_(program, memory, packed, packing_),
      loop_(loop),
      resumes_(resumes) {
  const unsigned full = packing_.all_lanes() / kPesPerBlock;
  const unsigned rest = packing_.all_lanes() % kPesPerBlock;
  tallies_.resize(full + 1);
  const auto add = [&](BlockRange states, unsigned live_pes) {
    sequences_.emplace_back(program.code.program, packed_, states, tallies_.data(), live_pes).number(loop.run, 0);
  };
  if (full > 0) add({0, full}, kPesPerBlock);
  if (rest > 0) add({full, 1}, rest);
}

/// Writes the last two records to broadcast memory.
void PackedRun::give_records(std::uint64_t turns) {
  Tally unused[kBlocks];
  Sequence records(program_.code.program, memory_, packing_.blocks(), unused, loop_.live_pes);
  if (turns > 1) records.receive_records(loop_.stream, turns - 2, true);
  records.receive_records(loop_.stream, turns - 1, true);
}

bool PackedRun::run_section(Section section) {
  for (Sequence& sequence : sequences_) {
    sequence.section(section, code_of(section));
    sequence.land();
  }
  return !had_event(tallies_);
}

std::uint64_t PackedRun::run_turns(std::uint64_t turns, bool all, bool terminates) {
  const RecordStream& stream = loop_.stream;
  jit::PackedTurns some = states_.turns();
  some.record_step = std::size_t{kBlocks} * stream.record_words;
  some.record_words = stream.record_words;
  if (terminates) some.late = &late_;
  std::uint64_t done = 0;
  while (done < turns) {
    some.record = stream.words.data() + (done * kBlocks + packing_.blocks().first) * stream.record_words;
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
  const std::vector<unsigned> rows = numbers_of(program_.plan.written_in_termination - program_.loop.landed());
  const std::vector<std::uint64_t> before = words_of(rows);
  if (run_section(Section::loop_termination)) return true;
  put_words(rows, before);
  jit::PackedTurns turns = states_.turns();
  turns.late = &late_;
  program_.loop.land_again(turns);
  program_.loop.land_late(turns);
  return false;
}

std::vector<std::uint64_t> PackedRun::words_of(const std::vector<unsigned>& rows) {
  std::vector<std::uint64_t> words;
  words.reserve(tallies_.size() * rows.size() * kRowWords);
  for (unsigned state = 0; state < tallies_.size(); ++state) {
    for (const unsigned row : rows) {
      const std::uint64_t* const from = packed_.state(state) + row_place(row);
      words.insert(words.end(), from, from + kRowWords);
    }
  }
  return words;
}

void PackedRun::put_words(const std::vector<unsigned>& rows, const std::vector<std::uint64_t>& words) {
  const std::uint64_t* from = words.data();
  for (unsigned state = 0; state < tallies_.size(); ++state) {
    for (const unsigned row : rows) {
      std::copy_n(from, kRowWords, packed_.state(state) + row_place(row));
      from += kRowWords;
    }
  }
}

PackedProgress PackedRun::give_up() {
  if (resumes_) {
    put_words(program_.plan.kept, kept_before_);
    states_.give_rows(program_.plan.kept);
  }
  return {};
}

PackedProgress PackedRun::run(std::uint64_t turns, bool all, bool terminates, Tally* tallies) {
  if (resumes_) kept_before_ = words_of(program_.plan.kept);
  if (!states_.bm_is_alike()) return give_up();
  states_.take_bm(static_cast<unsigned>(tallies_.size()));
  states_.take_rows(program_.plan.taken, alike_);
  if (!resumes_) states_.take_rows(program_.plan.kept, alike_);
  if (!run_section(Section::loop_initialization)) return give_up();
  PackedProgress progress;
  progress.turns = run_turns(turns, all, terminates);
  if (progress.turns == 0) return give_up();
  progress.ended = terminates && progress.turns == turns && terminate();
  if (!progress.ended) {
    states_.give_rows(program_.plan.left);
    if (progress.turns == turns && all) states_.give_flags();
    states_.give_invariants();
  }
  give_records(progress.turns);
  std::uint64_t elements =
      code_of(Section::loop_initialization).fp_elements + progress.turns * code_of(Section::loop_body).fp_elements;
  if (progress.ended) elements += code_of(Section::loop_termination).fp_elements;
  const BlockRange& blocks = packing_.blocks();
  for (unsigned block = 0; block < blocks.count; ++block) {
    tallies[blocks.first + block].lanes.all += elements * loop_.live_pes;
  }
  for (const Tally& tally : tallies_) tallies[blocks.first].lanes.slow += tally.lanes.slow;
  return progress;
}

}  // namespace gdr::emulator::simd
