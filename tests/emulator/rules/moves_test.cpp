// Kernels of Type II on single chips: what `collect` lines bring to the tree, on every engine.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "engines.h"
#include "gdr/emulator/board.h"
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

/// Each PE 0 keeps its i-data in $lr0v and stores it to two results, of which the tree adds up one and lets block 0's
/// words of the other pass. In each turn both are collected, and after the loop the sum once more.
isa::Program of_two_results() {
  isa::Program program;
  program.kernel = "two";
  isa::Variable x;
  x.name = "x";
  x.memory = isa::Memory::gpr;
  x.vector = true;
  x.transfer = isa::Transfer::hlt;
  x.conversion = isa::Conversion::FLT64TO72;
  isa::Variable sum = with_result().variables.front();
  sum.name = "sum";
  sum.reduction = isa::Op::FADD;
  isa::Variable first = with_result().variables.front();
  first.name = "first";
  first.address = kResultAddress + 2 * isa::kVectorElements;
  program.variables = {x, sum, first};
  const auto store = [](std::uint16_t address) {
    isa::Line line;
    line.vlen = isa::kVectorElements;
    line.gpr_a = {0, isa::Width::long_word, true, false};
    line.bm.mode = isa::BmMode::write;
    line.bm.store_source = isa::Source::gpr_a;
    line.bm.address = address;
    line.bm.width = isa::Width::long_word;
    line.bm.vector = true;
    line.bm.one_pe = true;
    return line;
  };
  program.steps(Section::loop_initialization) =
      code_of({store(kResultAddress), store(kResultAddress + 2 * isa::kVectorElements), isa::Line{}});
  program.steps(Section::loop_body) = {isa::CollectStep{2, 0, 1, false, {}}, isa::CollectStep{1, 0, 1, false, {}}};
  program.steps(Section::loop_termination) = {isa::CollectStep{1, 0, 1, false, {}}};
  return program;
}

/// i-particles of one block after the other, all zero.
std::vector<std::uint64_t> zeros_of_blocks(unsigned blocks) {
  return std::vector<std::uint64_t>(std::size_t{emulator::kParticlesPerRun} * blocks);
}

TEST(Collect, EventsInTreeAndRingHaveTheirPlaces) {
  constexpr std::uint64_t kHuge = std::bit_cast<std::uint64_t>(1.7e308);  // twice this overflows
  constexpr unsigned kParticles = emulator::kParticlesPerRun;
  // A turn collects four words of variable 2, which is not reduced, and four of variable 1; the end variable 1 again.
  const auto expected = [](emulator::Junction junction, unsigned chip, std::uint64_t result) {
    const unsigned blocks = junction == emulator::Junction::tree ? 4 : 0;
    return emulator::JunctionEvent{2, junction, chip, 1, result, blocks, blocks, emulator::FpEvent::overflow};
  };
  using enum emulator::Junction;
  const std::vector<emulator::JunctionEvent> all{expected(tree, 1, 6), expected(tree, 1, 14), expected(tree, 1, 18),
                                                 expected(ring, 3, 7), expected(ring, 3, 15), expected(ring, 3, 19)};
  for (const std::string_view engine : {"reference", "simd", "lockstep"}) {
    emulator::Boards boards(emulator::load_machine("model1800"), 1, engine, 2);
    boards.load(of_two_results());
    const std::array rings{emulator::Ring{0, 1}, emulator::Ring{1, 3}};
    static_cast<void>(boards.run_turns(rings, {0, 2}));
    EXPECT_TRUE(boards.first_junction_events().empty()) << engine;

    std::vector<std::uint64_t> in_tree = zeros_of_blocks(8);  // blocks 4 and 7 meet in the node of blocks 4 to 7
    in_tree[4 * kParticles + 2] = in_tree[7 * kParticles + 2] = kHuge;
    boards.write_block_particles(1, in_tree);
    std::vector<std::uint64_t> in_ring = zeros_of_blocks(1);
    in_ring[3] = kHuge;
    boards.write_block_particles(2, in_ring);
    boards.write_block_particles(3, in_ring);
    static_cast<void>(boards.run_turns(rings, {0, 2}));
    EXPECT_EQ(boards.first_junction_events(), all) << engine;
    EXPECT_EQ(boards.counters().fp.overflow, all.size()) << engine;
  }
  EXPECT_EQ(
      emulator::text_of(of_two_results(), all[1]),
      "overflow in the tree of chip 1, blocks 4 to 7: result 14 of " + of_two_results().variables[1].name + ", run 2");
  EXPECT_EQ(emulator::text_of(of_two_results(), all[3]),
            "overflow in the ring, at chip 3: result 7 of " + of_two_results().variables[1].name + ", run 2");
}

TEST(Collect, PlacesOfEventsCountTheWordsOfEarlierPieces) {
  const isa::Program program = of_two_results();
  const auto engine = emulator::make_engine(emulator::Engine::simd);
  const auto session = engine->open(engine->lower(program), {.chips = 1});
  std::vector<LongWord> words(isa::kVectorElements);
  words[0] = emulator::flt64to72(1.7e308).value;
  session->write_particles({0, 1}, {0, emulator::kBlocks}, isa::kVectorElements, words);
  std::array<emulator::Piece, 2> pieces;
  pieces[0].records = 6 * emulator::kBlocks;
  pieces[0].ends = false;
  pieces[1].records = 2 * emulator::kBlocks;
  pieces[1].first_iteration = 6;
  pieces[1].begins = pieces[1].ends = false;
  session->run(pieces);
  std::vector<LongWord> collected(16);
  session->wait(session->collect(0, 0, collected));
  const auto events = session->first_tree_events();
  ASSERT_EQ(events.size(), emulator::kKeptEvents);
  for (const emulator::JunctionEvent& event : events) EXPECT_EQ(event.result, 6 * 8 + 4u);
}

TEST(Collect, OfARingAddsUpItsBlocksAndChipsWhereTheResultIsReduced) {
  const auto field = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  constexpr unsigned kBlocksGiven = 3;
  for (const std::string_view engine : {"reference", "simd", "lockstep:simd,reference"}) {
    emulator::Boards boards(emulator::load_machine("model1800"), 1, engine, 2);
    boards.load(of_two_results());
    // Element e of PE 0 of block b on chip c has 1000 c + 10 b + e; the other blocks have zeros.
    for (unsigned chip = 0; chip < 4; ++chip) {
      std::vector<std::uint64_t> x(std::size_t{128} * kBlocksGiven);
      for (unsigned block = 0; block < kBlocksGiven; ++block) {
        for (unsigned element = 0; element < isa::kVectorElements; ++element) {
          x[std::size_t{128} * block + element] = field(1000.0 * chip + 10.0 * block + element);
        }
      }
      boards.write_block_particles(chip, x);
    }
    const std::array rings{emulator::Ring{0, 1}, emulator::Ring{1, 3}};
    const auto results = boards.run_turns(rings, {0, 2});
    std::vector<std::uint64_t> of_one;
    std::vector<std::uint64_t> of_three;
    const auto expect = [&](bool reduced) {
      for (unsigned e = 0; e < isa::kVectorElements; ++e) {
        of_one.push_back(field(reduced ? 0 + 10 + 20 + 3.0 * e : 1.0 * e));
        of_three.push_back(field(reduced ? 3 * (1000 + 2000 + 3000) + 3 * (10 + 20) + 9.0 * e : 1000.0 + e));
      }
    };
    for (int turn = 0; turn < 2; ++turn) {
      expect(false);
      expect(true);
    }
    expect(true);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0], of_one) << engine;
    EXPECT_EQ(results[1], of_three) << engine << ": without a reduction the ring's first chip passes";
    const emulator::Counters counters = boards.counters();
    EXPECT_EQ(counters.odp_words, 4u * of_one.size()) << "every chip brings its words to its port";
    EXPECT_EQ(counters.ring_words, 2u * of_one.size()) << "those of two chips go to the third";
    EXPECT_EQ(counters.host_bytes_out, 2u * 8u * of_one.size()) << "one stream a ring";
  }
}

}  // namespace
}  // namespace gdr::tests
