// Histories: their text, how they are made smaller, and that they find an engine that forgets.
#include "gdr/selftest/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "forwarding_chip.h"
#include "gdr/base/error.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/selftest/histories.h"

namespace gdr::tests {
namespace {

using selftest::Ask;
using selftest::Command;
using selftest::FaceKind;
using selftest::Histories;
using selftest::History;
using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(selftest::parse_history(text, "a.txt"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HistoryText, IsReadBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    History history = selftest::random_history(seed);
    history.engine = "simd (avx2, compiled)";
    const std::string text = text_of(history);
    EXPECT_EQ(text_of(selftest::parse_history(text, "history")), text) << "seed " << seed;
  }
}

TEST(HistoryText, HasCommentsAndEmptyLines) {
  const History history =
      selftest::parse_history("engine simd\n\nprogram gravity\n# twice\nrun count 3  # here\n", "h");
  ASSERT_EQ(history.commands.size(), 1u);
  EXPECT_EQ(history.commands[0].count, 3u);
  EXPECT_EQ(history.face, FaceKind::chip);
}

TEST(HistoryText, RefusesWhatItDoesNotKnowWithLineAndChoices) {
  const std::string header = "engine simd\nprogram gravity\n";
  EXPECT_THAT(refusal_of(header + "walk\n"), testing::AllOf(HasSubstr("a.txt:3: 'walk'"), HasSubstr("collect")));
  EXPECT_THAT(refusal_of(header + "run speed 3\n"), testing::AllOf(HasSubstr("'speed'"), HasSubstr("parts")));
  EXPECT_THAT(refusal_of(header + "run pes 33\n"), HasSubstr("pes '33' is refused: it must be in 0 .. 32"));
  EXPECT_THAT(refusal_of(header + "run blocks 3+14\n"), HasSubstr("'14' is refused: it must be in 1 .. 13"));
  EXPECT_THAT(refusal_of(header + "run blocks 3\n"), HasSubstr("FIRST+COUNT"));
  EXPECT_THAT(refusal_of(header + "run pes\n"), HasSubstr("'pes' needs a value"));
  EXPECT_THAT(refusal_of(header + "face door\n"), HasSubstr("it must be one of chip, session"));
  EXPECT_THAT(refusal_of("program gravity\n"), HasSubstr("engine NAME"));
  EXPECT_THAT(refusal_of("engine simd\n"), HasSubstr("program NAME"));
}

TEST(HistoryPrograms, RefuseUnknownNames) {
  EXPECT_THROW(static_cast<void>(selftest::history_program("small unheard_of")), Error);
  EXPECT_THROW(static_cast<void>(selftest::history_program("packable many")), Error);
  EXPECT_THROW(static_cast<void>(selftest::history_program("no_such_kernel")), Error);
}

TEST(HistoryPrograms, AreAlwaysTheSame) {
  EXPECT_EQ(selftest::packable_source(3), selftest::packable_source(3));
  EXPECT_NE(selftest::packable_source(3), selftest::packable_source(4));
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_NO_THROW(static_cast<void>(selftest::history_program("packable " + std::to_string(seed)))) << seed;
  }
}

TEST(HistoryShrinking, KeepsWhatTheFailureNeeds) {
  // Fails if two runs, the first one with 17 records or more, stand before a collect.
  const auto fails = [](const History& history) {
    bool first = false;
    bool second = false;
    for (const Command& command : history.commands) {
      if (command.what == Ask::collect && second) return true;
      if (command.what != Ask::run) continue;
      second = second || first;
      first = first || command.count >= 17;
    }
    return false;
  };
  unsigned shrunk = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const History history = selftest::random_history(seed);
    if (!fails(history)) continue;
    const History small = selftest::shrunk(history, fails);
    EXPECT_EQ(small, selftest::shrunk(history, fails));
    ASSERT_EQ(small.commands.size(), 3u) << text_of(small);
    EXPECT_EQ(text_of(small.commands[0]), "run count 17");
    EXPECT_EQ(text_of(small.commands[1]), "run");
    EXPECT_EQ(text_of(small.commands[2]), "collect");
    ++shrunk;
  }
  EXPECT_GT(shrunk, 10u);
}

TEST(HistoryShrinking, AsksNoMoreOftenThanItMay) {
  unsigned asked = 0;
  const auto fails = [&](const History&) { return ++asked % 2 == 0; };
  static_cast<void>(selftest::shrunk(selftest::random_history(5), fails, 50));
  EXPECT_LE(asked, 50u);
}

/// Forgets what is written to one block between two runs.
class ForgetfulChip final : public ForwardingChip {
 public:
  explicit ForgetfulChip(std::unique_ptr<emulator::Chip> chip, unsigned runs = 0)
      : ForwardingChip(std::move(chip)), runs_(runs) {}

 private:
  static constexpr unsigned kForgotten = 11;

  std::unique_ptr<emulator::Chip> do_clone() const override {
    return std::make_unique<ForgetfulChip>(ForwardingChip::do_clone(), runs_);
  }
  void do_run_loop(emulator::BlockRange blocks, const emulator::LoopRun& run) override {
    ++runs_;
    ForwardingChip::do_run_loop(blocks, run);
  }
  void do_write_pe(unsigned block, unsigned pe, const emulator::PeWords& where,
                   std::span<const isa::LongWord> words) override {
    if (block == kForgotten && runs_ >= 2) return;
    ForwardingChip::do_write_pe(block, pe, where, words);
  }

  unsigned runs_;
};

selftest::HistoryPair forgetful() {
  const auto reference = []() -> std::unique_ptr<emulator::Chip> { return emulator::make_reference_chip(); };
  const auto found = []() -> std::unique_ptr<emulator::Chip> {
    return std::make_unique<ForgetfulChip>(emulator::make_simd_chip(emulator::HostIsa::portable));
  };
  selftest::HistoryPair pair;
  pair.name = "forgetful";
  pair.expected = {reference, [reference] { return emulator::make_chip_engine(reference); }};
  pair.found = {found, [found] { return emulator::make_chip_engine(found); }};
  return pair;
}

TEST(HistoryFaults, OfAnEngineThatForgetsAWriteAreFoundAndMadeSmall) {
  selftest::HistoryShape shape;
  shape.faces = {FaceKind::chip};
  Histories histories({forgetful()}, shape);
  std::optional<selftest::HistoryFinding> finding;
  for (std::uint64_t seed = 0; seed < 40 && !finding; ++seed) finding = histories.run(seed);
  ASSERT_TRUE(finding);
  SCOPED_TRACE(text_of(*finding));
  // Two runs, or one in two parts; a write; something that shows it.
  EXPECT_LE(finding->history.commands.size(), 5u);
  EXPECT_GE(std::ranges::count(finding->history.commands, Ask::run, &Command::what), 1);
  EXPECT_EQ(finding->history.programs.size(), 1u);
  // The report is a file that shows the same.
  const History again = selftest::parse_history(text_of(*finding), "report");
  const auto differs = histories.run(again);
  ASSERT_TRUE(differs);
  EXPECT_EQ(text_of(differs->difference), text_of(finding->difference.difference));
}

TEST(HistoryFaults, OfASessionAreFoundToo) {
  selftest::HistoryShape shape;
  shape.faces = {FaceKind::session};
  Histories histories({forgetful()}, shape);
  bool found = false;
  for (std::uint64_t seed = 0; seed < 40 && !found; ++seed) found = histories.run(seed).has_value();
  EXPECT_TRUE(found);
}

TEST(HistoryEngines, AreRefusedIfTheyCannotBeCompared) {
  EXPECT_THROW(static_cast<void>(selftest::history_pairs({"reference"})), Error);
  EXPECT_THROW(static_cast<void>(selftest::history_pairs({"timing"})), Error);
  EXPECT_THROW(static_cast<void>(selftest::history_pairs({"unknown"})), Error);
  Histories histories(selftest::history_pairs({"lockstep"}));
  History history = selftest::random_history(1);
  history.engine = "unknown";
  EXPECT_THROW(static_cast<void>(histories.run(history)), Error);
}

}  // namespace
}  // namespace gdr::tests
