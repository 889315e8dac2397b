// Kernels and random programs leave every word as it was when their lines are packed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "chain_kernel.h"
#include "gdr/assembler/disassemble.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/effects.h"
#include "gdr/selftest/random_program.h"
#include "random_kernel.h"
#include "schedule/line_merger.h"
#include "slowed_down.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

using assembler::ScheduleLevel;
using emulator::PeWords;
using isa::LongWord;
using isa::Memory;
using isa::Width;
using tests::kSlowedDown;

constexpr unsigned kBlock = 3;
constexpr unsigned kPes = 3;

isa::Program assembled_with(std::string_view source, ScheduleLevel level, double effort = 1, bool pipeline = false) {
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  options.include_directories = {GDR_KERNELS_DIR};
  options.schedule = {.level = level, .effort = effort, .pipeline = pipeline};
  const assembler::AssembleResult result = assembler::assemble(source, "test.vsm", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

/// All that a run leaves in a block.
struct Outcome {
  std::vector<std::vector<LongWord>> memories;
  std::vector<std::vector<std::uint8_t>> flags;
  std::vector<std::uint64_t> events;
  std::vector<std::vector<LongWord>> results;  // of each PE, variable by variable
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Registers, local and broadcast memory and the j-records are filled with words drawn from `seed`. Nothing if the
/// program ends in a fault.
std::optional<Outcome> outcome_of(const isa::Program& program, std::uint64_t seed, std::uint64_t records) {
  selftest::RandomPrograms random(seed);
  const auto drawn = [&](std::size_t count) {
    std::vector<LongWord> words(count);
    for (LongWord& word : words) word = random.word();
    return words;
  };
  const PeWords gpr{Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
  const PeWords lm{Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};
  const auto chip = emulator::make_reference_chip();
  Outcome outcome;
  try {
    chip->load(program);
    chip->write_bm(kBlock, 0, drawn(isa::kBmShortWords / 2));
    for (unsigned pe = 0; pe < kPes; ++pe) {
      chip->write_pe(kBlock, pe, gpr, drawn(gpr.count));
      chip->write_pe(kBlock, pe, lm, drawn(lm.count));
    }
    chip->run_initialization(kBlock);
    const std::vector<LongWord> stream = drawn(records * program.record_words);
    chip->run_loop({kBlock, 1}, {{stream, program.record_words, records}, kPes});
  } catch (const emulator::Fault&) {
    return std::nullopt;
  }
  for (unsigned pe = 0; pe < kPes; ++pe) {
    outcome.memories.push_back(chip->read_pe(kBlock, pe, gpr));
    outcome.memories.push_back(chip->read_pe(kBlock, pe, lm));
    const emulator::PeRegisters registers = chip->registers(kBlock, pe);
    outcome.memories.emplace_back(registers.t.begin(), registers.t.end());
    outcome.flags.emplace_back(registers.flags.begin(), registers.flags.end());
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::rrn)) {
      const auto words = static_cast<std::uint16_t>(isa::kVectorElements * variable->elements);
      outcome.results.push_back(
          chip->read_pe(kBlock, pe, {variable->memory, variable->address, variable->width, words}));
    }
  }
  const emulator::FpEvents events = chip->events(kBlock);
  outcome.events = {events.invalid, events.overflow, events.underflow};
  return outcome;
}

/// What is left where values may move: results and events.
std::optional<Outcome> without_state(std::optional<Outcome> outcome) {
  if (outcome) {
    outcome->memories.clear();
    outcome->flags.clear();
  }
  return outcome;
}

/// Random kernels to pack.
constexpr std::uint64_t kPacked = kSlowedDown ? 10 : 100;

/// Records of three turns, the last without one for the block.
constexpr std::uint64_t kRecords = 2 * emulator::kBlocks + 2;

TEST(Schedule, ChangesNoWordThatAShippedKernelLeaves) {
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string source = base::read_file(entry.path());
    const isa::Program written = assembled_with(source, ScheduleLevel::none);
    if (written.is_type2()) continue;  // stays as it is: moves beside its lines count on their places
    const isa::Program packed = assembled_with(source, ScheduleLevel::list);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const std::uint64_t records : {std::uint64_t{0}, std::uint64_t{7}, kRecords}) {
        const auto expected = outcome_of(written, seed, records);
        ASSERT_TRUE(expected) << entry.path();
        EXPECT_EQ(outcome_of(packed, seed, records), expected) << entry.path() << ", seed " << seed;
      }
    }
  }
}

/// The same kernel with one operation in each line: those that read what others of the line write stand before them.
/// `$ti` is not claimed, since lines are printed from their words.
std::string one_operation_per_line(const isa::Program& program) {
  isa::Program split = program;
  for (std::vector<isa::Step>& steps : split.sections) {
    std::vector<isa::Step> singles;
    for (const isa::Step& step : steps) {
      const isa::Line line = isa::decoded(std::get<isa::ProgramLine>(step).word);
      std::vector<isa::Line> left;
      for (const isa::UnitInfo& unit : isa::units()) {
        if (!isa::effects(line).works(unit.unit)) continue;
        isa::Line single;
        if (!assembler::add_operation(single, line, unit.unit)) throw Error("an operation has no line of its own");
        left.push_back(single);
      }
      if (left.empty()) singles.push_back(step);
      while (!left.empty()) {
        const auto stands_first = [&](const isa::Line& reader) {
          return std::ranges::none_of(left, [&](const isa::Line& other) {
            if (&other == &reader) return false;
            const isa::Effects written = isa::effects(reader);
            const isa::Effects read = isa::effects(other);
            return std::ranges::any_of(written.writes(), [&](const isa::Access& write) {
              return std::ranges::any_of(read.reads(), [&](const isa::Access& access) {
                return isa::overlap(write, written.elements(), access, read.elements());
              });
            });
          });
        };
        const auto next = std::ranges::find_if(left, stands_first);
        if (next == left.end()) throw Error("operations of a line read what the other writes");
        singles.emplace_back(isa::ProgramLine{isa::encode(*next), {}});
        left.erase(next);
      }
    }
    steps = std::move(singles);
  }
  return assembler::disassemble(split);
}

std::size_t lines_of_loop(const isa::Program& program) { return program.lines(isa::Section::loop_body).size(); }

class OneOperationPerLine : public ::testing::TestWithParam<std::pair<std::string, std::size_t>> {};

TEST_P(OneOperationPerLine, IsPackedToNoMoreLinesThanByHand) {
  const auto& [kernel, by_hand] = GetParam();
  const std::string source = one_operation_per_line(assembled_with(source_of(kernel), ScheduleLevel::none));
  EXPECT_GT(lines_of_loop(assembled_with(source, ScheduleLevel::none)), by_hand);
  const isa::Program packed = assembled_with(source, ScheduleLevel::full, kSlowedDown ? 0.05 : 1);
  const std::size_t short_search = kSlowedDown ? 3 : 0;
  EXPECT_LE(lines_of_loop(packed), by_hand + short_search);
}

INSTANTIATE_TEST_SUITE_P(Kernels, OneOperationPerLine,
                         ::testing::Values(std::pair("gravity", 27), std::pair("gravity_jerk", 48),
                                           std::pair("vdw", 29)),
                         [](const auto& kernel) { return kernel.param.first; });

TEST(Schedule, ShortensAKernelWrittenOneOperationPerLine) {
  const std::string source = source_of("gravity_jerk_2009");
  EXPECT_LT(assembled_with(source, ScheduleLevel::list).lines(isa::Section::loop_body).size(),
            assembled_with(source, ScheduleLevel::none).lines(isa::Section::loop_body).size());
}

TEST(Schedule, ChangesNoWordThatARandomKernelLeaves) {
  constexpr std::uint64_t kPrograms = kSlowedDown ? 20 : 200;
  constexpr unsigned kCandidates = 80;
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const bool indirect = seed % 3 == 0;
    const std::string source = RandomKernel(seed, indirect).source(kCandidates);
    const isa::Program written = assembled_with(source, ScheduleLevel::none);
    if (written.is_type2()) continue;  // stays as it is: moves beside its lines count on their places
    const isa::Program packed = assembled_with(source, ScheduleLevel::list);
    lines += written.lines(isa::Section::loop_body).size();
    packed_lines += packed.lines(isa::Section::loop_body).size();
    for (const std::uint64_t records : {std::uint64_t{0}, kRecords}) {
      const auto expected = outcome_of(written, seed, records);
      ASSERT_TRUE(expected || indirect) << "seed " << seed << "\n" << source;
      compared += expected ? 1 : 0;
      ASSERT_EQ(outcome_of(packed, seed, records), expected) << "seed " << seed << ", " << records << " records\n"
                                                             << source << "\npacked\n"
                                                             << selftest::text_of(packed);
    }
  }
  EXPECT_LT(packed_lines, lines);
  EXPECT_GT(compared, kPrograms);
  RecordProperty("lines_written", static_cast<int>(lines));
  RecordProperty("lines_packed", static_cast<int>(packed_lines));
}

/// Packs `source` with values moved; results and events must be those of the source as written.
void expect_same_results(const std::string& source, std::uint64_t seed, double effort, std::size_t& lines,
                         std::size_t& packed_lines, bool pipeline = false) {
  const isa::Program written = assembled_with(source, ScheduleLevel::none);
  const isa::Program packed = assembled_with(source, ScheduleLevel::full, effort, pipeline);
  lines += lines_of_loop(written);
  packed_lines += lines_of_loop(packed);
  for (const std::uint64_t records : {std::uint64_t{0}, std::uint64_t{7}, kRecords}) {
    const auto expected = without_state(outcome_of(written, seed, records));
    ASSERT_EQ(without_state(outcome_of(packed, seed, records)), expected)
        << "seed " << seed << ", " << records << " records\n"
        << source << "\npacked\n"
        << selftest::text_of(packed);
  }
}

TEST(ScheduleFull, ChangesNoResultOfAShippedKernel) {
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string source = base::read_file(entry.path());
    const isa::Program written = assembled_with(source, ScheduleLevel::none);
    if (written.is_type2()) {
      EXPECT_EQ(assembled_with(source, ScheduleLevel::full), written) << entry.path();
      continue;
    }
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      ASSERT_NO_FATAL_FAILURE(expect_same_results(source, seed, 0.05, lines, packed_lines)) << entry.path();
    }
  }
  EXPECT_LT(packed_lines, lines);
}

TEST(ScheduleFull, ChangesNoResultOfARandomKernel) {
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  for (std::uint64_t seed = 1; seed <= kPacked; ++seed) {
    const unsigned operations = 5 + static_cast<unsigned>(seed % 40);
    const std::string source = tests::ChainKernel(seed).source(operations);
    ASSERT_NO_FATAL_FAILURE(expect_same_results(source, seed, 0.01, lines, packed_lines));
  }
  EXPECT_LT(packed_lines * 2, lines);
}

TEST(ScheduleFull, ChangesNoResultOfRandomLines) {
  constexpr unsigned kCandidates = 40;
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  for (std::uint64_t seed = 1; seed <= kPacked / 10; ++seed) {
    const std::string source = RandomKernel(seed, seed % 3 == 0, true).source(kCandidates);
    ASSERT_NO_FATAL_FAILURE(expect_same_results(source, seed, 0.01, lines, packed_lines));
  }
  EXPECT_LE(packed_lines, lines);
}

TEST(ScheduleFull, PacksACoulombKernelWrittenWithoutCareAsTightlyAsByHand) {
  const std::string source = base::read_file(GDR_KERNELS_DIR "/../tests/kernels/coulomb.vsm");
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  expect_same_results(source, 1, kSlowedDown ? 0.05 : 1, lines, packed_lines);
  EXPECT_LE(packed_lines, kSlowedDown ? 31u : 29u);
}

TEST(Pipeline, ChangesNoResultOfAShippedKernel) {
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string source = base::read_file(entry.path());
    const isa::Program written = assembled_with(source, ScheduleLevel::none);
    if (written.is_type2()) {
      EXPECT_EQ(assembled_with(source, ScheduleLevel::full, 1, true), written) << entry.path();
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_results(source, 1, 0.05, lines, packed_lines, true)) << entry.path();
  }
  EXPECT_LT(packed_lines, lines);
}

TEST(Pipeline, PrintsSourceThatAssemblesToTheSameLines) {
  std::size_t always = 0;
  const auto print_again = [&](const std::string& source, const std::string& name) {
    const isa::Program packed = assembled_with(source, ScheduleLevel::full, 0.05, true);
    const std::string printed = assembler::disassemble_with_names(packed);
    always += printed.find("/always") != std::string::npos ? 1 : 0;
    const isa::Program again = assembled_with(printed, ScheduleLevel::none);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      const auto words = [&](const isa::Program& program) {
        std::vector<isa::InstructionWord> all;
        for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) all.push_back(line.word);
        return all;
      };
      EXPECT_EQ(words(again), words(packed)) << name;
    }
  };
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() == ".vsm") print_again(base::read_file(entry.path()), entry.path().string());
  }
  EXPECT_GT(always, 0u);  // else nothing was pipelined
}

TEST(Pipeline, ChangesNoResultOfARandomKernel) {
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  std::size_t shorter = 0;
  for (std::uint64_t seed = 1; seed <= kPacked; ++seed) {
    const unsigned operations = 5 + static_cast<unsigned>(seed % 40);
    const std::string source = tests::ChainKernel(seed).source(operations);
    const std::size_t before = packed_lines;
    ASSERT_NO_FATAL_FAILURE(expect_same_results(source, seed, 0.01, lines, packed_lines, true));
    shorter += packed_lines - before < lines_of_loop(assembled_with(source, ScheduleLevel::full, 0.01)) ? 1 : 0;
  }
  EXPECT_GE(shorter, kSlowedDown ? 0u : 1u);  // else nothing was tried
}

TEST(Pipeline, ChangesNoResultOfRandomLines) {
  constexpr unsigned kCandidates = 40;
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  for (std::uint64_t seed = 1; seed <= kPacked / 10; ++seed) {
    const std::string source = RandomKernel(seed, seed % 3 == 0, true).source(kCandidates);
    ASSERT_NO_FATAL_FAILURE(expect_same_results(source, seed, 0.01, lines, packed_lines, true));
  }
  EXPECT_LE(packed_lines, lines);
}

TEST(Pipeline, RunsTwoTurnsOfGravityBesideEachOther) {
  const std::string source = base::read_file(GDR_KERNELS_DIR "/gravity.vsm");
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  expect_same_results(source, 1, kSlowedDown ? 0.05 : 1, lines, packed_lines, true);
  EXPECT_EQ(lines, 27u);
  EXPECT_LE(packed_lines, kSlowedDown ? 25u : 22u);
}

/// `text` with `to` in the place of `from`, which is there once.
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw Error("the source has no '" + std::string(from) + "'");
  return text.replace(at, from.size(), to);
}

// Gravity with a flag that is set late and only under another one, for loop termination: the second stage, whose writes
// stand under a flag of its own, cannot take that write.
TEST(Pipeline, LeavesAFlagSetUnderAnotherOneInTheFirstStage) {
  std::string source = base::read_file(GDR_KERNELS_DIR "/gravity.vsm");
  source = replaced(source, "uxor $lt $lt $lt ", "uxor $lt $lt $lt $ok2 ");
  source = replaced(source, "fsub xj[0] xi[0] dx $t ", "fsub xj[0] xi[0] dx $t $ok1 ");
  source = replaced(source, "$t $ok1.z", "$t");
  source = replaced(source, "$t/!1", "$t");
  source = replaced(source, "fmul y3 mj $lt ", "fmul y3 mj $lt ; fsub fs\"0.01\" y3 $ok2/1 ");
  source = replaced(source, "fs\"-0.0001220703125\" pot", "fs\"-0.0001220703125\" pot/2");
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  expect_same_results(source, 1, kSlowedDown ? 0.05 : 1, lines, packed_lines, true);
  EXPECT_LT(packed_lines, lines);
}

TEST(ScheduleFull, DependsOnSeedAndEffortAlone) {
  const std::string source = tests::ChainKernel(3).source(30);
  for (const bool pipeline : {false, true}) {
    EXPECT_EQ(assembled_with(source, ScheduleLevel::full, 0.1, pipeline),
              assembled_with(source, ScheduleLevel::full, 0.1, pipeline));
  }
}

}  // namespace
}  // namespace gdr::kernels::testing
