#include "packed_blocks.h"

#include <algorithm>
#include <cstring>

#include "line_facts.h"

namespace gdr::emulator::simd {
namespace {

using isa::Section;

constexpr std::array kLoopSections{Section::loop_initialization, Section::loop_body, Section::loop_termination};

bool names_a_place(const Operand& operand) {
  const auto is_number = [](std::uint32_t place) { return place >= place::kPeIdShort && place < place::kFlags; };
  return is_number(operand.high) || is_number(operand.low);
}

/// True if a section around the body does nothing that depends on which PE or block it runs in, but for registers.
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

/// Short words of BM that the lines read by their addresses.
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

/// `words` words; whole vectors of them where the row that they go to has room.
void copy_row(const std::uint64_t* from, unsigned words, unsigned room, std::uint64_t* to) {
  if (words == 1) {
    *to = *from;
    return;
  }
  const unsigned whole = (words + kVectorWords - 1) / kVectorWords * kVectorWords;
  if (whole > room) {
    std::copy_n(from, words, to);
    return;
  }
  for (unsigned n = 0; n < whole; n += kVectorWords) std::memcpy(to + n, from + n, kVectorWords * sizeof *to);
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
  for (const Section section : kLoopSections) {
    const std::vector<DecodedStep>& steps = program.steps(section);
    const std::vector<const DecodedLine*> lines = lines_of(steps);
    if (lines.size() != steps.size()) return;  // transfers and collects are of blocks
    const bool is_body = section == Section::loop_body;
    if (!is_body && !is_placeless(lines, schedule.sections[static_cast<std::size_t>(section)])) return;
    add_bm(lines, bm);
    std::vector<LineFacts> facts;
    for (const DecodedLine* line : lines) facts.push_back(facts_of(line->effects));
    if (section != Section::loop_termination) overwritten |= overwritten_unread(lines, facts) - read;
    RowSet written_here(kTRows);
    for (const LineFacts& line : facts) {
      read |= line.reads;
      written_here |= line.writes;
    }
    written |= written_here;
    if (section == Section::loop_termination) written_in_termination = numbers_of(written_here.whole_pairs());
  }
  // The record's two places in BM are not alike.
  const unsigned records = 4 * program.program.record_words;
  if (std::ranges::any_of(bm, [&](unsigned word) { return word < records; })) return;
  std::ranges::sort(bm);
  bm.erase(std::ranges::unique(bm).begin(), bm.end());
  taken = numbers_of((read | written).whole_pairs() - overwritten);
  left = numbers_of(written.whole_pairs());
  possible = true;
}

bool packing_pays(unsigned blocks, unsigned live_pes, unsigned lanes) {
  if (lanes == 0 || live_pes == 0) return false;
  const unsigned one_by_one = blocks * ((live_pes + lanes - 1) / lanes);
  const unsigned packed = (blocks * live_pes + lanes - 1) / lanes;
  return 8 * packed <= 7 * one_by_one;
}

PackedRun::PackedRun(const Program& program, Memory& memory, PackedMemory& packed, BlockRange blocks,
                     const LoopRun& loop)
    : program_(program),
      memory_(memory),
      packed_(packed.get(program.schedule.constants, program.loop.lanes())),
      blocks_(blocks),
      loop_(loop) {
  const unsigned full = pes() / kPesPerBlock;
  const unsigned rest = pes() % kPesPerBlock;
  tallies_.resize(full + 1);
  const auto add = [&](BlockRange states, unsigned live_pes) {
    sequences_.emplace_back(program.code.program, packed_, states, tallies_.data(), live_pes).number(loop.run, 0);
  };
  if (full > 0) add({0, full}, kPesPerBlock);
  if (rest > 0) add({full, 1}, rest);
}

template <class Function>
void PackedRun::for_each_piece(unsigned block, Function function) const {
  const unsigned live = loop_.live_pes;
  const unsigned at = block * live;
  const unsigned here = std::min(live, kPesPerBlock - at % kPesPerBlock);
  function(at / kPesPerBlock, at % kPesPerBlock, 0U, here);
  if (here < live) function(at / kPesPerBlock + 1, 0U, here, live - here);
}

bool PackedRun::bm_is_alike() const {
  const std::uint64_t* const first = memory_.state(blocks_.first) + place::kBm;
  for (unsigned block = 1; block < blocks_.count; ++block) {
    const std::uint64_t* const other = memory_.state(blocks_.first + block) + place::kBm;
    for (const unsigned word : program_.plan.bm) {
      if (other[word] != first[word]) return false;
    }
  }
  return true;
}

void PackedRun::take_bm() {
  const std::uint64_t* const from = memory_.state(blocks_.first) + place::kBm;
  for (unsigned state = 0; state < tallies_.size(); ++state) {
    std::uint64_t* const to = packed_.state(state) + place::kBm;
    for (const unsigned word : program_.plan.bm) to[word] = from[word];
  }
}

void PackedRun::take_rows() {
  for (unsigned block = 0; block < blocks_.count; ++block) {
    const std::uint64_t* const from = memory_.state(blocks_.first + block);
    for_each_piece(block, [&](unsigned state, unsigned lane, unsigned first, unsigned pes) {
      std::uint64_t* const to = packed_.state(state) + lane;
      const unsigned room = kPesPerBlock - lane;
      for (const unsigned row : program_.plan.taken) {
        copy_row(from + row_place(row) + first, pes, room, to + row_place(row));
      }
    });
  }
}

/// Words of PEs beside the live ones are undefined after a run.
void PackedRun::give_rows() {
  for (unsigned block = 0; block < blocks_.count; ++block) {
    std::uint64_t* const to = memory_.state(blocks_.first + block);
    for_each_piece(block, [&](unsigned state, unsigned lane, unsigned first, unsigned pes) {
      const std::uint64_t* const from = packed_.state(state) + lane;
      const unsigned room = kPesPerBlock - first;
      for (const unsigned row : program_.plan.left) {
        copy_row(from + row_place(row), pes, room, to + row_place(row) + first);
      }
    });
  }
}

void PackedRun::give_flags() {
  for (const jit::Left& left : program_.loop.flags_left()) {
    const std::uint32_t at = flag_place(left.place / isa::kVectorElements) + left.place % isa::kVectorElements;
    for (unsigned block = 0; block < blocks_.count; ++block) {
      std::uint64_t& flags = memory_.state(blocks_.first + block)[at];
      for_each_piece(block, [&](unsigned state, unsigned lane, unsigned first, unsigned pes) {
        const std::uint64_t these = (std::uint64_t{1} << pes) - 1;
        flags = (flags & ~(these << first)) | ((packed_.state(state)[at] >> lane & these) << first);
      });
    }
  }
}

/// What is equal in all PEs stands in a place of its own while turns run.
void PackedRun::give_invariants() {
  program_.schedule.invariant.for_each([&](unsigned row) {
    const std::uint32_t at = uniform_place(row, program_.schedule.long_pairs[row / 2]);
    for (unsigned block = 0; block < blocks_.count; ++block) {
      memory_.state(blocks_.first + block)[at] = packed_.state(0)[at];
    }
  });
}

/// A broadcast memory holds the last two records.
void PackedRun::give_records(std::uint64_t turns) {
  Tally unused[kBlocks];
  Sequence records(program_.code.program, memory_, blocks_, unused, loop_.live_pes);
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

std::uint64_t PackedRun::run_turns(std::uint64_t turns, bool all) {
  const RecordStream& stream = loop_.stream;
  jit::PackedTurns some;
  some.states = packed_.state(0);
  some.state_words = packed_.block_words();
  some.record_step = std::size_t{kBlocks} * stream.record_words;
  some.record_words = stream.record_words;
  some.blocks = blocks_.count;
  some.live_pes = loop_.live_pes;
  std::uint64_t done = 0;
  while (done < turns) {
    some.record = stream.words.data() + (done * kBlocks + blocks_.first) * stream.record_words;
    some.turns = static_cast<unsigned>(std::min<std::uint64_t>(program_.loop.most_packed_turns(), turns - done));
    some.ends = all && done + some.turns == turns;
    if (!program_.loop.run(some)) break;
    done += some.turns;
  }
  return done;
}

/// False, and nothing is changed, if an event happened.
bool PackedRun::terminate() {
  std::vector<std::uint64_t> before;
  const auto for_each_row = [&](auto function) {
    for (unsigned state = 0; state < tallies_.size(); ++state) {
      for (const unsigned row : program_.plan.written_in_termination) function(packed_.state(state) + row_place(row));
    }
  };
  for_each_row([&](const std::uint64_t* row) { before.insert(before.end(), row, row + kRowWords); });
  if (run_section(Section::loop_termination)) return true;
  const std::uint64_t* from = before.data();
  for_each_row([&](std::uint64_t* row) {
    std::copy_n(from, kRowWords, row);
    from += kRowWords;
  });
  return false;
}

PackedProgress PackedRun::run(std::uint64_t turns, bool all, bool terminates, Tally* tallies) {
  if (!bm_is_alike()) return {};
  take_bm();
  take_rows();
  if (!run_section(Section::loop_initialization)) return {};
  PackedProgress progress;
  progress.turns = run_turns(turns, all);
  if (progress.turns == 0) return {};
  progress.ended = terminates && progress.turns == turns && terminate();
  give_rows();
  if (progress.turns == turns && all) give_flags();
  if (!progress.ended) give_invariants();
  give_records(progress.turns);
  std::uint64_t elements =
      code_of(Section::loop_initialization).fp_elements + progress.turns * code_of(Section::loop_body).fp_elements;
  if (progress.ended) elements += code_of(Section::loop_termination).fp_elements;
  for (unsigned block = 0; block < blocks_.count; ++block) {
    tallies[blocks_.first + block].lanes.all += elements * loop_.live_pes;
  }
  for (const Tally& tally : tallies_) tallies[blocks_.first].lanes.slow += tally.lanes.slow;
  return progress;
}

}  // namespace gdr::emulator::simd
