// Runs of few live PEs, whose results stay packed until somebody looks: every way of looking, in any order, sees what
// it sees on the interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/emulator/chip.h"
#include "gdr/emulator/host_isa.h"
#include "jit/loop_jit.h"
#include "kernel_data.h"

namespace gdr::tests {
namespace {

using emulator::BlockRange;
using emulator::Chip;
using emulator::HostIsa;
using emulator::JitUse;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using isa::LongWord;
using isa::Width;

/// A field of record `number`.
LongWord field_of(const isa::Variable& variable, unsigned number, std::mt19937_64& random) {
  if (variable.name.starts_with("index") || variable.name == "slot") return word_of(variable, number);
  const double value = value_of(Data::random, random, false);
  return word_of(variable, variable.name == "eps2" ? value * value + 0.1 : value);
}

PeWords words_of(const isa::Variable& variable) {
  return {variable.memory, variable.address, variable.width,
          static_cast<std::uint16_t>(variable.elements * isa::kVectorElements)};
}

/// A chip and one with the interpreter, which are told the same and asked the same.
class TwoChips {
 public:
  TwoChips(const isa::Program& program, HostIsa isa)
      : program_(program),
        compiled_(emulator::make_simd_chip(isa, JitUse::always)),
        interpreted_(emulator::make_simd_chip(HostIsa::portable)) {
    for (Chip* chip : chips()) chip->load(program);
  }

  /// Behind so many elements of the last PE there are copies of the last of them, as boards fill it up.
  void write_particles(BlockRange blocks, unsigned pes, std::mt19937_64& random,
                       unsigned own_elements = isa::kVectorElements) {
    for (const isa::Variable* variable : program_.variables_by(isa::Transfer::hlt)) {
      std::vector<LongWord> words;
      for (unsigned n = 0; n < pes * words_of(*variable).count; ++n) {
        words.push_back(field_of(*variable, n, random));
      }
      const std::size_t last_pe = words.size() - words_of(*variable).count;
      for (std::size_t n = last_pe; n < words.size(); ++n) {
        const std::size_t element = n % isa::kVectorElements;
        if (element >= own_elements) words[n] = words[n - element + own_elements - 1];
      }
      for (Chip* chip : chips()) chip->write_pes(blocks, 0, words_of(*variable), words);
    }
  }

  void initialize() {
    for (Chip* chip : chips()) {
      for (unsigned block = 0; block < kBlocks; ++block) chip->run_initialization(block);
    }
  }

  void run(BlockRange blocks, const emulator::LoopRun& run) {
    for (Chip* chip : chips()) chip->run_loop(blocks, run);
  }

  /// One word of a result, as a host that meddles would.
  void overwrite(unsigned block, unsigned pe, LongWord word) {
    const isa::Variable& result = *program_.variables_by(isa::Transfer::rrn).front();
    for (Chip* chip : chips()) chip->write_pe(block, pe, {result.memory, result.address, result.width, 1}, {&word, 1});
  }

  /// The first word of a variable in one PE of these blocks.
  void write_word(BlockRange blocks, unsigned pe, const isa::Variable& variable, LongWord word) {
    for (Chip* chip : chips()) {
      chip->write_pes(blocks, pe, {variable.memory, variable.address, variable.width, 1}, {&word, 1});
    }
  }

  void write_bm(unsigned block, unsigned address, LongWord word) {
    for (Chip* chip : chips()) chip->write_bm(block, address, {&word, 1});
  }

  void set_registers(unsigned block, unsigned pe, std::mt19937_64& random) {
    emulator::PeRegisters registers{};
    for (LongWord& t : registers.t) t = {random(), static_cast<std::uint8_t>(random())};
    for (std::uint8_t& flags : registers.flags) flags = static_cast<std::uint8_t>(random() % (1U << isa::kFlags));
    for (Chip* chip : chips()) chip->write_registers(block, pe, registers);
  }

  void expect_equal_results(unsigned results) {
    for (const isa::Variable* variable : program_.variables_by(isa::Transfer::rrn)) {
      PeWords where = words_of(*variable);
      for (unsigned n = 0; n < variable->elements; ++n) {
        where.count = isa::kVectorElements;
        for (const Width width : {Width::long_word, Width::short_word}) {  // whole, and the halves of the first ones
          where.width = width;
          const emulator::Collection collection{where, results, variable->reduction, width};
          emulator::FpEvents events[2];
          EXPECT_EQ(compiled_->collect(collection, events[0]), interpreted_->collect(collection, events[1]))
              << variable->name;
          EXPECT_EQ(events[0], events[1]);
        }
        where.address = static_cast<std::uint16_t>(where.address + 2 * isa::kVectorElements);
      }
    }
  }

  void expect_equal_block(unsigned block, unsigned pes) { expect_equal_block(*compiled_, *interpreted_, block, pes); }

  void expect_equal_events() {
    for (unsigned block = 0; block < kBlocks; ++block) {
      EXPECT_EQ(compiled_->events(block), interpreted_->events(block)) << block;
      EXPECT_TRUE(
          std::ranges::equal(compiled_->first_events(block).events(), interpreted_->first_events(block).events()))
          << block;
    }
  }
  [[nodiscard]] std::uint64_t overflows() const {
    std::uint64_t all = 0;
    for (unsigned block = 0; block < kBlocks; ++block) all += interpreted_->events(block).overflow;
    return all;
  }

  void expect_equal_registers(unsigned block, unsigned pe) {
    EXPECT_EQ(compiled_->registers(block, pe), interpreted_->registers(block, pe));
  }

  void expect_equal_copies(unsigned pes) {
    const auto compiled = compiled_->clone();
    const auto interpreted = interpreted_->clone();
    for (unsigned block = 0; block < kBlocks; ++block) expect_equal_block(*compiled, *interpreted, block, pes);
  }

 private:
  [[nodiscard]] std::array<Chip*, 2> chips() const { return {compiled_.get(), interpreted_.get()}; }

  static void expect_equal_block(const Chip& one, const Chip& other, unsigned block, unsigned pes) {
    SCOPED_TRACE(block);
    for (unsigned pe = 0; pe < pes; ++pe) {
      for (const PeWords& where : {PeWords{isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2},
                                   PeWords{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2}}) {
        EXPECT_EQ(one.read_pe(block, pe, where), other.read_pe(block, pe, where)) << "PE " << pe;
      }
      EXPECT_EQ(one.registers(block, pe), other.registers(block, pe)) << "PE " << pe;
    }
    EXPECT_EQ(one.read_bm(block, 0, isa::kBmShortWords / 2), other.read_bm(block, 0, isa::kBmShortWords / 2));
  }

  const isa::Program& program_;
  std::unique_ptr<Chip> compiled_;
  std::unique_ptr<Chip> interpreted_;
};

std::vector<LongWord> random_records(const isa::Program& program, unsigned count, std::mt19937_64& random) {
  std::vector<LongWord> records(std::size_t{count} * program.record_words);
  for (unsigned record = 0; record < count; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        records[std::size_t{record} * program.record_words + variable->address / 2 + n] =
            field_of(*variable, record, random);
      }
    }
  }
  return records;
}

/// Its sums go on from run to run, so that a run begins with what the one before has left.
isa::Program kernel_that_goes_on() {
  constexpr const char* kSource = R"(
kernel going_on
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
param step : long flt64to72 = 1
var vector long sum rrn flt72to64 fadd
initialization
  upassa il"0" sum
  nop
loop initialization
  fadd step sum sum
  nop
loop body
  fsub xj xi $lt
  fadd $lti sum sum
  nop
)";
  return program_of(kSource);
}

/// Begins with halves of words that its body overwrites; each word stands in two rows.
isa::Program kernel_that_takes_halves() {
  constexpr const char* kSource = R"(
kernel halves
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
loop initialization
  upassa $m1v $r40v
  nop
loop body
  fadd xj xj xi
  nop
)";
  return program_of(kSource);
}

/// What ends the loop reads and writes words that the body carries on, words that it leaves and words that it never has
/// to do with; of large sums it overflows.
isa::Program kernel_that_may_overflow_at_the_end() {
  constexpr const char* kSource = R"(
kernel ending
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
var vector long bodys
var vector long boths
var vector long ends
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  upassa $lt boths
  nop
loop body
  fsub xj xi bodys $lt
  fadd $lti sum sum
  fadd bodys bodys boths $lt
  nop
loop termination
  upassa sum $lt
  fadd boths $lti boths
  fmul sum fs"1e300" ends
  fadd sum sum sum
  fmul ends fs"2" ends
  nop
)";
  return program_of(kSource);
}

/// Its flag is written only where a block has a record, and read in every iteration.
isa::Program kernel_with_a_flag_of_records() {
  constexpr const char* kSource = R"(
kernel flagged
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
var vector long kept
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  upassa $lt kept
  nop
loop body
  fsub xj xi $lt $ok1/j
  fadd $lti sum sum
  fadd kept fs"0.5" kept/1
  nop
)";
  return program_of(kSource);
}

/// Runs `test` with each instruction set for which loops can be compiled.
template <class Test>
void on_compiled_loops(Test test) {
  bool compiles = false;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    compiles = true;
    SCOPED_TRACE(emulator::name_of(isa));
    test(isa);
  }
  if (!compiles) GTEST_SKIP() << "this host or this build compiles no loops";
}

class PackedBlocks : public testing::TestWithParam<const char*> {};

// The boundary between blocks with and without a record in the last iteration moves, so that groups of blocks overlap
// with those of the run before.
TEST(PackedRuns, ForgetTheSumsOfGroupsThatNoLongerBegin) {
  const isa::Program program = kernel("gravity.vsm", {});
  on_compiled_loops([&](HostIsa isa) {
    std::mt19937_64 random(12);
    for (const unsigned before : {16U, 32U, 64U, 128U}) {
      for (const unsigned more : {1U, 2U, 5U, 8U, 9U, 15U}) {
        SCOPED_TRACE(testing::Message() << before << " records, then " << before + more);
        TwoChips chips(program, isa);
        chips.initialize();
        chips.write_particles({0, kBlocks}, 3, random);
        const std::vector<LongWord> records = random_records(program, before + more, random);
        // Nobody looks between the runs, because a look ends the groups.
        for (const unsigned count : {before, before + more}) {
          chips.run({0, kBlocks}, {{records, program.record_words, count}, 3});
        }
        chips.expect_equal_results(12);
        chips.expect_equal_copies(3);
      }
    }
  });
}

TEST(PackedRuns, LeaveFlagsToBlocksThatGetNoRecord) {
  const isa::Program program = kernel_with_a_flag_of_records();
  on_compiled_loops([&](HostIsa isa) {
    std::mt19937_64 random(13);
    for (const unsigned then : {1U, 3U, 15U, 17U}) {
      SCOPED_TRACE(then);
      TwoChips chips(program, isa);
      chips.initialize();
      chips.write_particles({0, kBlocks}, 1, random);
      const std::vector<LongWord> records = random_records(program, 2 * kBlocks, random);
      for (const unsigned count : {2U, 16U, then}) {
        chips.run({0, kBlocks}, {{records, program.record_words, count}, 1});
      }
      chips.expect_equal_copies(1);
    }
  });
}

TEST(CompiledRuns, KeepTheParticlesOfPesThatAreNotLive) {
  const isa::Program program = kernel("gravity.vsm", {});
  constexpr LongWord kTooLargeForCompiledBodies{0x7e00000000000000, 0};
  on_compiled_loops([&](HostIsa isa) {
    std::mt19937_64 random(14);
    for (const unsigned live : {1U, 3U, 13U, 31U}) {
      SCOPED_TRACE(live);
      TwoChips chips(program, isa);
      chips.initialize();
      chips.write_particles({0, kBlocks}, kPesPerBlock, random);
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        chips.write_word({0, kBlocks}, live, *variable, kTooLargeForCompiledBodies);  // it makes compiled code refuse
        break;
      }
      const std::vector<LongWord> records = random_records(program, 2 * kBlocks, random);
      for (const unsigned count : {live, kPesPerBlock, live, kPesPerBlock}) {
        chips.run({0, kBlocks}, {{records, program.record_words, records.size() / program.record_words}, count});
        chips.expect_equal_results(count * isa::kVectorElements);
      }
    }
  });
}

TEST_P(PackedBlocks, ShowTheirResultsWhoeverLooksAndWhenever) {
  const isa::Program program = kernel("gravity_jerk.vsm", {{"nearest", GetParam()}});
  constexpr unsigned kMostTurns = 14;
  const std::vector<BlockRange> whole{{0, kBlocks}};
  const std::vector<BlockRange> quarters{{0, 4}, {4, 4}, {8, 4}, {12, 4}};
  const std::vector<BlockRange> uneven{{0, 3}, {3, 13}};
  bool compiles = false;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    compiles = true;
    std::mt19937_64 random(11);
    const std::vector<LongWord> records = random_records(program, kMostTurns * kBlocks, random);
    TwoChips chips(program, isa);
    // Words of PEs that were not live in a run are undefined after it: those of these two are looked at.
    constexpr unsigned kAlwaysLive = 2;
    std::array<unsigned, kBlocks> live{};
    live.fill(kAlwaysLive);
    const std::uint64_t packed_before = emulator::jit::packed_turns();
    const std::uint64_t alike_before = emulator::jit::alike_turns();
    for (unsigned step = 0; step < 80 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(step);
      const auto live_pes = static_cast<unsigned>(random() % 8 == 0 ? kPesPerBlock : kAlwaysLive + random() % 8);
      chips.write_particles({0, kBlocks}, live_pes, random, 1 + static_cast<unsigned>(random() % 4));
      if (random() % 4 == 0) chips.write_particles({static_cast<unsigned>(random() % kBlocks), 1}, 1, random);
      if (random() % 4 == 0) chips.write_particles({0, kBlocks}, 1, random);
      emulator::LoopRun run{{records, program.record_words, random() % (kMostTurns * kBlocks + 1)}, live_pes};
      if (random() % 2 == 0) run.stream.records -= run.stream.records % kBlocks;
      const auto& ranges = random() % 2 == 0 ? whole : random() % 2 == 0 ? quarters : uneven;
      // Words of other blocks than those that run stay: now and then one range is left out.
      const std::size_t first = random() % 6 == 0 ? 1 : 0;
      for (std::size_t n = std::min(first, ranges.size() - 1); n < ranges.size(); ++n) {
        chips.run(ranges[n], run);
        std::fill_n(live.begin() + ranges[n].first, ranges[n].count, live_pes);
      }
      const auto block = static_cast<unsigned>(random() % kBlocks);
      switch (random() % 8) {
        case 0:
          chips.overwrite(block, 0, {random() >> 2, 0});
          break;
        case 1:
          chips.set_registers(block, 0, random);
          chips.expect_equal_registers(block, 0);
          break;
        case 2:
          chips.expect_equal_block(block, kAlwaysLive);
          break;
        case 3:
          chips.expect_equal_copies(kAlwaysLive);
          break;
        case 4:
          chips.expect_equal_registers(block, 0);
          break;
        default:
          break;
      }
      const unsigned most = *std::ranges::min_element(live) * isa::kVectorElements;
      if (random() % 2 == 0) chips.expect_equal_results(static_cast<unsigned>(1 + random() % most));
    }
    chips.expect_equal_copies(kAlwaysLive);
    EXPECT_GT(emulator::jit::packed_turns(), packed_before);
    EXPECT_GT(emulator::jit::alike_turns(), alike_before);
  }
  if (!compiles) GTEST_SKIP() << "this host or this build compiles no loops";
}

TEST(PackedSums, GoOnFromRunToRun) {
  const isa::Program program = kernel_that_goes_on();
  constexpr LongWord kOne{0x3ff0000000000000, 0};
  constexpr LongWord kTwo{0x4000000000000000, 0};
  constexpr LongWord kTooLargeForCompiledBodies{0x7e00000000000000, 0};
  const unsigned step_address = program.parameters.front().address / 2;
  bool compiles = false;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    compiles = true;
    std::mt19937_64 random(5);
    TwoChips chips(program, isa);
    chips.initialize();
    const std::uint64_t packed_before = emulator::jit::packed_turns();
    unsigned live_pes = 3;
    for (unsigned step = 0; step < 120 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(step);
      // Most runs have as many live PEs as the one before. None has fewer, so that no PE's words are undefined.
      if (step % 30 == 29) ++live_pes;
      chips.write_particles({0, kBlocks}, live_pes, random);
      // Of one block alone: it is then not like the others.
      const auto odd_block = static_cast<unsigned>(random() % kBlocks);
      const bool is_odd = random() % 8 == 0;
      for (unsigned block = 0; block < kBlocks; ++block) {
        chips.write_bm(block, step_address, is_odd && block == odd_block ? kTwo : kOne);
      }
      std::vector<LongWord> records = random_records(program, 3 * kBlocks, random);
      if (random() % 8 == 0) records[random() % records.size()] = kTooLargeForCompiledBodies;
      // Not seldom what loop initialization adds to it overflows.
      if (random() % 16 == 0) chips.overwrite(odd_block, 0, {0x7fefffffffffffff, 0xff});
      chips.run({0, kBlocks}, {{records, program.record_words, records.size()}, live_pes});
      if (random() % 4 == 0) chips.expect_equal_block(odd_block, 3);
      if (random() % 4 == 0) chips.expect_equal_results(1 + static_cast<unsigned>(random() % 12));
    }
    chips.expect_equal_copies(3);
    EXPECT_GT(emulator::jit::packed_turns(), packed_before);
  }
  if (!compiles) GTEST_SKIP() << "this host or this build compiles no loops";
}

TEST(PackedHalves, AreThoseOfWordsThatTheBodyOverwrites) {
  const isa::Program program = kernel_that_takes_halves();
  ASSERT_EQ(program.variables_by(isa::Transfer::hlt).front()->address, 0) << "where the halves are";
  bool compiles = false;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    compiles = true;
    std::mt19937_64 random(6);
    TwoChips chips(program, isa);
    chips.initialize();
    const std::uint64_t packed_before = emulator::jit::packed_turns();
    for (unsigned step = 0; step < 3; ++step) {
      for (unsigned block = 0; block < kBlocks; ++block) chips.write_particles({block, 1}, 1, random);
      const std::vector<LongWord> records = random_records(program, 3 * kBlocks, random);
      chips.run({0, kBlocks}, {{records, program.record_words, records.size()}, 1});
      for (unsigned block = 0; block < kBlocks; ++block) chips.expect_equal_block(block, 1);
    }
    EXPECT_GT(emulator::jit::packed_turns(), packed_before);
  }
  if (!compiles) GTEST_SKIP() << "this host or this build compiles no loops";
}

TEST(PackedEnds, StandAsTurnsLeftThemWhereTheEndOverflows) {
  const isa::Program program = kernel_that_may_overflow_at_the_end();
  constexpr LongWord kLarge{0x41d0000000000000, 0};  // 2^30: the end makes it overflow, while turns take it
  bool compiles = false;
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    compiles = true;
    std::mt19937_64 random(7);
    TwoChips chips(program, isa);
    const std::uint64_t packed_before = emulator::jit::packed_turns();
    constexpr unsigned kLivePes = 3;
    for (unsigned step = 0; step < 60 && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(step);
      chips.write_particles({0, kBlocks}, kLivePes, random);
      std::vector<LongWord> records = random_records(program, 3 * kBlocks, random);
      if (random() % 3 == 0) records[random() % records.size()] = kLarge;
      chips.run({0, kBlocks}, {{records, program.record_words, records.size()}, kLivePes});
      chips.expect_equal_events();
      if (random() % 3 != 0) chips.expect_equal_copies(kLivePes);
      if (random() % 3 == 0) chips.expect_equal_results(kLivePes * isa::kVectorElements);
    }
    EXPECT_GT(emulator::jit::packed_turns(), packed_before);
    EXPECT_GT(chips.overflows(), 0u);
  }
  if (!compiles) GTEST_SKIP() << "this host or this build compiles no loops";
}

TEST(ShortWords, AnyNumberOfThemIsWrittenAnywhere) {
  const isa::Program program = kernel("gravity_jerk.vsm", {});
  for (const HostIsa isa : emulator::available_host_isas()) {
    std::mt19937_64 random(8);
    const auto chip = emulator::make_simd_chip(isa);
    const std::unique_ptr<Chip> reference = emulator::make_reference_chip();
    for (Chip* each : {chip.get(), reference.get()}) each->load(program);
    for (unsigned step = 0; step < 200; ++step) {
      const auto count = static_cast<std::uint16_t>(1 + random() % 5);
      const auto address = static_cast<std::uint16_t>(random() % (isa::kLmShortWords - count + 1));
      const PeWords where{isa::Memory::lm, address, Width::short_word, count};
      const auto pes = static_cast<unsigned>(1 + random() % 6);
      const BlockRange blocks = random() % 2 == 0 ? BlockRange{0, kBlocks} : BlockRange{3, 2};
      std::vector<LongWord> words(pes * count);
      for (LongWord& word : words) word = isa::widen({random() & isa::kShortMask});
      for (Chip* each : {chip.get(), reference.get()}) each->write_pes(blocks, 0, where, words);
    }
    constexpr PeWords kAll{isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};
    for (const unsigned block : {0U, 3U, 4U}) {
      for (unsigned pe = 0; pe < 7; ++pe) {
        EXPECT_EQ(chip->read_pe(block, pe, kAll), reference->read_pe(block, pe, kAll)) << block << ' ' << pe;
      }
    }
  }
}

TEST(CompiledRuns, EndSoonIfTheyAreSmall) {
  const isa::Program program = kernel("gravity_jerk.vsm", {});
  const auto reference = emulator::make_reference_chip();
  reference->load(program);
  EXPECT_FALSE(reference->ends_soon(1));
  for (const HostIsa isa : emulator::available_host_isas()) {
    if (!emulator::can_compile_loops(isa)) continue;
    const auto chip = emulator::make_simd_chip(isa, JitUse::always);
    EXPECT_FALSE(chip->ends_soon(1)) << "without a program";
    chip->load(program);
    EXPECT_FALSE(chip->ends_soon(1)) << "it is interpreted so far";
    std::mt19937_64 random(9);
    const std::vector<LongWord> records = random_records(program, 3 * kBlocks, random);
    chip->run_loop({0, kBlocks}, {{records, program.record_words, 3 * kBlocks}, 2});
    EXPECT_TRUE(chip->ends_soon(1000));
    EXPECT_FALSE(chip->ends_soon(1'000'000));
  }
}

INSTANTIATE_TEST_SUITE_P(Nearest, PackedBlocks, testing::Values("0", "1"));

}  // namespace
}  // namespace gdr::tests
