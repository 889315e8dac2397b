// Collectives on the hub: the gain of relays, and where it begins.
#include "gdr/interconnect/collectives.h"

#include <gtest/gtest.h>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/hub_cost.h"
#include "gdr/interconnect/network.h"

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
