// Simulated times against closed forms and scaling laws. Each simulation is a process of its own.
#include "gdr/interconnect/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kSimulatedCable{1e9, 1e-6};

/// All pairs, `step` by `step`: in step s rank r sends to r + s + 1.
Schedule shifts(Rank ranks, std::uint64_t bytes) {
  Schedule schedule{"shifts", std::vector<std::vector<Step>>(ranks)};
  for (Rank step = 0; step + 1 < ranks; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank) add_message(schedule, step, rank, (rank + step + 1) % ranks, bytes, step);
  }
  return schedule;
}

/// Messages between random ranks in random steps of `steps`.
Schedule random_messages(Rank ranks, std::size_t steps, std::size_t messages, unsigned seed) {
  std::mt19937 random(seed);
  Schedule schedule{"random", std::vector<std::vector<Step>>(ranks, std::vector<Step>(steps))};
  for (std::size_t i = 0; i < messages; ++i) {
    const auto from = static_cast<Rank>(random() % ranks);
    const auto to = static_cast<Rank>((from + 1 + random() % (ranks - 1)) % ranks);
    add_message(schedule, random() % steps, from, to, random() % 100000, i);
  }
  return schedule;
}

class Simulated : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  }
};

TEST(SimGrid, IsThereIfItWasBuilt) {
  EXPECT_EQ(has_simgrid(), GDR_WITH_SIMGRID);
  if (has_simgrid()) return;
  try {
    static_cast<void>(run_s4u(shifts(2, 1), optical_hub(2, kSimulatedCable)));
    FAIL() << "simulated without SimGrid";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libgdr_simgrid.so"), std::string::npos) << error.what();
  }
}

TEST_F(Simulated, AMessageTakesLatencyAndBytesByBandwidth) {
  Schedule schedule{"one", std::vector<std::vector<Step>>(2)};
  add_message(schedule, 0, 0, 1, 1000000, 0);
  const SimulationResult result = run_s4u(schedule, optical_hub(2, kSimulatedCable));
  EXPECT_NEAR(result.seconds, 1e-6 + 1e-3, 1e-8);
}

TEST_F(Simulated, WithoutContentionTheClosedFormIsMet) {
  const Topology topologies[] = {optical_hub(7, kSimulatedCable), optical_hub(7, {3e9, 0}),
                                 infiniband_flat(7, kSimulatedCable)};
  for (const Topology& topology : topologies) {
    const Schedule schedule = shifts(7, 123456);
    EXPECT_NEAR(run_s4u(schedule, topology).seconds / run_closed_form(schedule, topology).lockstep_seconds, 1, 1e-3)
        << topology.name();
  }
}

TEST_F(Simulated, EqualFlowsShareALinkEqually) {
  Schedule schedule{"fan in", std::vector<std::vector<Step>>(5)};
  for (Rank rank = 0; rank < 4; ++rank) add_message(schedule, 0, rank, 4, 250000, 0);
  const Topology flat = infiniband_flat(5, kSimulatedCable);
  EXPECT_NEAR(run_s4u(schedule, flat).seconds, 2e-6 + 1e-3, 1e-6);
}

TEST_F(Simulated, NoScheduleBeatsItsBusiestLink) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Schedule schedule = random_messages(16, 4, 200, seed);
    const Topology topology = torus({4, 4}, kSimulatedCable);
    EXPECT_GE(run_s4u(schedule, topology).seconds, run_closed_form(schedule, topology).link_bound_seconds * (1 - 1e-9));
  }
}

TEST_F(Simulated, TwiceTheBandwidthAndHalfTheLatencyIsHalfTheTime) {
  for (const FlowModel model : {FlowModel::cm02, FlowModel::lv08, FlowModel::smpi}) {
    const Schedule schedule = random_messages(16, 3, 150, 7);
    SimulationOptions options;
    options.model = model;
    const double slow = run_s4u(schedule, torus({4, 4}, {1e9, 2e-6}), options).seconds;
    const double fast = run_s4u(schedule, torus({4, 4}, {2e9, 1e-6}), options).seconds;
    EXPECT_NEAR(slow / fast, 2, 1e-12);
  }
}

TEST_F(Simulated, TheSameScheduleTakesTheSameTime) {
  const Schedule schedule = random_messages(16, 4, 300, 11);
  const Topology topology = torus({4, 4}, kSimulatedCable);
  EXPECT_EQ(run_s4u(schedule, topology).rank_seconds, run_s4u(schedule, topology).rank_seconds);
}

TEST_F(Simulated, ArithmeticFollowsTheMessagesOfItsStep) {
  Schedule schedule{"compute", std::vector<std::vector<Step>>(2)};
  add_message(schedule, 0, 0, 1, 1000000, 0);
  schedule.ranks[1][0].flops = 3e9;
  SimulationOptions options;
  options.flops_per_second = 1e12;
  const SimulationResult result = run_s4u(schedule, optical_hub(2, kSimulatedCable), options);
  EXPECT_NEAR(result.rank_seconds[0], 1.001e-3, 1e-8);
  EXPECT_NEAR(result.rank_seconds[1], 4.001e-3, 1e-8);
  EXPECT_NEAR(run_s4u(schedule, optical_hub(2, kSimulatedCable)).seconds, 1.001e-3, 1e-8);
}

TEST_F(Simulated, ACapHoldsAFlowAloneAndNotTwoTogether) {
  SimulationOptions options;
  options.factors = {.classes = {{0, 1, 0.8}}};
  Schedule alone{"alone", std::vector<std::vector<Step>>(2)};
  add_message(alone, 0, 0, 1, 1000000, 0);
  Schedule together = alone;
  add_message(together, 0, 0, 1, 1000000, 1);
  const Topology hub = optical_hub(2, {1e9, 0});
  EXPECT_NEAR(run_s4u(alone, hub, options).seconds, 1.25e-3, 1e-8);
  EXPECT_NEAR(run_s4u(together, hub, options).seconds, 2e-3, 1e-8);
}

TEST_F(Simulated, ACapHoldsEachOfTheFlowsThatShareALink) {
  constexpr std::uint64_t kBytes = 1000000;
  SimulationOptions options;
  options.factors = {.classes = {{0, 1, 0.25}}};
  for (const Rank senders : {1U, 3U, 5U}) {
    for (const std::uint64_t each : {1U, 2U}) {
      Schedule schedule{"to rank 0", std::vector<std::vector<Step>>(1 + senders)};
      for (Rank rank = 1; rank <= senders; ++rank) {
        for (std::uint64_t piece = 0; piece < each; ++piece)
          add_message(schedule, 0, rank, 0, kBytes, 10 * rank + piece);
      }
      // A message has a quarter of the link or, if there are more than four, less.
      const double flows = std::max(4.0, static_cast<double>(senders * each));
      EXPECT_NEAR(run_s4u(schedule, infiniband_flat(1 + senders, {1e9, 1e-6}), options).seconds, 2e-6 + flows * 1e-3,
                  1e-7)
          << senders << " x " << each;
    }
  }
}

/// Two equal messages from rank 0 to rank 2, and one from rank 1 to rank 2, all in one step. `more` bytes make one of
/// the equal messages longer.
Schedule two_and_one(std::uint64_t more) {
  constexpr std::uint64_t kBytes = 1000000;
  Schedule schedule{"two and one", std::vector<std::vector<Step>>(3)};
  add_message(schedule, 0, 0, 2, kBytes, 0);
  add_message(schedule, 0, 0, 2, kBytes + more, 1);
  add_message(schedule, 0, 1, 2, kBytes, 2);
  return schedule;
}

TEST_F(Simulated, EqualMessagesBetweenTwoRanksHaveAShareEach) {
  // The link into rank 2 serves three flows at a third of its rate each.
  const SimulationResult result = run_s4u(two_and_one(0), infiniband_flat(3, kSimulatedCable));
  for (const double seconds : result.rank_seconds) EXPECT_NEAR(seconds, 2e-6 + 3e-3, 1e-6);
}

TEST_F(Simulated, EqualMessagesTakeTheTimesOfMessagesThatDifferByAByte) {
  SimulationOptions capped;
  capped.factors = {.classes = {{0, 2, 0.25}}, .weight_s = 2000};
  for (const Topology& topology : {infiniband_flat(3, kSimulatedCable), infiniband_flat(3, {1e9, 0})}) {
    for (const SimulationOptions& options : {SimulationOptions{}, SimulationOptions{.model = FlowModel::lv08},
                                             SimulationOptions{.model = FlowModel::smpi}, capped}) {
      const std::vector<double> equal = run_s4u(two_and_one(0), topology, options).rank_seconds;
      const std::vector<double> differing = run_s4u(two_and_one(1), topology, options).rank_seconds;
      for (Rank rank = 0; rank < 3; ++rank) EXPECT_NEAR(equal[rank] / differing[rank], 1, 1e-5) << rank;
    }
  }
}

TEST_F(Simulated, EqualMessagesThatAreReceivedInTwoStepsTravelOneAfterTheOther) {
  Schedule schedule{"two steps", std::vector<std::vector<Step>>(2)};
  schedule.ranks[0].push_back({{{1, 1000000, 0}, {1, 1000000, 1}}, {}});
  for (std::uint64_t piece = 0; piece < 2; ++piece) schedule.ranks[1].push_back({{}, {{0, 1000000, piece}}});
  EXPECT_NEAR(run_s4u(schedule, optical_hub(2, kSimulatedCable)).seconds, 2 * (1e-6 + 1e-3), 1e-8);
}

TEST_F(Simulated, OfEqualMessagesThoseThatAreReceivedTogetherTravelTogether) {
  Schedule schedule{"two and one more", std::vector<std::vector<Step>>(2)};
  schedule.ranks[0].push_back({{{1, 1000000, 0}, {1, 1000000, 1}, {1, 1000000, 2}}, {}});
  schedule.ranks[1].push_back({{}, {{0, 1000000, 0}, {0, 1000000, 1}}});
  schedule.ranks[1].push_back({{}, {{0, 1000000, 2}}});
  EXPECT_NEAR(run_s4u(schedule, optical_hub(2, kSimulatedCable)).seconds, 2 * 1e-6 + 3e-3, 1e-8);
}

TEST_F(Simulated, FactorsGoByTheSizeOfAMessage) {
  SimulationOptions options;
  options.factors = {.classes = {{0, 2, 0}, {1000, 10, 0.5}}};
  const Topology hub = optical_hub(2, kSimulatedCable);
  const auto seconds = [&](std::uint64_t bytes) {
    Schedule schedule{"one", std::vector<std::vector<Step>>(2)};
    add_message(schedule, 0, 0, 1, bytes, 0);
    return run_s4u(schedule, hub, options).seconds;
  };
  EXPECT_NEAR(seconds(999), 2e-6 + 999e-9, 1e-11);
  EXPECT_NEAR(seconds(1000), 10e-6 + 2000e-9, 1e-11);
  // Two sizes between the same two nodes at once: each has its own.
  Schedule both{"both", std::vector<std::vector<Step>>(2)};
  add_message(both, 0, 0, 1, 999, 0);
  add_message(both, 1, 0, 1, 1000, 1);
  EXPECT_NEAR(run_s4u(both, hub, options).seconds, seconds(999) + seconds(1000), 1e-11);
}

TEST_F(Simulated, AWeightSharesALinkByTheLinksOnTheWay) {
  // Two flows over one link; one passes another link of the same kind before it, so it has twice the weight on its way.
  SimulationOptions options;
  options.factors.weight_s = 1e9;
  const Topology line = mesh({3}, {1e9, 1e-12});
  Schedule schedule{"line", std::vector<std::vector<Step>>(3)};
  add_message(schedule, 0, 0, 2, 1000000, 0);
  add_message(schedule, 0, 1, 2, 1000000, 1);
  const SimulationResult result = run_s4u(schedule, line, options);
  EXPECT_NEAR(result.rank_seconds[1], 1.5e-3, 1e-6);  // two thirds of the link
  EXPECT_NEAR(result.seconds, 2e-3, 1e-6);
}

TEST_F(Simulated, FactorsHalveWithTheNetworksTimes) {
  for (const NodeId side : {4U, 6U}) {
    const Schedule schedule = random_messages(side * side, 3, 150, 7);
    SimulationOptions options;
    options.factors = load_flow_factors("smpi-factors");
    const auto seconds = [&](Cable cable) {
      return run_s4u(schedule, torus_by_shortest_paths({side, side}, cable), options).seconds;
    };
    EXPECT_NEAR(seconds({1e9, 2e-6}) / seconds({2e9, 1e-6}), 2, 1e-12);
  }
}

/// Schedules of all kinds with the platforms they run on, messages from 4 KiB on: SMPI adds an envelope to each.
struct Case {
  Schedule schedule;
  Topology topology;
};
std::vector<Case> cases() {
  const Topology hub = optical_hub(16, kSimulatedCable);
  const Topology square = torus({4, 4}, kSimulatedCable);
  std::vector<Case> all{{make_broadcast(16, 1 << 20, Path::direct), hub},
                        {make_broadcast(16, 1 << 20, Path::multipath), square},
                        {make_allgather(16, 1 << 16, AllgatherOrder::ring), square},
                        {make_allgather(16, 4096, AllgatherOrder::pairwise), square},
                        {make_allreduce(16, 1 << 16, Path::multipath), infiniband_flat(16, kSimulatedCable)},
                        {random_messages(16, 4, 300, 5), square}};
  for (const SummaAlgorithm algorithm :
       {SummaAlgorithm::ca0, SummaAlgorithm::ca1, SummaAlgorithm::ca2, SummaAlgorithm::ca3, SummaAlgorithm::ca4}) {
    all.push_back({make_summa({.nodes = 16, .n = 256, .algorithm = algorithm}).schedule, hub});
    all.push_back({make_summa({.nodes = 16, .n = 256, .algorithm = algorithm}).schedule, square});
  }
  return all;
}

TEST_F(Simulated, MpiCallsOnSmpiTakeTheTimesOfS4u) {
  for (const FlowModel model : {FlowModel::cm02, FlowModel::smpi}) {
    SimulationOptions options;
    options.model = model;
    if (model == FlowModel::cm02) options.factors = {.classes = {{0, 3, 0.9}}, .weight_s = 8775};
    options.flops_per_second = 1e11;
    for (const auto& [schedule, topology] : cases()) {
      EXPECT_NEAR(run_smpi(schedule, topology, options).seconds / run_s4u(schedule, topology, options).seconds, 1, 0.02)
          << schedule.name << " on " << topology.name();
    }
  }
}

TEST_F(Simulated, AMessageOnSmpiHasAnEnvelopeOf16Bytes) {
  Schedule schedule{"one", std::vector<std::vector<Step>>(2)};
  add_message(schedule, 0, 0, 1, 1000, 0);
  EXPECT_NEAR(run_smpi(schedule, optical_hub(2, {1e9, 0})).seconds, 1016e-9, 1e-12);
}

TEST_F(Simulated, ADeadlockOnSmpiIsToldWithItsRank) {
  Schedule schedule{"crossed", std::vector<std::vector<Step>>(2)};
  schedule.ranks[0] = {{{{1, 8, 0}}, {}, 0}, {{}, {{1, 8, 1}}, 0}};
  schedule.ranks[1] = {{{{0, 8, 1}}, {}, 0}, {{}, {{0, 8, 0}}, 0}};
  try {
    static_cast<void>(run_smpi(schedule, optical_hub(2, kSimulatedCable)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "schedule crossed: deadlock: rank 0 waits forever in step 0");
  }
}

TEST_F(Simulated, AMessageThatMpiDoesNotCountIsRefusedOnSmpi) {
  constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 31;
  Schedule schedule{"long", std::vector<std::vector<Step>>(2)};
  add_message(schedule, 0, 0, 1, kTooMuch, 0);
  EXPECT_THROW(static_cast<void>(run_smpi(schedule, optical_hub(2, kSimulatedCable))), Error);
}

TEST_F(Simulated, ADeadlockIsToldWithItsRank) {
  Schedule schedule{"crossed", std::vector<std::vector<Step>>(2)};
  schedule.ranks[0] = {{{{1, 8, 0}}, {}, 0}, {{}, {{1, 8, 1}}, 0}};
  schedule.ranks[1] = {{{{0, 8, 1}}, {}, 0}, {{}, {{0, 8, 0}}, 0}};
  try {
    static_cast<void>(run_s4u(schedule, optical_hub(2, kSimulatedCable)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "schedule crossed: deadlock: rank 0 waits forever in step 0");
  }
}

TEST_F(Simulated, OptionsOutOfRangeAreRefusedByName) {
  Schedule schedule{"one", std::vector<std::vector<Step>>(2)};
  add_message(schedule, 0, 0, 1, 1000, 0);
  const auto told = [&](const SimulationOptions& options) -> std::string {
    try {
      static_cast<void>(run_s4u(schedule, optical_hub(2, kSimulatedCable), options));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told({.factors = {.classes = {{0, 1, -1}}}}), "rate_cap: -1 is refused: it must be at least 0");
  EXPECT_EQ(told({.factors = {.classes = {{0, -1, 1}}}}), "latency factor: -1 is refused: it must be at least 0");
  EXPECT_EQ(told({.factors = {.weight_s = -1}}), "weight_s: -1 is refused: it must be at least 0");
  EXPECT_EQ(told({.model = FlowModel::lv08, .factors = {.name = "mine", .classes = {{0, 1, 1}}}}),
            "factors: mine is refused: the flow model has its own");
  EXPECT_EQ(told({.flops_per_second = -1}), "flops_per_second: -1 is refused: it must be at least 0");
  EXPECT_NE(told({.resolution = std::numeric_limits<double>::quiet_NaN()}), "");
}

TEST(ClosedForm, LoadsCountMessagesAndBytesOfEveryLinkOfARoute) {
  Schedule schedule{"two", std::vector<std::vector<Step>>(4)};
  add_message(schedule, 0, 0, 2, 100, 0);
  add_message(schedule, 1, 1, 2, 10, 0);
  const std::vector<LinkLoad> loads = link_loads(schedule, mesh({4}, kSimulatedCable));
  EXPECT_EQ(loads[0].bytes, 100);
  EXPECT_EQ(loads[2].bytes, 110);
  EXPECT_EQ(loads[2].messages, 2);
  EXPECT_EQ(loads[4].bytes, 0);
}

TEST(ClosedForm, WhatEntersANodeLeavesItOrEndsThere) {
  constexpr Rank kSide = 4;
  const Schedule schedule = random_messages(kSide * kSide, 3, 150, 3);
  const std::vector<LinkLoad> loads = link_loads(schedule, torus({kSide, kSide}, kSimulatedCable));
  for (Rank node = 0; node < kSide * kSide; ++node) {
    std::int64_t balance = 0;
    for (const Step& step : schedule.ranks[node]) {
      for (const Message& message : step.sends) balance += static_cast<std::int64_t>(message.bytes);
      for (const Message& message : step.receives) balance -= static_cast<std::int64_t>(message.bytes);
    }
    const Rank x = node % kSide;
    const Rank y = node / kSide;
    const Rank neighbours[] = {y * kSide + (x + 3) % kSide, y * kSide + (x + 1) % kSide, (y + 3) % kSide * kSide + x,
                               (y + 1) % kSide * kSide + x};
    for (std::size_t side = 0; side < 4; ++side) {
      // The link of the neighbour on the minus side of an axis that leads here is its plus link, and the other way
      // round.
      balance += static_cast<std::int64_t>(loads[neighbours[side] * 4 + side].bytes);
      balance -= static_cast<std::int64_t>(loads[node * 4 + side].bytes);
    }
    EXPECT_EQ(balance, 0) << node;
  }
}

TEST(Schedule, MessagesWithoutTheirOtherHalfAreRefused) {
  Schedule schedule{"half", std::vector<std::vector<Step>>(2)};
  schedule.ranks[0] = {{{{1, 8, 5}}, {}, 0}};
  EXPECT_THROW(check(schedule), Error);
  schedule.ranks[1] = {{{}, {{0, 9, 5}}, 0}};
  EXPECT_THROW(check(schedule), Error);
  schedule.ranks[1] = {{{}, {{0, 8, 5}}, 0}};
  EXPECT_NO_THROW(check(schedule));
  schedule.ranks[1][0].receives[0].peer = 1;
  EXPECT_THROW(check(schedule), Error);
}

}  // namespace
}  // namespace gdr::interconnect
