// What warnings say of random kernels is true: what is unused can go without changing a result, and results depend on
// what stood in registers before only where a warning tells of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gdr/emulator/chip.h"
#include "random_kernel.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

using assembler::Diagnostic;
using assembler::Warning;
using emulator::PeWords;
using isa::LongWord;
using isa::Memory;
using isa::Width;

constexpr unsigned kBlock = 3;
constexpr unsigned kPes = 3;
constexpr std::uint64_t kRecords = 2 * emulator::kBlocks + 2;

/// The words of all results behind a run. `before` draws what stands in registers and local memory, `seed` the data.
std::vector<LongWord> results_of(const isa::Program& program, std::uint64_t seed, std::uint64_t before,
                                 std::uint64_t records) {
  const auto drawn = [](selftest::RandomPrograms& random, std::size_t count) {
    std::vector<LongWord> words(count);
    for (LongWord& word : words) word = random.word();
    return words;
  };
  selftest::RandomPrograms data(seed);
  selftest::RandomPrograms old(before);
  const PeWords gpr{Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2};
  const PeWords lm{Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2};
  const auto place = [](const isa::Variable& variable) {
    const std::size_t words = std::size_t{variable.elements} * isa::kVectorElements;
    return PeWords{variable.memory, variable.address, variable.width, static_cast<std::uint16_t>(words)};
  };
  const auto chip = emulator::make_reference_chip();
  chip->load(program);
  chip->write_bm(kBlock, 0, drawn(old, isa::kBmShortWords / 2));
  for (unsigned pe = 0; pe < kPes; ++pe) {
    chip->write_pe(kBlock, pe, gpr, drawn(old, gpr.count));
    chip->write_pe(kBlock, pe, lm, drawn(old, lm.count));
  }
  chip->run_initialization(kBlock);
  for (unsigned pe = 0; pe < kPes; ++pe) {
    for (const isa::Variable* input : program.variables_by(isa::Transfer::hlt)) {
      chip->write_pe(kBlock, pe, place(*input), drawn(data, place(*input).count));
    }
  }
  const std::vector<LongWord> stream = drawn(data, records * program.record_words);
  chip->run_loop({kBlock, 1}, {{stream, program.record_words, records}, kPes});
  std::vector<LongWord> results;
  for (unsigned pe = 0; pe < kPes; ++pe) {
    for (const isa::Variable* result : program.variables_by(isa::Transfer::rrn)) {
      const std::vector<LongWord> words = chip->read_pe(kBlock, pe, place(*result));
      results.insert(results.end(), words.begin(), words.end());
    }
  }
  return results;
}

std::vector<std::string> lines_in(const std::string& source) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    lines.push_back(source.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The source without what its warnings call unused: operands that nothing reads, operations without a use.
std::string without_unused(const std::string& source, const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> lines = lines_in(source);
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool operation = diagnostic.message.starts_with("no result");
    const bool operand = diagnostic.message.ends_with("depends on it");
    if (diagnostic.warning != Warning::unused || (!operation && !operand)) continue;
    const std::size_t number = diagnostic.where.line - 1;
    std::string& line = lines[number];
    const std::size_t column = diagnostic.where.column - 1;
    const auto blank = [](std::string& text, std::size_t begin, std::size_t end) {
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
    };
    if (operand) {
      blank(line, column, std::min(line.find_first_of(" ;", column), line.size()));
      continue;
    }
    const std::size_t before = line.rfind(';', column);
    const std::size_t begin = before == std::string::npos ? 2 : before + 1;
    const std::size_t end = std::min(line.find(';', column), line.size());
    if (line.substr(begin, end - begin).find("fmull") != std::string::npos) {
      std::string& first = lines[number - 1];
      const std::size_t high = first.find("fmulh");
      blank(first, high, std::min(first.find(';', high), first.size()));
    }
    blank(line, begin, end);
  }
  std::string changed;
  for (const std::string& line : lines) {
    // Items that are blank now are left out; without an operation the rest says nothing.
    std::string kept;
    bool works = false;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(';', at), line.size());
      const std::string item = line.substr(at, end - at);
      const std::size_t first = item.find_first_not_of(' ');
      if (first != std::string::npos) {
        kept += (kept.empty() ? "" : " ; ") + item;
        const std::string word = item.substr(first, 4);
        works = works || (word != "vlen" && word != "mask" && word.substr(0, 3) != "nop");
      }
      at = end + 1;
    }
    changed += (works ? kept : "  nop") + "\n";
  }
  return changed;
}

bool tells(const assembler::AssembleResult& result, Warning warning) {
  return std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                     [&](const Diagnostic& one) { return one.warning == warning; });
}

constexpr std::uint64_t kKernels = GDR_KERNELS_TRIED;
constexpr unsigned kCandidates = 60;

TEST(GDR_TRIED_HOW, WhatIsUnusedInARandomKernelCanGo) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= kKernels; ++seed) {
    const std::string source = RandomKernel(seed, seed % 5 == 0, true).source(kCandidates);
    const assembler::AssembleResult whole = assembler::assemble(source, "random");
    ASSERT_TRUE(whole.program) << format_diagnostics(whole);
    const std::string shorter = without_unused(source, whole.diagnostics);
    if (shorter == without_unused(source, {})) continue;
    ++removed;
    const assembler::AssembleResult rest = assembler::assemble(shorter, "shorter");
    ASSERT_TRUE(rest.program) << format_diagnostics(rest) << source << "\nshorter\n" << shorter;
    for (const std::uint64_t records : {std::uint64_t{0}, kRecords}) {
      std::vector<LongWord> expected;
      try {
        expected = results_of(*whole.program, seed, seed, records);
      } catch (const emulator::Fault&) {  // an address from T
        continue;
      }
      ASSERT_EQ(results_of(*rest.program, seed, seed, records), expected)
          << "seed " << seed << ", " << records << " records\n"
          << source << "\nshorter\n"
          << shorter;
    }
  }
  EXPECT_GT(removed, kKernels / 2);
}

TEST(GDR_TRIED_HOW, OnlyMaskedDefinitionsLetOldRegistersIntoResults) {
  std::size_t silent = 0;
  std::size_t told = 0;
  std::size_t differing = 0;
  for (std::uint64_t seed = 1; seed <= kKernels; ++seed) {
    const std::string source = RandomKernel(seed, false, true).source(kCandidates);
    const assembler::AssembleResult whole = assembler::assemble(source, "random");
    ASSERT_TRUE(whole.program) << format_diagnostics(whole);
    const bool warned = tells(whole, Warning::masked_definition);
    bool differs = false;
    for (std::uint64_t data = 1; data <= 3; ++data) {
      const auto expected = results_of(*whole.program, data, 1, kRecords);
      for (std::uint64_t before = 2; before <= 4; ++before) {
        const bool same = results_of(*whole.program, data, before, kRecords) == expected;
        ASSERT_TRUE(same || warned) << "seed " << seed << "\n" << source;
        differs = differs || !same;
      }
    }
    (warned ? told : silent) += 1;
    differing += differs ? 1 : 0;
  }
  EXPECT_GT(silent, kKernels / 20);
  EXPECT_GT(told, kKernels / 20);
  EXPECT_GT(2 * differing, told);  // a flag that happens to be set everywhere hides the rest
  RecordProperty("silent", static_cast<int>(silent));
  RecordProperty("told", static_cast<int>(told));
  RecordProperty("differing", static_cast<int>(differing));
}

TEST(GDR_TRIED_HOW, OurKernelsAreSilent) {
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const assembler::AssembleResult result = assembler::assemble_file(entry.path());
    EXPECT_THAT(result.diagnostics, ::testing::IsEmpty()) << format_diagnostics(result);
  }
  for (const std::map<std::string, std::string>& definitions :
       {std::map<std::string, std::string>{{"nearest", "1"}}, {{"nearest", "1"}, {"list", "3"}}}) {
    assembler::AssembleOptions options;
    options.definitions = definitions;
    const auto result = assembler::assemble_file(std::string(GDR_KERNELS_DIR) + "/gravity_jerk.vsm", options);
    EXPECT_THAT(result.diagnostics, ::testing::IsEmpty()) << format_diagnostics(result);
  }
}

}  // namespace
}  // namespace gdr::kernels::testing
