// Collectives on the hub: the gain of relays, and where it begins.
#include "gdr/interconnect/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/hub_cost.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kWavelength{3.125e9, 0};

double lockstep(const Schedule& schedule, const Topology& topology) {
  return run_closed_form(schedule, topology).lockstep_seconds;
}

TEST(Collectives, RelaysMultiplyTheBandwidthOfTheHubByHalfItsNodes) {
  // Urino 2020, section 2.3: a message in N parts takes two steps of 1 / N each.
  for (const Rank nodes : {4U, 16U, 64U}) {
    const Topology hub = optical_hub(nodes, kWavelength);
    constexpr std::uint64_t kBytes = 64 * 1024;
    for (const auto make : {make_broadcast, make_send, make_reduce, make_allreduce}) {
      const double gain =
          lockstep(make(nodes, kBytes, Path::direct), hub) / lockstep(make(nodes, kBytes, Path::multipath), hub);
      EXPECT_NEAR(gain, nodes / 2.0, 1e-9) << make(nodes, kBytes, Path::direct).name << " " << nodes;
    }
  }
}

/// Which ranks' data each rank has after all steps, if every message carries all that its sender had before the step.
std::vector<std::set<Rank>> known_after(const Schedule& schedule) {
  std::vector<std::set<Rank>> known(schedule.ranks.size());
  std::size_t steps = 0;
  for (Rank rank = 0; rank < known.size(); ++rank) {
    known[rank].insert(rank);
    steps = std::max(steps, schedule.ranks[rank].size());
  }
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<std::set<Rank>> before = known;
    for (Rank rank = 0; rank < known.size(); ++rank) {
      if (step >= schedule.ranks[rank].size()) continue;
      for (const Message& message : schedule.ranks[rank][step].sends)
        known[message.peer].insert(before[rank].begin(), before[rank].end());
    }
  }
  return known;
}

TEST(Collectives, DoublingBringsTheDataOfAllToAll) {
  for (Rank nodes = 1; nodes <= 33; ++nodes) {
    const Schedule schedule = make_doubling_allreduce(nodes, 8);
    check(schedule);
    for (const std::set<Rank>& known : known_after(schedule)) EXPECT_EQ(known.size(), nodes) << nodes;
    EXPECT_LE(schedule.ranks[0].size(), static_cast<std::size_t>(std::bit_width(nodes - 1)) + 2) << nodes;
  }
}

TEST(Collectives, AnAllreduceOnSubClustersCostsNothingOnOneNodeAndGrows) {
  double last = -1;
  for (const Rank nodes : {1U, 2U, 16U, 32U, 64U}) {
    const Platform platform = load_platform("ha-pacs-tca", {.nodes = nodes, .routing = {}, .tie = {}, .file = {}});
    const double seconds = lockstep(make_doubling_allreduce(nodes, 8), platform.topology);
    if (nodes == 1) {
      EXPECT_EQ(seconds, 0);
    }
    EXPECT_GT(seconds, last) << nodes;
    last = seconds;
  }
}

TEST(Collectives, AnAllToAllIsPostedOrPairwise) {
  EXPECT_EQ(traffic(make_alltoall(8, 10, AllgatherOrder::posted)).bytes, 8U * 7 * 10);
  EXPECT_EQ(make_alltoall(8, 10, AllgatherOrder::pairwise).ranks[0].size(), 7U);
  EXPECT_THROW(static_cast<void>(make_alltoall(8, 10, AllgatherOrder::bruck)), Error);
}

TEST(Collectives, ShortMessagesGoDirectly) {
  const Topology hub = optical_hub(64, {3.125e9, 100e-9});  // Urino 2020, table 6
  const auto gains = [&](std::uint64_t bytes) {
    return lockstep(make_broadcast(64, bytes, Path::multipath), hub) <
           lockstep(make_broadcast(64, bytes, Path::direct), hub);
  };
  EXPECT_FALSE(gains(256));
  EXPECT_TRUE(gains(512));  // Urino 2020, section 4.3
}

TEST(Collectives, EveryRankReceivesWhatTheOthersSend) {
  for (const AllgatherOrder order :
       {AllgatherOrder::posted, AllgatherOrder::pairwise, AllgatherOrder::ring, AllgatherOrder::bruck}) {
    const Schedule schedule = make_allgather(5, 100, order);
    EXPECT_NO_THROW(check(schedule));
    for (const auto& steps : schedule.ranks) {
      std::uint64_t received = 0;
      for (const Step& step : steps) {
        for (const Message& message : step.receives) received += message.bytes;
      }
      EXPECT_EQ(received, 400);
    }
  }
}

TEST(Collectives, TreesAndBruckTakeAsManyStepsAsNodesHaveBits) {
  constexpr Cable kCable{1e9, 0};
  constexpr std::uint64_t kBytes = 1000000;
  for (const auto& [nodes, steps] : {std::pair<Rank, Rank>{2, 1}, {5, 3}, {8, 3}, {9, 4}}) {
    const Schedule tree = make_tree_broadcast(nodes, kBytes);
    EXPECT_EQ(traffic(tree).messages, nodes - 1);
    EXPECT_DOUBLE_EQ(run_closed_form(tree, infiniband_flat(nodes, kCable)).lockstep_seconds, 1e-3 * steps);
    const Schedule bruck = make_allgather(nodes, kBytes, AllgatherOrder::bruck);
    EXPECT_EQ(traffic(bruck).messages, nodes * steps);
    // A node's cable brings what all others have, whatever the number of steps.
    EXPECT_DOUBLE_EQ(run_closed_form(bruck, infiniband_flat(nodes, kCable)).lockstep_seconds, 1e-3 * (nodes - 1));
  }
}

TEST(Collectives, NumbersOfNodesOutOfRangeAreRefused) {
  EXPECT_THROW(static_cast<void>(make_broadcast(1, 8, Path::direct)), Error);
  EXPECT_THROW(static_cast<void>(make_allgather(5000, 8, AllgatherOrder::ring)), Error);
}

TEST(HubCost, TotalsAreThoseOfTheTablesLines) {
  const HubCost one = hub_cost(load_network("optical-hub-cost-1d", "optical-hub-cost"));
  EXPECT_EQ(one.total, 142080);          // Urino 2020, table A.1
  EXPECT_EQ(one.bandwidth_gbps, 25600);  // table 9
  const HubCost two = hub_cost(load_network("optical-hub-cost-2d", "optical-hub-cost"));
  EXPECT_EQ(two.total, 812352);         // the subtotals of table A.2; its printed total lacks half of the gratings
  EXPECT_EQ(two.lines[3].count, 1024);  // gratings of the routers
  EXPECT_EQ(two.bandwidth_gbps, 204800);
}

}  // namespace
}  // namespace gdr::interconnect
