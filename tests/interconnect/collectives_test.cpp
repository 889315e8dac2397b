// Collectives on the hub: the gain of relays, and where it begins.
#include "gdr/interconnect/collectives.h"

#include <fmt/format.h>
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

TEST(Collectives, AnAllToAllIsPostedPairwiseOrBruckS) {
  EXPECT_EQ(traffic(make_alltoall(8, 10, AllgatherOrder::posted)).bytes, 8U * 7 * 10);
  EXPECT_EQ(make_alltoall(8, 10, AllgatherOrder::pairwise).ranks[0].size(), 7U);
  EXPECT_EQ(make_alltoall(8, 10, AllgatherOrder::bruck).ranks[0].size(), 3U);
  EXPECT_EQ(traffic(make_alltoall(8, 10, AllgatherOrder::bruck)).bytes, 8U * 3 * 4 * 10);
  EXPECT_THROW(static_cast<void>(make_alltoall(8, 10, AllgatherOrder::ring)), Error);
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
  EXPECT_THROW(static_cast<void>(make_broadcast(0, 8, Path::direct)), Error);
  EXPECT_THROW(static_cast<void>(make_send(1, 8, Path::direct)), Error);
  EXPECT_THROW(static_cast<void>(make_allgather(5000, 8, AllgatherOrder::ring)), Error);
  EXPECT_EQ(traffic(make_allgather(5000, 8, AllgatherOrder::bruck)).messages, 5000U * 13);
  EXPECT_THROW(static_cast<void>(make_allgather(12, 8, AllgatherOrder::doubling)), Error);
  const Collective levels{CollectiveOperation::allgather, CollectiveAlgorithm::levels, 8, 5};
  EXPECT_THROW(static_cast<void>(make_collective(levels, 12)), Error);
}

constexpr CollectiveOperation kOperations[] = {CollectiveOperation::allgather, CollectiveOperation::allreduce,
                                               CollectiveOperation::alltoall, CollectiveOperation::broadcast};

/// All algorithms that fit so many nodes.
std::vector<Collective> collectives(Rank nodes, std::uint64_t bytes) {
  std::vector<Collective> all;
  for (const CollectiveOperation operation : kOperations) {
    for (const CollectiveAlgorithm algorithm : algorithms_of(operation)) {
      const bool needs_power =
          algorithm == CollectiveAlgorithm::scatter_doubling ||
          (operation == CollectiveOperation::allgather && algorithm == CollectiveAlgorithm::doubling);
      if (needs_power && !std::has_single_bit(nodes)) continue;
      all.push_back(
          {operation, algorithm, bytes, algorithm == CollectiveAlgorithm::levels ? (nodes % 3 == 0 ? 3U : 1U) : 0U});
    }
  }
  return all;
}

TEST(Collectives, ClosedFormsWithoutTheScheduleAreThoseOfTheSchedule) {
  for (const Rank nodes : {1U, 2U, 6U, 8U, 12U}) {
    const std::vector<Topology> networks{infiniband_flat(nodes, {1e9, 1e-6}), torus({nodes}, {1e9, 1e-6}),
                                         torus_by_both_ways({nodes}, {1e9, 1e-6})};
    for (const std::uint64_t bytes : {8U, 1000U, 100000U}) {
      for (const Collective& collective : collectives(nodes, bytes)) {
        const Schedule schedule = make_collective(collective, nodes);
        check(schedule);
        for (const Topology& network : networks) {
          const CollectiveClosedForm form = collective_closed_form(collective, network, 1e9);
          const ClosedForm expected = run_closed_form(schedule, network, 1e9);
          const Traffic sent = traffic(schedule);
          const std::string what =
              fmt::format("{} {} of {} on {}", schedule.name, name_of(collective.algorithm), bytes, network.name());
          EXPECT_NEAR(form.times.lockstep_seconds, expected.lockstep_seconds, 1e-12 * expected.lockstep_seconds)
              << what;
          EXPECT_DOUBLE_EQ(form.times.link_bound_seconds, expected.link_bound_seconds) << what;
          EXPECT_EQ(form.traffic.messages, sent.messages) << what;
          EXPECT_EQ(form.traffic.bytes, sent.bytes) << what;
          EXPECT_DOUBLE_EQ(form.traffic.flops, sent.flops) << what;
        }
      }
    }
  }
}

TEST(Collectives, EveryAlgorithmBringsTheDataToAllWhoNeedThem) {
  for (Rank nodes = 1; nodes <= 33; ++nodes) {
    for (const Collective& collective : collectives(nodes, 4096)) {
      const Schedule schedule = make_collective(collective, nodes);
      const std::vector<std::set<Rank>> known = known_after(schedule);
      for (Rank rank = 0; rank < nodes; ++rank) {
        const std::string what =
            fmt::format("{} {} rank {} of {}", schedule.name, name_of(collective.algorithm), rank, nodes);
        if (collective.operation == CollectiveOperation::broadcast) {
          EXPECT_TRUE(known[rank].contains(0)) << what;
        } else {
          EXPECT_EQ(known[rank].size(), nodes) << what;
        }
      }
    }
  }
}

TEST(Collectives, OneNodeSendsNothing) {
  for (const Collective& collective : collectives(1, 1000)) {
    const CollectiveClosedForm form = collective_closed_form(collective, infiniband_flat(1, {1e9, 1e-6}));
    EXPECT_EQ(form.times.lockstep_seconds, 0);
    EXPECT_EQ(form.traffic.messages, 0U);
  }
}

TEST(Collectives, TheLibraryChoosesBySizeAndByPowersOfTwo) {
  using enum CollectiveAlgorithm;
  using enum CollectiveOperation;
  const auto chosen = [](CollectiveOperation operation, Rank nodes, std::uint64_t bytes) {
    return library_algorithm(operation, nodes, bytes);
  };
  EXPECT_EQ(chosen(allgather, 64, 1279), doubling);  // 81,856 bytes in all
  EXPECT_EQ(chosen(allgather, 64, 1281), doubling);
  EXPECT_EQ(chosen(allgather, 64, 8192), ring);  // 524,288
  EXPECT_EQ(chosen(allgather, 60, 1000), bruck);
  EXPECT_EQ(chosen(allgather, 60, 1366), ring);
  EXPECT_EQ(chosen(allgather, 100000, 1), ring);
  EXPECT_EQ(chosen(allreduce, 64, 2048), doubling);
  EXPECT_EQ(chosen(allreduce, 64, 2056), halving);
  EXPECT_EQ(chosen(allreduce, 1024, 4096), doubling);  // fewer numbers than ranks
  EXPECT_EQ(chosen(alltoall, 64, 256), bruck);
  EXPECT_EQ(chosen(alltoall, 4, 256), posted);
  EXPECT_EQ(chosen(alltoall, 64, 32768), posted);
  EXPECT_EQ(chosen(alltoall, 64, 32769), pairwise);
  EXPECT_EQ(chosen(broadcast, 64, 12287), tree);
  EXPECT_EQ(chosen(broadcast, 7, 1000000), tree);
  EXPECT_EQ(chosen(broadcast, 64, 12288), scatter_doubling);
  EXPECT_EQ(chosen(broadcast, 60, 12288), scatter_ring);
  EXPECT_EQ(chosen(broadcast, 64, 524288), scatter_ring);
}

TEST(Collectives, HalvingSendsTwiceTheBytesOfARankOnceInsteadOfForEachBit) {
  const Collective halving{CollectiveOperation::allreduce, CollectiveAlgorithm::halving, 64000};
  EXPECT_EQ(traffic(make_collective(halving, 64)).bytes, 64U * 2 * 63 * 1000);
}

TEST(Collectives, AnAllGatherByLevelsSendsLessBetweenSubClusters) {
  const Platform platform = load_platform("ha-pacs-tca", {.nodes = 64, .routing = {}, .tie = {}, .file = {}});
  EXPECT_EQ(platform.nodes_together, 16U);
  constexpr std::uint64_t kBytes = 65536;
  const auto form = [&](CollectiveAlgorithm algorithm) {
    return collective_closed_form({CollectiveOperation::allgather, algorithm, kBytes, platform.nodes_together},
                                  platform.topology);
  };
  const CollectiveClosedForm levels = form(CollectiveAlgorithm::levels);
  EXPECT_EQ(levels.traffic.bytes, 64U * 63 * kBytes);
  EXPECT_LT(levels.times.lockstep_seconds, form(CollectiveAlgorithm::doubling).times.lockstep_seconds);
  EXPECT_LT(levels.times.lockstep_seconds, form(CollectiveAlgorithm::ring).times.lockstep_seconds);
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
