// Kernels and random programs leave every word as it was when their lines are packed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"
#include "random_kernel.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

using emulator::PeWords;
using isa::LongWord;
using isa::Memory;
using isa::Width;

constexpr unsigned kBlock = 3;
constexpr unsigned kPes = 3;

isa::Program assembled_with(std::string_view source, bool schedule) {
  assembler::AssembleOptions options;
  options.schedule = schedule;
  const assembler::AssembleResult result = assembler::assemble(source, "test.vsm", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

/// All that a run leaves in a block.
struct Outcome {
  std::vector<std::vector<LongWord>> memories;
  std::vector<std::vector<std::uint8_t>> flags;
  std::vector<std::uint64_t> events;
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
  }
  const emulator::FpEvents events = chip->events(kBlock);
  outcome.events = {events.invalid, events.overflow, events.underflow};
  return outcome;
}

/// Records of three turns, the last without one for the block.
constexpr std::uint64_t kRecords = 2 * emulator::kBlocks + 2;

TEST(Schedule, ChangesNoWordThatAShippedKernelLeaves) {
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string source = base::read_file(entry.path());
    const isa::Program written = assembled_with(source, false);
    if (written.is_type2()) continue;  // stays as it is: moves beside its lines count on their places
    const isa::Program packed = assembled_with(source, true);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const std::uint64_t records : {std::uint64_t{0}, std::uint64_t{7}, kRecords}) {
        const auto expected = outcome_of(written, seed, records);
        ASSERT_TRUE(expected) << entry.path();
        EXPECT_EQ(outcome_of(packed, seed, records), expected) << entry.path() << ", seed " << seed;
      }
    }
  }
}

TEST(Schedule, ShortensAKernelWrittenOneOperationPerLine) {
  const std::string source = source_of("gravity_jerk_2009");
  EXPECT_LT(assembled_with(source, true).lines(isa::Section::loop_body).size(),
            assembled_with(source, false).lines(isa::Section::loop_body).size());
}

TEST(Schedule, ChangesNoWordThatARandomKernelLeaves) {
  constexpr std::uint64_t kPrograms = 200;
  constexpr unsigned kCandidates = 80;
  std::size_t lines = 0;
  std::size_t packed_lines = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const bool indirect = seed % 3 == 0;
    const std::string source = RandomKernel(seed, indirect).source(kCandidates);
    const isa::Program written = assembled_with(source, false);
    if (written.is_type2()) continue;  // stays as it is: moves beside its lines count on their places
    const isa::Program packed = assembled_with(source, true);
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

}  // namespace
}  // namespace gdr::kernels::testing
