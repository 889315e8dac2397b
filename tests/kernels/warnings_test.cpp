// What warnings say of random kernels is true: what is unused can go without changing a result, and results depend on
// what stood in registers before only where a warning tells of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "gdr/emulator/chip.h"
#include "random_kernel.h"
#include "slowed_down.h"
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

constexpr unsigned kCandidates = 60;

/// Of so many random kernels.
class WarningsOfKernels : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Random, WarningsOfKernels, ::testing::Values(tests::kSlowedDown ? 8 : 30));
INSTANTIATE_TEST_SUITE_P(Nightly, WarningsOfKernels, ::testing::Values(1000));

TEST_P(WarningsOfKernels, WhatIsUnusedInARandomKernelCanGo) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= GetParam(); ++seed) {
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
  EXPECT_GT(removed, GetParam() / 2);
}

TEST_P(WarningsOfKernels, OnlyMaskedDefinitionsLetOldRegistersIntoResults) {
  std::size_t silent = 0;
  std::size_t told = 0;
  std::size_t differing = 0;
  for (std::uint64_t seed = 1; seed <= GetParam(); ++seed) {
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
  EXPECT_GT(silent, GetParam() / 20);
  EXPECT_GT(told, GetParam() / 20);
  EXPECT_GT(2 * differing, told);  // a flag that happens to be set everywhere hides the rest
  RecordProperty("silent", static_cast<int>(silent));
  RecordProperty("told", static_cast<int>(told));
  RecordProperty("differing", static_cast<int>(differing));
}

/// A kernel with a mistake that a warning is for, and the same without it.
struct Planted {
  Warning warning;
  std::string wrong;
  std::string right;
};

/// `%` stands where the two differ. What stands around the mistake is drawn: steps before it, constants, the word read.
class Planter {
 public:
  explicit Planter(std::uint64_t seed) : random_(seed) {}

  Planted plant(Warning warning) {
    switch (warning) {
      case Warning::masked_definition:
        return planted(warning, "", "  fsub xj xi $lt $ok1\n  nop\n%  fpassa xj a/1\n  nop\n", "", "  fpassa xi a\n");
      case Warning::overwritten_input:
        return planted(warning, "", "  fsub xj xi %\n  nop\n  fadd % wj a\n  nop\n", "xi", "$lr56v");
      case Warning::short_vector:
        return planted(warning, "", "  vlen %\n  fsub xj xi a\n  nop\n", std::to_string(1 + random_.below(3)), "4");
      case Warning::overlap:
        return planted(warning, "reg other $lr%v\n",
                       "  fsub xj xi a\n  fadd xi xi other\n  nop\n  fadd a other a\n  nop\n",
                       std::to_string(2 * (1 + random_.below(3))), "56");
      case Warning::width:
        return planted(warning, "", "  fsub xj xi $lr56v\n  nop\n  fadd $%56v xi a\n  nop\n", "r", "lr");
      case Warning::identity:
        return planted(warning, "var vector long least rrn flt72to64 fmin\n",
                       "  fsub xj xi a\n  nop\n  fmin least a least\n",
                       "f\"" + std::to_string(random_.below(100)) + "\"", "f\"inf\"", "  fpassa % least\n");
      case Warning::event_prone:
        return planted(warning, "", "  fsub xj xi $lt\n  fmul $lti fs\"%\" $lt\n  fmul $lti fs\"%\" a\n  nop\n",
                       "1e300", "1.5");
      case Warning::collision:
        return planted(warning, "", "  fpassa xi $lr56%\n  nop\n  fadd $lr56% xj a\n  nop\n", "", "v");
      case Warning::one_block:  // of what other blocks have, which one block does not tell
      case Warning::type:       // of what the host sends and reads, which the words here do not tell
      case Warning::unused:     // which deletion confirms
        break;
    }
    throw Error("no mistake of this kind is planted");
  }

 private:
  Planted planted(Warning warning, const std::string& declared, const std::string& mistake, const std::string& wrong,
                  const std::string& right, const std::string& begin = "") {
    std::string steps;
    for (std::uint64_t left = random_.below(6); left > 0; --left) steps += step();
    const std::string text =
        "kernel planted\nbvar long xj elt\nbvar long wj elt\nvar vector long xi hlt\n"
        "var vector long sum rrn flt72to64 fadd\nreg a $lr0v\n" +
        declared + "loop initialization\n  uxor $lt $lt $lt\n  upassa $lti sum\n" + begin + "loop body\n" + mistake +
        steps + "  fadd a wj a\n  nop\n  fadd sum a sum\n";
    return {warning, with(text, wrong), with(text, right)};
  }

  std::string step() {
    static constexpr std::array<std::string_view, 4> kSteps{"  fadd a fs\"", "  fsub a fs\"", "  fmul a fs\"",
                                                            "  fmax a fs\""};
    return std::string(kSteps[random_.below(kSteps.size())]) + std::to_string(1 + random_.below(9)) + "\" a\n  nop\n";
  }

  static std::string with(std::string text, const std::string& choice) {
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + choice.size())) {
      text.replace(at, 1, choice);
    }
    return text;
  }

  selftest::RandomPrograms random_;
};

TEST_P(WarningsOfKernels, WhatEveryOtherWarningTellsOfChangesAResult) {
  constexpr std::array kKinds{
      Warning::masked_definition, Warning::overwritten_input, Warning::short_vector, Warning::overlap, Warning::width,
      Warning::identity,          Warning::event_prone,       Warning::collision};
  static_assert(kKinds.size() + 3 == assembler::kWarnings);  // with `unused`, `type` and `one_block`
  for (std::uint64_t seed = 1; seed <= GetParam(); ++seed) {
    const Planted planted = Planter(seed).plant(kKinds[seed % kKinds.size()]);
    const assembler::AssembleResult wrong = assembler::assemble(planted.wrong, "wrong");
    const assembler::AssembleResult right = assembler::assemble(planted.right, "right");
    ASSERT_TRUE(wrong.program && right.program)
        << format_diagnostics(wrong) << format_diagnostics(right) << planted.wrong;
    ASSERT_TRUE(tells(wrong, planted.warning)) << planted.wrong;
    ASSERT_FALSE(tells(right, planted.warning)) << format_diagnostics(right) << planted.right;
    bool differs = false;
    for (std::uint64_t data = 1; data <= 40 && !differs; ++data) {
      differs = results_of(*wrong.program, data, data, kRecords) != results_of(*right.program, data, data, kRecords);
    }
    ASSERT_TRUE(differs) << format_diagnostics(wrong) << planted.wrong;
  }
}

TEST(Warnings, OurKernelsAreSilent) {
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
