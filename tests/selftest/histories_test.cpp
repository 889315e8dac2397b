// Random histories on the engines of this host. Each suite is a test of its own, so that they run side by side.
#include "gdr/selftest/histories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "gdr/emulator/host_isa.h"
#include "jit/loop_jit.h"
#include "simd/row_transitions.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using selftest::Ask;
using selftest::FaceKind;
using selftest::Histories;
using selftest::HistoryCounts;
using selftest::HistoryPair;

bool is_compiled(const HistoryPair& pair) { return pair.name.find("compiled") != std::string::npos; }
bool is_simd(const HistoryPair& pair) { return pair.name.starts_with("simd"); }

template <class Takes>
std::vector<HistoryPair> pairs_that(Takes takes) {
  std::vector<HistoryPair> pairs = selftest::history_pairs();
  std::erase_if(pairs, [&](const HistoryPair& pair) { return !takes(pair); });
  return pairs;
}

/// Runs the histories of these seeds, fewer where sanitizers slow them down.
template <class Takes>
HistoryCounts run(Takes takes, FaceKind face, std::uint64_t first, std::uint64_t count) {
  selftest::HistoryShape shape;
  shape.faces = {face};
  std::vector<HistoryPair> pairs = pairs_that(takes);
  if (pairs.empty()) return {};
  Histories histories(std::move(pairs), shape);
  if (kSlowedDown) count = std::max<std::uint64_t>(count / 20, 5);
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    if (const auto finding = histories.run(seed)) ADD_FAILURE() << "seed " << seed << '\n' << text_of(*finding);
  }
  return histories.counts();
}

bool is_compiled_simd(const HistoryPair& pair) { return is_simd(pair) && is_compiled(pair); }
bool is_interpreted(const HistoryPair& pair) { return is_simd(pair) && !is_compiled(pair); }
bool is_other(const HistoryPair& pair) { return !is_simd(pair); }

std::uint64_t asked(const HistoryCounts& counts, Ask what) { return counts.asked[static_cast<std::size_t>(what)]; }

/// What any batch of some hundred histories comes to often.
void expect_all_kinds(const HistoryCounts& counts) {
  if (kSlowedDown) return;
  SCOPED_TRACE(text_of(counts));
  for (const Ask what : {Ask::particles, Ask::word, Ask::parameter, Ask::registers, Ask::initialize, Ask::run,
                         Ask::collect, Ask::read, Ask::look, Ask::events, Ask::load, Ask::other, Ask::refused}) {
    EXPECT_GE(asked(counts, what), 20u) << name_of(what);
  }
  EXPECT_GE(asked(counts, Ask::run), 1000u);
  for (const std::uint64_t number : {counts.same_runs, counts.crossing_runs, counts.shorter_runs, counts.growing_runs,
                                     counts.parts, counts.collects_after_runs, counts.looks_after_runs}) {
    EXPECT_GE(number, 50u);
  }
  EXPECT_GE(counts.pieces, 20u);
}

/// On chips, histories with compiled code must have run packed.
void expect_equal_on_compiled_chips(std::uint64_t first) {
  if (pairs_that(is_compiled_simd).empty()) GTEST_SKIP() << "this host or this build compiles no loops";
  const std::uint64_t packed = emulator::jit::packed_turns();
  const std::uint64_t alike = emulator::jit::alike_turns();
  const auto moved = emulator::simd::row_transitions();
  const HistoryCounts counts = run(is_compiled_simd, FaceKind::chip, first, 250);
  if (kSlowedDown) return;
  expect_all_kinds(counts);
  EXPECT_GE(emulator::jit::packed_turns() - packed, 10'000u);
  EXPECT_GE(emulator::jit::alike_turns() - alike, 1'000u);
  EXPECT_GE(asked(counts, Ask::clone), 20u);
  EXPECT_GE(asked(counts, Ask::patch), 20u);
  const auto now = emulator::simd::row_transitions();
  for (std::size_t n = 0; n < now.size(); ++n) {
    const auto transition = static_cast<emulator::simd::Transition>(n);
    EXPECT_GE(now[n] - moved[n], 5u) << name_of(transition);
  }
}

// The seeds of a suite share a few random programs, since compiling them takes longer than running them.
TEST(HistoriesOfCompiledChips, AreThoseOfTheReferenceEngine) { expect_equal_on_compiled_chips(0); }

TEST(HistoriesOfCompiledSessions, AreThoseOfTheReferenceEngine) {
  if (pairs_that(is_compiled_simd).empty()) GTEST_SKIP() << "this host or this build compiles no loops";
  expect_all_kinds(run(is_compiled_simd, FaceKind::session, 2048, 250));
}

TEST(HistoriesOfInterpretedChips, AreThoseOfTheReferenceEngine) {
  expect_all_kinds(run(is_interpreted, FaceKind::chip, 4096, 400));
}
TEST(HistoriesOfInterpretedSessions, AreThoseOfTheReferenceEngine) {
  expect_all_kinds(run(is_interpreted, FaceKind::session, 4608, 250));
}

TEST(HistoriesOfOtherEngines, AreThoseOfTheEnginesBehindThem) {
  run(is_other, FaceKind::chip, 8192, 150);
  run(is_other, FaceKind::session, 8704, 100);
}

TEST(HistoriesOfTables, AreThoseOfTheReferenceEngine) {
  std::vector<HistoryPair> pairs = pairs_that(is_simd);
  selftest::HistoryShape shape;
  for (unsigned seed = 0; seed < 12; ++seed) shape.programs.push_back("indexed " + std::to_string(seed));
  Histories histories(pairs, shape);
  const std::uint64_t packed = emulator::jit::packed_turns();
  const std::uint64_t count = kSlowedDown ? 6 : 240;
  for (std::uint64_t seed = 10'240; seed < 10'240 + count && !HasFailure(); ++seed) {
    if (const auto finding = histories.run(seed)) ADD_FAILURE() << "seed " << seed << '\n' << text_of(*finding);
  }
  // More than half of them run on compiled code, five runs each: one packed turn for each of those runs.
  if (!kSlowedDown && std::ranges::any_of(pairs, is_compiled)) {
    EXPECT_GE(emulator::jit::packed_turns() - packed, 300u);
  }
}

/// Histories that showed a difference once.
TEST(KnownHistories, ShowNoDifferenceAgain) {
  const std::vector<std::string> known{
      // Packed sums of a run with 16 records were kept, and copied over those of the next run.
      "program gravity\nparticles pes 3\nrun pes 3 count 32\nrun pes 3 count 17\nlook\n",
      "program vdw\nrun pes 9 count 10 parts 3\nrun pes 9 count 12 seed 15975356\nlook\n",
      // A flag that blocks without a record do not write.
      "program small unread\nrun count 16 seed 5\nrun count 1 seed 6\nlook\n",
      "program small flagged\nrun count 16 seed 5\nrun count 1 seed 6\nlook\n",
      // i-data of PEs that are not live, when compiled code refuses a run.
      "program small flagged\nparticles\nrun count 55 wild seed 6182808\nlook\n",
      // A result that no run writes is in no packed group.
      "program packable 340\nrun count 16\ncollect seed 13571479\n",
      // i-data that loop initialization leaves equal in all PEs, and the host writes between two pieces of a run.
      "program packable 156551\nrun goes_on\nparticles\nrun count 1 continues\nlook\n",
      "program packable 156692\nrun count 32 goes_on\nparticles\npatch\nrun count 17 continues\nlook\n",
      "program packable 156551\nrun count 16\nparticles\nrun count 16 continues\nlook\nrun count 16\nlook\n",
      // The same words, which section initialization writes.
      "program packable 316580125652\nrun goes_on\ninitialize\nrun count 1 continues\nlook\n",
      // Two short words in the place of a long one, of which engine native takes the first as a double of all bits.
      "program packable 316580125385\nrun count 66\nlook\n"};
  for (const HistoryPair& pair : pairs_that([](const HistoryPair&) { return true; })) {
    for (const std::string& commands : known) {
      const std::string text = "engine " + pair.name + "\n" + commands;
      Histories histories({pair});
      const auto differs = histories.run(selftest::parse_history(text, "known"));
      EXPECT_FALSE(differs) << text << text_of(differs->difference);
    }
  }
}

// Of some of these runs the end overflows, after the body has left words that nothing else uses.
TEST(KnownHistories, OfRunsWhoseEndOverflowsShowNoDifference) {
  for (const HistoryPair& pair : pairs_that(is_compiled_simd)) {
    std::string text = "engine " + pair.name + "\nprogram small ending\nparticles pes 3\n";
    for (unsigned seed = 1; seed <= 60; ++seed) {
      text += "run pes 3 count 48 wild seed " + std::to_string(seed) + "\nlook\n";
    }
    Histories histories({pair});
    const auto differs = histories.run(selftest::parse_history(text, "known"));
    EXPECT_FALSE(differs) << text_of(differs->difference);
  }
}

// Its short words hold more than the 36 bits that a state has, which a session sets as a whole.
TEST(KnownHistories, OfWordsWrittenToSessionsOfEngineNativeShowNoDifference) {
  const auto is_native = [](const HistoryPair& pair) { return pair.name.starts_with("native"); };
  for (const HistoryPair& pair : pairs_that(is_native)) {
    for (const std::string commands : {"program packable 316580156597\nrun count 2\nword\nrun count 2\nlook\n",
                                       "program dgemm_double\nword\nrun count 32 goes_on\nword\nrun continues\n"}) {
      const std::string text = "engine " + pair.name + "\nface session\n" + commands;
      Histories histories({pair});
      const auto differs = histories.run(selftest::parse_history(text, "known"));
      EXPECT_FALSE(differs) << text << text_of(differs->difference);
    }
  }
}

TEST(KnownHistories, OfPesThatAreLiveAgainAreNoDivergence) {
  for (const HistoryPair& pair : pairs_that([](const HistoryPair& one) { return one.name == "lockstep"; })) {
    for (const std::string face : {"chip", "session"}) {
      const std::string text = "engine lockstep\nface " + face + "\nprogram nearest\nrun count 1\nrun pes 2\n";
      Histories histories({pair});
      const auto differs = histories.run(selftest::parse_history(text, "known"));
      EXPECT_FALSE(differs) << text << text_of(differs->difference);
    }
  }
}

/// 10^5 histories, in shares that run side by side.
class NightlyHistories : public testing::TestWithParam<std::uint64_t> {};
TEST_P(NightlyHistories, AreThoseOfTheReferenceEngine) {
  const std::uint64_t first = 1'000'000 + GetParam() * 10'000;
  run([](const HistoryPair&) { return true; }, FaceKind::chip, first, 6'000);
  run([](const HistoryPair&) { return true; }, FaceKind::session, first + 6'000, 4'000);
}
INSTANTIATE_TEST_SUITE_P(Shares, NightlyHistories, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace gdr::tests
