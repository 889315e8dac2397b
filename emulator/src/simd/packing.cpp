#include "packing.h"

#include <algorithm>

#include "line/line_facts.h"

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

}  // namespace

std::vector<unsigned> numbers_of(const RowSet& rows) {
  std::vector<unsigned> numbers;
  rows.for_each([&](unsigned row) { numbers.push_back(row); });
  return numbers;
}

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

}  // namespace gdr::emulator::simd
