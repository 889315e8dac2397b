// Kernels of Type II on single chips: what `collect` lines bring to the tree, on every engine.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engines.h"
#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::LoopRun;
using isa::LongWord;
using isa::Section;
using selftest::code_of;

constexpr std::uint16_t kResultAddress = 16;  // short words

/// One result of four words in broadcast memory, which the kernel's lines do not write.
isa::Program with_result() {
  isa::Program program;
  program.kernel = "k";
  program.files = {"k.vsm"};
  isa::Variable result;
  result.name = "c";
  result.memory = isa::Memory::bm;
  result.address = kResultAddress;
  result.vector = true;
  result.transfer = isa::Transfer::rrn;
  result.conversion = isa::Conversion::FLT72TO64;
  program.variables = {result};
  return program;
}

isa::CollectStep collect_all(bool not_first = false) { return {0, 0, 1, not_first, {}}; }

std::vector<LongWord> result_words() {
  std::vector<LongWord> words;
  for (unsigned n = 1; n <= isa::kVectorElements; ++n) words.push_back(LongWord::from_bits(1000 + n));
  return words;
}

/// What block 3 brings to the tree in a run of `iterations`, the result standing in its broadcast memory from the
/// start.
std::vector<LongWord> collected(Chip& chip, const isa::Program& program, std::uint64_t iterations) {
  constexpr unsigned kBlock = 3;
  chip.load(program);
  chip.write_bm(kBlock, kResultAddress / 2, result_words());
  std::vector<LongWord> room(emulator::collected_words(program, iterations, true, true));
  LoopRun run;
  run.stream.records = iterations * emulator::kBlocks;
  run.collected = room;
  chip.run_loop(BlockRange{kBlock, 1}, run);
  return room;
}

std::vector<LongWord> times(unsigned count, const std::vector<LongWord>& words) {
  std::vector<LongWord> all;
  for (unsigned n = 0; n < count; ++n) all.insert(all.end(), words.begin(), words.end());
  return all;
}

TEST(Collect, OfASectionWithoutLinesLeavesTheChipOnEveryEngine) {
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    isa::Program program = with_result();
    program.steps(section) = {collect_all()};
    for (const ExactEngine& engine : exact_engines()) {
      const std::unique_ptr<Chip> chip = engine.make();
      const unsigned iterations = section == Section::loop_body ? 3 : 1;
      EXPECT_EQ(collected(*chip, program, iterations), times(iterations, result_words()))
          << engine.name << ", " << isa::name_of(section);
    }
  }
}

/// Stores the PE's number over the first word of the result.
isa::Line store_over_result() {
  isa::Line line;
  line.vlen = 1;
  line.bm.mode = isa::BmMode::write;
  line.bm.store_source = isa::Source::pe_id;
  line.bm.address = kResultAddress;
  line.bm.width = isa::Width::long_word;
  line.bm.one_pe = true;
  line.bm.pe = 7;
  return line;
}

TEST(Collect, OfASectionWithoutLinesComesBeforeWhatTheSectionBeforeStillWrites) {
  isa::Program program = with_result();
  program.steps(Section::loop_initialization) = code_of({store_over_result()});
  program.steps(Section::loop_termination) = {collect_all()};
  std::vector<LongWord> landed = result_words();
  landed[0] = LongWord::from_bits(7);
  for (const ExactEngine& engine : exact_engines()) {
    const std::unique_ptr<Chip> chip = engine.make();
    EXPECT_EQ(collected(*chip, program, 0), result_words()) << engine.name;
    EXPECT_EQ(chip->read_bm(3, kResultAddress / 2, isa::kVectorElements), landed) << engine.name;
  }
}

TEST(Collect, StandsBetweenTheLinesAroundItOnEveryEngine) {
  const std::vector<LongWord> before = result_words();
  std::vector<LongWord> after = before;
  after[0] = LongWord::from_bits(7);
  for (unsigned lines = 0; lines <= 3; ++lines) {  // lines before the collect, of which the first one stores
    isa::Program program = with_result();
    std::vector<isa::Step>& steps = program.steps(Section::loop_termination);
    steps = code_of({store_over_result(), isa::Line{}, isa::Line{}});
    steps.insert(steps.begin() + lines, collect_all());
    // The word lands when the next line has read.
    const std::vector<LongWord>& expected = lines < 2 ? before : after;
    for (const ExactEngine& engine : exact_engines()) {
      const std::unique_ptr<Chip> chip = engine.make();
      EXPECT_EQ(collected(*chip, program, 0), expected) << engine.name << ", after " << lines << " lines";
    }
  }
}

TEST(Collect, NotInTheFirstIterationIsLeftOutThereAlone) {
  isa::Program program = with_result();
  program.steps(Section::loop_body) = {collect_all(true)};
  program.steps(Section::loop_termination) = {collect_all(true)};
  for (const ExactEngine& engine : exact_engines()) {
    const std::unique_ptr<Chip> chip = engine.make();
    EXPECT_EQ(collected(*chip, program, 1), times(1, result_words())) << engine.name;
    EXPECT_EQ(collected(*chip, program, 4), times(4, result_words())) << engine.name;
  }
}

}  // namespace
}  // namespace gdr::tests
