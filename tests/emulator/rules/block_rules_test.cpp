// Rules of blocks and chips: j-records, broadcast memory, live PEs, the reduction tree, the way of i-data. As
// docs/machine/machine.md has them, on every exact engine.
#include <array>
#include <bit>
#include <optional>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/board.h"
#include "rules_testing.h"

namespace gdr::tests {
namespace {

using emulator::kBlocks;
using emulator::kPesPerBlock;
using isa::LongWord;
using isa::Op;
using isa::Width;

using Words = std::vector<LongWord>;

/// Word w of record r is 100 r + w.
Words numbered_records(unsigned records, unsigned record_words) {
  Words words;
  for (unsigned record = 0; record < records; ++record) {
    for (unsigned word = 0; word < record_words; ++word) words.push_back(integer(100u * record + word));
  }
  return words;
}

/// Lines whose access to broadcast memory goes to this long word, perhaps one of a record's places.
std::vector<isa::Line> lines_at(unsigned word, std::string_view assembly) {
  std::vector<isa::Line> lines = lines_of(assembly);
  for (isa::Line& line : lines) line.bm.address = static_cast<std::uint16_t>(2 * word);
  return lines;
}

std::vector<isa::Line> operator+(std::vector<isa::Line> first, const std::vector<isa::Line>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Records : public Rules {};
INSTANTIATE_TEST_SUITE_P(Engines, Records, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Records, BlockWorksOnRecord16KPlusItsNumberInIterationK) {
  load({{},
        {},
        lines_of(R"(
          upassa $lr0 $lr2 ; bm $lj2 $lt
          uadd $lt $lr4 $lr4 ; bm $lj0 $lm0
          nop)"),
        {},
        2});
  run(3 * kBlocks, numbered_records(3 * kBlocks, 2));
  const unsigned b = kBlock;
  EXPECT_EQ(gpr(4), integer(100 * (b + (16 + b) + (32 + b)) + 3)) << "second words of records b, 16 + b, 32 + b";
  EXPECT_EQ(lm(0), integer(100 * (32 + b)));
}

TEST_P(Records, TakeTurnsAtTwoPlacesOfBroadcastMemory) {
  load({{}, {}, lines_of("nop"), {}, 3});
  run(3 * kBlocks, numbered_records(3 * kBlocks, 3));
  const unsigned b = kBlock;
  EXPECT_EQ(chip_->read_bm(kBlock, 0, 3), integers({100 * (32 + b), 100 * (32 + b) + 1, 100 * (32 + b) + 2}))
      << "iterations 0 and 2";
  EXPECT_EQ(chip_->read_bm(kBlock, 3, 3), integers({100 * (16 + b), 100 * (16 + b) + 1, 100 * (16 + b) + 2}))
      << "iteration 1";
  EXPECT_EQ(bm(6), integer(0));
}

TEST_P(Records, EachRunBeginsAtTheFirstPlace) {
  load({{}, {}, lines_of("bm $lj0 $lr0"), {}, 1});
  run(kBlocks, numbered_records(kBlocks, 1));
  set_bm(0, integers({7, 8}));
  run(kBlocks, numbered_records(kBlocks, 1));
  EXPECT_EQ(chip_->read_bm(kBlock, 0, 2), integers({100 * kBlock, 8}));
}

TEST_P(Records, TheRecordBeforeIsStillThereAtItsAddress) {
  load({{}, {}, lines_at(0, "bm $lb80 $lr0") + lines_at(1, "bm $lb80 $lr2"), {}, 1});
  run(2 * kBlocks, numbered_records(2 * kBlocks, 1));
  EXPECT_EQ(gpr(0, 2), integers({100 * kBlock, 100 * (16 + kBlock)}));
}

TEST_P(Records, ABlockWithoutOneGetsZerosAndSeesJvalidFalse) {
  load({{},
        {},
        lines_of(R"(
          bm $lj0 $lt
          uadd $lr0 il"1" $lr0 ; bm $lj0 $lm0
          uadd $lr2 il"1" $lr2/j
          upassa il"0" $lok1.z/j
          nop)"),
        {},
        1});
  set_bm(0, integers({9}));
  run(16 + 3, numbered_records(16 + 3, 1));  // block 5 has no record in the second iteration
  EXPECT_EQ(gpr(0), integer(2)) << "the iteration is run";
  EXPECT_EQ(gpr(2), integer(1));
  EXPECT_EQ(lm(0), integer(0));
  EXPECT_EQ(chip_->read_bm(kBlock, 0, 2), integers({100 * kBlock, 0}));
  const auto last = [&](unsigned block) {
    return chip_->read_pe(block, 0, {isa::Memory::gpr, 2, Width::long_word, 1});
  };
  EXPECT_EQ(last(2), integers({2})) << "block 2 has one";
  EXPECT_EQ(last(3), integers({1}));
}

TEST_P(Records, JvalidGatesEachDestinationOnItsOwn) {
  load({{}, {}, lines_of("uadd $lt il\"1\" $lt $lr0v/j $lok1"), {}, 0});
  run(1);
  EXPECT_EQ(t(), integers({1, 1, 1, 1}));
  EXPECT_EQ(gpr(0), integer(0));
}

TEST_P(Records, EventsOfOperationsWithoutJvalidAreNotCounted) {
  load({{}, {}, lines_of("fadd $lr0v $lr0v $lr8v/j\nfadd $lr0v $lr0v $lr16v"), {}, 0});
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) set_gpr(0, Words(4, floating(0x1p1023)), pe);
  run(1);
  EXPECT_EQ(events(), (emulator::FpEvents{0, 4 * kPesPerBlock, 0}));
}

TEST_P(Records, JvalidHoldsOutsideTheLoopBody) {
  load({lines_of("upassa il\"1\" $lr0/j"), lines_of("upassa il\"2\" $lr2/j"), lines_of("nop"),
        lines_of("upassa il\"3\" $lr4/j"), 0});
  chip_->run_initialization(kBlock);
  run(1);  // block 5 has no record in the last iteration
  EXPECT_EQ(gpr(0, 3), integers({1, 2, 3}));
}

TEST_P(Records, WithoutAnyTheBodyIsNotRunAndBroadcastMemoryIsLeftAlone) {
  load({{}, lines_of("upassa il\"1\" $lr0"), lines_of("upassa il\"2\" $lr0"), lines_of("upassa il\"3\" $lr2"), 2});
  set_bm(0, integers({7, 8, 9, 10}));
  run(0);
  EXPECT_EQ(gpr(0, 2), integers({1, 3}));
  EXPECT_EQ(chip_->read_bm(kBlock, 0, 4), integers({7, 8, 9, 10}));
}

TEST_P(Records, CanBeStoredIntoAndAreReadFromTheSecondLineOn) {
  std::vector<isa::Line> store = lines_at(1, "bm $lr0 $lb80 @0");
  store.front().bm.record = true;  // the assembler refuses it
  load({{}, {}, store + lines_of("bm $lj2 $lr2\nbm $lj2 $lr4\nnop"), {}, 2});
  set_gpr(0, integers({7}));
  run(2 * kBlocks, numbered_records(2 * kBlocks, 2));
  EXPECT_EQ(gpr(2, 2), integers({100 * (16 + kBlock) + 1, 7})) << "iteration 1";
  EXPECT_EQ(bm(1), integer(7));
  EXPECT_EQ(bm(3), integer(7));
}

TEST_P(Records, AStoreOnItsWayLandsOverTheRecordThatHasJustArrived) {
  // The last line of iteration 0 stores into word 1 of BM, which then takes the record of iteration 1.
  load({{}, {}, lines_at(1, "bm $lb80 $lr2\nbm $lb80 $lr4\nbm $lr0 $lb80 @0"), {}, 1});
  set_gpr(0, integers({7}));
  run(2 * kBlocks, numbered_records(2 * kBlocks, 1));
  EXPECT_EQ(gpr(2, 2), integers({100 * (16 + kBlock), 7}));
}

class BroadcastMemory : public Rules {};
INSTANTIATE_TEST_SUITE_P(Engines, BroadcastMemory, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(BroadcastMemory, AReadGoesToAllPes) {
  run_lines("bm $lb80v $lr0v\nuadd $lb80 $lr8v $lr16v", [&] { set_bm(40, integers({1, 2, 3, 4})); });
  for (const unsigned pe : {0u, 17u, 31u}) {
    EXPECT_EQ(gpr(0, 4, pe), integers({1, 2, 3, 4}));
    EXPECT_EQ(gpr(16, 4, pe), integers({1, 1, 1, 1}));
  }
}

TEST_P(BroadcastMemory, ALoadIntoOnePeLeavesTheOthersAlone) {
  run_lines("bm $lb80v $lr0v $lt @3", [&] { set_bm(40, integers({1, 2, 3, 4})); });
  EXPECT_EQ(gpr(0, 4, 3), integers({1, 2, 3, 4}));
  EXPECT_EQ(chip_->registers(kBlock, 3).t[2], integer(3));
  for (const unsigned pe : {2u, 4u}) {
    EXPECT_EQ(gpr(0, 4, pe), integers({0, 0, 0, 0}));
    EXPECT_EQ(chip_->registers(kBlock, pe).t[2], integer(0));
  }
}

TEST_P(BroadcastMemory, AStoreTakesTheWordsOfOnePeAndEveryPeCanReadThem) {
  load({{}, lines_of("bm $peid $lb80v @3\nbm $bbid $b89 @31\nbm $lb80v $lr0v\nbm $lb88 $lr8"), {}, {}});
  set_bm(40, integers({9, 9, 9, 9, 9}));
  set_bm(44, {isa::join({7}, {9})});
  run();
  EXPECT_EQ(gpr(0, 4, 12), integers({3, 3, 3, 3}));
  EXPECT_EQ(gpr(8, 1, 12).front(), isa::join({7}, {kBlock})) << "a short word leaves the other half alone";
}

TEST_P(BroadcastMemory, TheStoringPesOwnMaskGatesTheStore) {
  load({{},
        lines_of("usub $peid il\"2\" $lok1\nnop\nmask 1 ; bm $peid $lb80v @1\nmask 1 ; bm $peid $lb88v @2\nnop"),
        {},
        {}});
  set_bm(40, integers({9, 9, 9, 9, 9, 9, 9, 9}));
  run();
  EXPECT_EQ(chip_->read_bm(kBlock, 40, 8), integers({1, 1, 1, 1, 9, 9, 9, 9}));
}

TEST_P(BroadcastMemory, IsOfEachBlockAlone) {
  load({{}, lines_of("bm $bbid $lb80 @0"), {}, {}});
  run();
  for (const unsigned block : {0u, 9u, 15u}) EXPECT_EQ(chip_->read_bm(block, 40, 1).front(), integer(block));
}

TEST_P(BroadcastMemory, PesThatAreNotLiveStoreNothingAndCountNoEvents) {
  load({{}, lines_of("fadd $lr0v $lr0v $lr8v\nbm $lr0v $lb80v @1\nbm $lr0v $lb88v @2\nnop"), {}, {}});
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) set_gpr(0, Words(4, floating(0x1p1023)), pe);
  run(0, {}, 2);
  EXPECT_EQ(events(), (emulator::FpEvents{0, 2 * 4, 0}));
  EXPECT_EQ(gpr(8, 1, 1).front(), floating(std::bit_cast<double>(0x7ff0000000000000)));
  EXPECT_EQ(bm(40), floating(0x1p1023));
  EXPECT_EQ(bm(44), integer(0));
}

class LongProducts : public Rules {};
INSTANTIATE_TEST_SUITE_P(Engines, LongProducts, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(LongProducts, AreRoundedOnceIntoTheDestinationOfTheSecondLine) {
  run_lines(R"(
    fmulh $lr0v $lr8v
    fmull $lr0v $lr8v $t $r16v $ok1)",
            [&] {
              set_gpr(0, Words(4, floating(3)));
              set_gpr(8, {floating(-0.5), floating(7), floating(0), floating(1)});
            });
  EXPECT_EQ(flag(1), "1000");
  EXPECT_EQ(gpr(16), isa::join(floating(-1.5).upper(), floating(21).upper()));
}

TEST_P(LongProducts, TakeTheWordThatTheFirstLineMovesToT) {
  run_lines(R"(
    fmulh $lr0v $lb80 ; bm $lb80 $lt
    fmull $lr0v $lt $lr8v)",
            [&] {
              set_gpr(0, {floating(1), floating(2), floating(3), floating(4)});
              set_bm(40, {floating(1.25)});
            });
  EXPECT_EQ(gpr(8, 4), (Words{floating(1.25), floating(2.5), floating(3.75), floating(5)}));
}

// ---- tree -------------------------------------------------------------------------------------------------------

class Tree : public Rules {
 protected:
  /// Loads an empty program and one word into PE 0 of each block.
  void set_blocks(const std::array<LongWord, kBlocks>& words) {
    load({});
    for (unsigned block = 0; block < kBlocks; ++block) {
      chip_->write_pe(block, 0, {isa::Memory::lm, 0, Width::long_word, 1}, {&words[block], 1});
    }
  }
  LongWord reduced(std::optional<Op> op, Width node = Width::long_word) {
    events_ = {};
    const LongWord result = chip_->collect({{isa::Memory::lm, 0, node, 1}, 1, op, node}, events_).front();
    if (!op) return result;
    Words words;  // the same through the tree alone
    for (unsigned block = 0; block < kBlocks; ++block) {
      words.push_back(chip_->read_pe(block, 0, {isa::Memory::lm, 0, node, 1}).front());
    }
    std::array<std::span<const LongWord>, kBlocks> blocks;
    for (unsigned block = 0; block < kBlocks; ++block) blocks[block] = std::span(words).subspan(block, 1);
    LongWord again;
    emulator::FpEvents events;
    chip_->reduce_blocks(*op, node, blocks, {&again, 1}, events);
    EXPECT_EQ(again, result);
    EXPECT_EQ(events, events_);
    return result;
  }
  emulator::FpEvents events_;
};
INSTANTIATE_TEST_SUITE_P(Engines, Tree, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Tree, AddsNeighboursFirst) {
  // 2^-61 is half of the last place of 1: lost next to it, kept where two of them meet first.
  const LongWord half = floating(0x1p-61);
  const LongWord one_and_last_place = LongWord::from_bits(floating(1).bits() + 1);
  set_blocks({floating(1), half, half, half});
  EXPECT_EQ(reduced(Op::FADD), one_and_last_place) << "(1 + h) + (h + h)";
  set_blocks({floating(1), half, half, {}});
  EXPECT_EQ(reduced(Op::FADD), floating(1)) << "(1 + h) + (h + 0)";
  set_blocks({floating(1), {}, half, half});
  EXPECT_EQ(reduced(Op::FADD), one_and_last_place);
  set_blocks({floating(1), {}, half, {}, half, {}, half});
  EXPECT_EQ(reduced(Op::FADD), one_and_last_place) << "((1 + h) + 0) + (h + h): halves of four blocks each";
  set_blocks({floating(1), {}, {}, {}, half, {}, {}, {}, half});
  EXPECT_EQ(reduced(Op::FADD), floating(1)) << "blocks 0 to 7 before blocks 8 to 15";
}

TEST_P(Tree, EveryNodeRoundsToTheResultsWidth) {
  // 2^-25 is half of the last place of a short 1. Rounded once at the end the sum of 1 and three halves, 1 + 1.5 last
  // places, would be 1 + 2 last places; node by node it is (1 + h) + (h + h).
  const LongWord half = floating(0x1p-25);
  set_blocks({floating(1), half, half, half});
  EXPECT_EQ(reduced(Op::FADD, Width::short_word), isa::widen({floating(1).upper().bits + 1}));
  EXPECT_EQ(reduced(Op::FADD, Width::long_word), floating(1 + 3 * 0x1p-25));
}

TEST_P(Tree, CountsTheEventsOfItsNodes) {
  const LongWord largest = floating(0x1p1023);
  set_blocks({largest, largest, floating(-0x1p1023), floating(-0x1p1023)});
  EXPECT_EQ(reduced(Op::FADD), floating(std::bit_cast<double>(0x7ff0000000000000)));
  EXPECT_EQ(events_, (emulator::FpEvents{1, 2, 0})) << "two overflows meet: inf - inf";
}

TEST_P(Tree, ReducesByEveryOperationOfItsNodes) {
  std::array<LongWord, kBlocks> words;
  for (unsigned block = 0; block < kBlocks; ++block) words[block] = integer(isa::uint128{1} << (3 * block));
  set_blocks(words);
  isa::uint128 all = 0;
  for (const LongWord word : words) all |= word.bits();
  EXPECT_EQ(reduced(Op::UADD), integer(all));
  EXPECT_EQ(reduced(Op::UOR), integer(all));
  EXPECT_EQ(reduced(Op::UXOR), integer(all));
  EXPECT_EQ(reduced(Op::UAND), integer(0));
  EXPECT_EQ(reduced(Op::UMAX), integer(isa::uint128{1} << 45));
  EXPECT_EQ(reduced(Op::UMIN), integer(1));
  EXPECT_EQ(reduced(Op::UADD, Width::short_word), short_integer(0b1001001001)) << "blocks 12 to 15 have bits 36 to 45";
  EXPECT_EQ(reduced(std::nullopt), integer(1)) << "block 0 passes";

  for (unsigned block = 0; block < kBlocks; ++block) words[block] = floating(block == 11 ? -4.0 : 0.5 * block);
  set_blocks(words);
  EXPECT_EQ(reduced(Op::FMAX), floating(7.5));
  EXPECT_EQ(reduced(Op::FMIN), floating(-4));
  EXPECT_EQ(reduced(Op::FADD), floating(60 - 5.5 - 4));
}

TEST_P(Tree, IntegersWrapAtTheWidth) {
  std::array<LongWord, kBlocks> words{};
  words[3] = words[9] = integer(isa::uint128{1} << 71);
  words[4] = integer(5);
  set_blocks(words);
  EXPECT_EQ(reduced(Op::UADD), integer(5));
}

TEST_P(Tree, ResultsAreElementsOfPesOrPesOfAScalar) {
  load({{}, lines_of("upassa $peid $lr0v\nuadd $lr8v $lr0v $lr8v\nuadd $lr0v $lr16v $lr16v"), {}, {}});
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      chip_->write_pe(block, pe, {isa::Memory::gpr, 16, Width::long_word, 4}, integers({0, 1000, 2000, 3000}));
    }
  }
  run();
  const Words vector =
      chip_->collect({{isa::Memory::gpr, 16, Width::long_word, 4}, 7, std::nullopt, Width::long_word}, events_);
  EXPECT_EQ(vector, integers({0, 1000, 2000, 3000, 1, 1001, 2001}));
  const Words scalar =
      chip_->collect({{isa::Memory::gpr, 0, Width::long_word, 1}, 3, Op::UADD, Width::long_word}, events_);
  EXPECT_EQ(scalar, integers({0, 16, 32}));
}

// ---- control processor --------------------------------------------------------------------------------------------

/// Result sum = x + the sum of y over all records; trouble is an overflow per PE, element and run.
constexpr std::string_view kSum = R"(kernel sum
bvar long y elt flt64to72
var vector long x hlt flt64to72
var vector long sum rrn flt72to64 fadd
var vector long trouble
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
  fadd f"1e308" f"1e308" trouble
loop body
  fadd x y $lt
  fadd sum $lti sum
  nop
)";

/// A board of one chip.
class Control : public Rules {
 protected:
  void control(const std::string& source) {
    const assembler::AssembleResult result = assembler::assemble(source, "control.vsm");
    if (!result.program) throw Error(assembler::format_diagnostics(result));
    emulator::MachineDescription machine = emulator::load_machine("model1800");
    machine.chips = 1;
    control_ = std::make_unique<emulator::Boards>(machine, 1, emulator::make_chip_engine(GetParam().make), 1);
    control_->load(*result.program);
  }
  static std::vector<std::uint64_t> fields(std::initializer_list<double> values) {
    std::vector<std::uint64_t> all;
    for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
  }
  /// Results of a run over records of one field each.
  std::vector<std::uint64_t> results(const std::vector<std::uint64_t>& particles, unsigned records) {
    for (unsigned k = 0; k < records; ++k) control_->write_record(k, fields({double(k + 1)}));
    return control_->run(particles, static_cast<unsigned>(particles.size()), 0, records);
  }
  std::unique_ptr<emulator::Boards> control_;
};
INSTANTIATE_TEST_SUITE_P(Engines, Control, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Control, ParticleNSitsInPeNBy4ElementNMod4OfEveryBlockAndTheLastOneIsRepeated) {
  control(std::string(kSum));
  static_cast<void>(results(fields({1, 2, 3, 4, 5}), 0));
  const emulator::Inspector& chip = control_->inspect();
  for (const unsigned block : {0u, 15u}) {
    EXPECT_EQ(chip.read_pe(0, block, 0, {isa::Memory::lm, 0, Width::long_word, 4}),
              (Words{floating(1), floating(2), floating(3), floating(4)}));
    EXPECT_EQ(chip.read_pe(0, block, 1, {isa::Memory::lm, 0, Width::long_word, 4}), Words(4, floating(5)));
    EXPECT_EQ(chip.read_pe(0, block, 2, {isa::Memory::lm, 0, Width::long_word, 4}), Words(4));
  }
}

TEST_P(Control, SumsOverRecordsAndBlocks) {
  control(std::string(kSum));
  // 20 records: 1 + ... + 20 = 210, and 20 times x.
  EXPECT_EQ(results(fields({0.5, 2}), 20), fields({220, 250}));
}

TEST_P(Control, WithoutRecordsTheResultIsWhatLoopInitializationLeft) {
  control(std::string(kSum));
  EXPECT_EQ(results(fields({3, 4}), 0), fields({0, 0}));
}

TEST_P(Control, PesWithoutParticlesAreNotComputed) {
  control(std::string(kSum));
  static_cast<void>(results(fields({1, 2, 3, 4, 5}), 1));
  EXPECT_EQ(control_->counters().fp.overflow, 2u * 4 * kBlocks) << "two PEs have i-data, with the repeated particle";
}

TEST_P(Control, PesOfAKernelThatStoresToBroadcastMemoryAreAllComputed) {
  const std::string stores = "bvar long seen\n";
  std::string source(kSum);
  source.insert(source.find("var vector long x"), stores);
  source += "loop termination\n  bm $lr0 seen @31\n";
  source.insert(source.find("  uxor"), "  upassa $peid $lr0\n");
  control(source);
  static_cast<void>(results(fields({1}), 1));
  EXPECT_EQ(control_->counters().fp.overflow, std::uint64_t{kPesPerBlock} * 4 * kBlocks);
  EXPECT_EQ(control_->inspect().read_bm(0, 3, 2, 1).front(), integer(31)) << "PE 31 ran, which has no i-data";
}

TEST_P(Control, PesOfAKernelWithoutIDataAreAllComputed) {
  std::string source(kSum);
  source.erase(source.find("var vector long x"), std::string_view("var vector long x hlt flt64to72\n").size());
  source.replace(source.find("fadd x y"), 8, "fpassa y");
  control(source);
  control_->write_record(0, fields({4}));
  const auto sums = control_->run({}, 1, 0, 1);
  EXPECT_EQ(control_->counters().fp.overflow, std::uint64_t{kPesPerBlock} * 4 * kBlocks);
  EXPECT_EQ(sums, fields({4}));
}

}  // namespace
}  // namespace gdr::tests
