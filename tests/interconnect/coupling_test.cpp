// Which messages hang together by the links that they share.
#include "simulation/plugin/coupling.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kCoupled{1e9, 1e-6};
constexpr std::uint64_t kCoupledBytes = 1000;

/// In one step, every rank of a ring sends to the rank that is so many places further on.
Schedule one_shift(Rank ranks, Rank places) {
  Schedule schedule{"shift", std::vector<std::vector<Step>>(ranks)};
  for (Rank rank = 0; rank < ranks; ++rank) add_message(schedule, 0, rank, (rank + places) % ranks, kCoupledBytes, 0);
  return schedule;
}

TEST(Coupling, MessagesThatShareNoLinkDoNotHangTogether) {
  EXPECT_FALSE(do_messages_hang_together(one_shift(8, 1), torus({8}, kCoupled)));
  EXPECT_FALSE(do_messages_hang_together(one_shift(8, 3), optical_hub(8, kCoupled)));
}

TEST(Coupling, MessagesRoundARingHangTogetherThroughTheirNeighbours) {
  EXPECT_TRUE(do_messages_hang_together(one_shift(8, 2), torus({8}, kCoupled)));
}

TEST(Coupling, MessagesOfDifferentStepsDoNotMeet) {
  Schedule schedule{"one by one", std::vector<std::vector<Step>>(8)};
  for (Rank rank = 0; rank < 8; ++rank) add_message(schedule, rank, rank, (rank + 2) % 8, kCoupledBytes, 0);
  // A message hangs together with itself.
  EXPECT_TRUE(do_messages_hang_together(schedule, torus({8}, kCoupled)));
  Schedule pairs{"two by two", std::vector<std::vector<Step>>(8)};
  for (const auto& [step, from, to] : {std::tuple<std::size_t, Rank, Rank>{0, 0, 2}, {0, 4, 6}, {1, 1, 3}, {1, 5, 7}}) {
    add_message(pairs, step, from, to, kCoupledBytes, 0);
  }
  EXPECT_FALSE(do_messages_hang_together(pairs, torus({8}, kCoupled)));
}

TEST(Coupling, HalfOfThePairsAreNotMost) {
  // Two groups of equal size have half of all pairs of messages.
  Schedule halves{"halves", std::vector<std::vector<Step>>(8)};
  for (const auto& [from, to] : {std::pair<Rank, Rank>{0, 2}, {1, 3}, {4, 6}, {5, 7}}) {
    add_message(halves, 0, from, to, kCoupledBytes, 0);
  }
  EXPECT_FALSE(do_messages_hang_together(halves, mesh({8}, kCoupled)));
  add_message(halves, 0, 3, 5, kCoupledBytes, 0);  // over 3-4 and 4-5, which both groups use
  EXPECT_TRUE(do_messages_hang_together(halves, mesh({8}, kCoupled)));
}

TEST(Coupling, ASummaHangsTogetherOnATorusAndNotOnAHub) {
  constexpr Rank kNodes = 16;
  const Schedule schedule = make_summa({.nodes = kNodes, .n = 1024, .algorithm = SummaAlgorithm::ca3}).schedule;
  EXPECT_TRUE(do_messages_hang_together(schedule, torus({4, 4}, kCoupled)));
  EXPECT_FALSE(do_messages_hang_together(schedule, optical_hub(kNodes, kCoupled)));
}

TEST(Coupling, WithoutMessagesNothingHangsTogether) {
  EXPECT_FALSE(do_messages_hang_together({"empty", std::vector<std::vector<Step>>(4)}, torus({4}, kCoupled)));
}

}  // namespace
}  // namespace gdr::interconnect
