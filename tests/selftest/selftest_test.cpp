// Random programs on engines known by name: right ones agree, a wrong one is found and its program made small.
#include "gdr/selftest/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gdr/base/digest.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Engine;
using selftest::SelfTest;

/// The vector engine on other programs than it is given.
class WrongEngine final : public Engine {
 public:
  using Change = std::function<void(isa::Line&)>;
  explicit WrongEngine(Change change) : change_(std::move(change)) {}

  [[nodiscard]] std::shared_ptr<const emulator::Lowered> lower(const isa::Program& program) const override {
    isa::Program changed = program;
    for (auto& section : changed.sections) {
      for (isa::Step& step : section) {
        auto* const coded = std::get_if<isa::ProgramLine>(&step);
        if (coded == nullptr) continue;
        isa::Line line = isa::decoded(coded->word);
        change_(line);
        coded->word = isa::encode(line);
      }
    }
    return simd_->lower(changed);
  }
  [[nodiscard]] std::unique_ptr<emulator::Session> open(std::shared_ptr<const emulator::Lowered> program,
                                                        const emulator::SessionOptions& options) const override {
    return simd_->open(std::move(program), options);
  }

 private:
  Change change_;
  std::unique_ptr<Engine> simd_ = emulator::make_engine(Engine::simd);
};

/// Registers it once in this process.
std::string engine_that(const std::string& name, const WrongEngine::Change& change) {
  if (!emulator::is_engine(name)) {
    emulator::register_engine(name, [change] { return std::make_unique<WrongEngine>(change); });
  }
  return name;
}

std::string subtracts_instead_of_adding() {
  return engine_that("subtracts", [](isa::Line& line) {
    if (line.adder.op == isa::Op::FADD) line.adder.op = isa::Op::FSUB;
  });
}

std::string refuses_what_reads_local_memory() {
  return engine_that("refuses", [](isa::Line& line) {
    if (isa::reads(line, isa::Source::lm)) throw Error("local memory is refused");
  });
}

std::size_t steps_of(const isa::Program& program) {
  std::size_t steps = 0;
  for (const auto& section : program.sections) steps += section.size();
  return steps;
}

/// The first finding of an engine alone, and its seed.
std::pair<std::uint64_t, selftest::Finding> first_finding(const std::string& engine) {
  SelfTest test({{engine}, 2, 2});
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<selftest::Finding> findings = test.run(seed);
    if (!findings.empty()) return {seed, std::move(findings.front())};
  }
  ADD_FAILURE() << engine << " is not found wrong";
  return {};
}

TEST(SelfTestRun, FindsNoDifferenceBetweenTheEnginesOfThisHost) {
  SelfTest test({{Engine::simd.data(), Engine::lockstep.data()}, 3, 2});
  EXPECT_THAT(test.engines(), testing::Contains("simd (portable)"));
  EXPECT_THAT(test.engines(), testing::Contains("lockstep"));
  for (std::uint64_t seed = 0; seed < (tests::kSlowedDown ? 12 : 64); ++seed)
    EXPECT_THAT(test.run(seed), testing::IsEmpty()) << "seed " << seed;
}

TEST(SelfTestRun, FindsAWrongOperationAndTakesAwayWhatItDoesNotNeed) {
  const auto [seed, finding] = first_finding(subtracts_instead_of_adding());
  EXPECT_EQ(finding.engine, "subtracts");
  EXPECT_THAT(finding.difference.place,
              testing::AnyOf(testing::StartsWith("chip 0, "), testing::StartsWith("result ")));
  EXPECT_NE(finding.difference.expected, finding.difference.found);
  const selftest::Input whole = selftest::random_input(seed, 2);
  EXPECT_LT(steps_of(finding.input.program), steps_of(whole.program));
  EXPECT_EQ(finding.input.ranges.size(), 1u);
  EXPECT_EQ(finding.input.ranges.front().count, 1u);
  EXPECT_THAT(text_of(finding.input), testing::HasSubstr("fadd"));
}

TEST(SelfTestRun, FindsAProgramThatAnEngineRefusesAlone) {
  const selftest::Finding finding = first_finding(refuses_what_reads_local_memory()).second;
  EXPECT_EQ(finding.difference.place, "the run's end");
  EXPECT_EQ(finding.difference.found, "local memory is refused");
  EXPECT_EQ(steps_of(finding.input.program), 1u);
}

TEST(SelfTestRun, LeavesAnEngineOutOnceItHasDiffered) {
  SelfTest test({{subtracts_instead_of_adding(), Engine::lockstep.data()}, 1, 1});
  std::size_t findings = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) findings += test.run(seed).size();
  EXPECT_EQ(findings, 1u);
  EXPECT_TRUE(test.has_engines());
}

TEST(SelfTestRun, RefusesEnginesThatCannotBeCompared) {
  EXPECT_THROW(SelfTest({{"reference"}}), Error);
  EXPECT_THROW(SelfTest({{"timing"}}), Error);
  EXPECT_THROW(SelfTest({{"unknown"}}), Error);
}

/// Instruction words and moves, blocks and runs.
std::string words_of(const selftest::Input& input) {
  std::string text;
  const isa::Visitor print{[&](const isa::ProgramLine& line) {
                             for (const std::uint64_t part : line.word.parts) text += std::to_string(part) + " ";
                           },
                           [&](const isa::TransferStep&) { text += "transfer "; },
                           [&](const isa::CollectStep& collect) {
                             for (const std::uint16_t number : {collect.first, collect.entries}) {
                               text += std::to_string(number) + (collect.not_first ? "n " : "c ");
                             }
                           }};
  for (const auto& section : input.program.sections) {
    for (const isa::Step& step : section) std::visit(print, step);
    text += "\n";
  }
  for (const emulator::BlockRange range : input.ranges) {
    text += std::to_string(range.first) + "+" + std::to_string(range.count) + "\n";
  }
  for (const selftest::Input::Run& run : input.runs) {
    text += std::to_string(run.records) + "/" + std::to_string(run.live_pes) + "/" + std::to_string(run.piece) + "\n";
  }
  return text;
}

TEST(RandomInput, OfASeedIsTheSameForEver) {
  std::string all;
  for (std::uint64_t seed = 0; seed < 64; ++seed) all += words_of(selftest::random_input(seed));
  EXPECT_EQ(base::sha256_hex(std::as_bytes(std::span(all))),
            "7aa9460af9b8a1079baa0b5aa29a10bcc5138c1061439b82275a6b81a04cc21c");
}

TEST(RandomInput, HasUpToSoManyChips) {
  std::vector<unsigned> seen(5);
  for (std::uint64_t seed = 0; seed < 2048; ++seed) {
    const unsigned chips = selftest::random_input(seed, 4).chips;
    ASSERT_LE(chips, 4u);
    if (selftest::is_for_lockstep(seed)) ++seen.at(chips);
  }
  EXPECT_THAT(seen, testing::ElementsAre(0u, testing::Gt(0u), testing::Gt(0u), testing::Gt(0u), testing::Gt(0u)))
      << "of the programs that lockstep runs";
}

}  // namespace
}  // namespace gdr::tests
