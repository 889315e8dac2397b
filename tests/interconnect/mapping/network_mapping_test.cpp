// Task mapping on any network: never worse than natural order, and as good as trying all on small networks.
#include "gdr/interconnect/network_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/interconnect/platform.h"
#include "random_traffic.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kCable{1e9, 1e-6};

/// A halo exchange on a periodic square.
TaskGraph periodic_halo(TaskId side) {
  std::vector<Transfer> transfers;
  for (TaskId y = 0; y < side; ++y) {
    for (TaskId x = 0; x < side; ++x) {
      const TaskId task = y * side + x;
      for (const TaskId other : {y * side + (x + 1) % side, y * side + (x + side - 1) % side, (y + 1) % side * side + x,
                                 (y + side - 1) % side * side + x}) {
        transfers.push_back({task, other, 1000});
      }
    }
  }
  return {side * side, transfers};
}

RefineOptions searching_for(MappingObjective objective, double effort = 1) {
  return {.objective = objective, .effort = effort};
}

TEST(NetworkMapping, IsNeverWorseThanNaturalOrder) {
  const std::vector<Topology> networks{fat_tree({4, 4, 2, 1, kCable, FatTreeRouting::destination}),
                                       dragonfly({4, 2, 2, kCable, kCable, kCable}),
                                       torus({2, 2, 2, 2}, kCable),
                                       torus({4, 4}, kCable),
                                       optical_hub(16, kCable),
                                       infiniband_flat(16, kCable)};
  for (const Topology& topology : networks) {
    for (const std::uint32_t per_node : {1U, 4U}) {
      const TaskGraph graph = per_node == 1 ? periodic_halo(4) : periodic_halo(8);
      const NetworkMappingCost natural =
          network_mapping_cost(graph, topology, network_mapping_in_order(graph, topology, per_node));
      for (const auto objective : {MappingObjective::cost, MappingObjective::link}) {
        const NetworkMapping found = map_on_network(graph, topology, per_node, searching_for(objective, 0.05));
        std::vector<std::uint32_t> used(topology.nodes());
        for (const NodeId node : found.node_of) EXPECT_LE(++used.at(node), per_node);
        const NetworkMappingCost cost = network_mapping_cost(graph, topology, found);
        if (objective == MappingObjective::cost) {
          EXPECT_LE(cost.hop_bytes, natural.hop_bytes) << topology.name();
        }
        EXPECT_LE(cost.busiest_seconds, natural.busiest_seconds) << topology.name() << " " << per_node;
        EXPECT_EQ(map_on_network(graph, topology, per_node, searching_for(objective, 0.05)).node_of, found.node_of);
      }
    }
  }
}

TEST(NetworkMapping, FewHopsThatCrowdALinkAreNoGain) {
  // Rings and halos whose mapping of fewest hops has a busier link than natural order.
  std::vector<Transfer> ring;
  constexpr TaskId kTasks = 64;
  for (TaskId task = 0; task < kTasks; ++task) ring.push_back({task, (task + 1) % kTasks, 1000});
  for (const TaskGraph& graph : {TaskGraph(kTasks, ring), periodic_halo(8)}) {
    for (const auto& [topology, per_node] :
         {std::pair(torus({4, 4, 2, 2}, kCable), 1U), std::pair(torus({2, 2, 2, 2, 2, 2}, kCable), 1U),
          std::pair(mesh({4, 4, 4}, kCable), 1U), std::pair(torus({4, 4}, kCable), 4U)}) {
      const NetworkMappingCost natural =
          network_mapping_cost(graph, topology, network_mapping_in_order(graph, topology, per_node));
      for (const double effort : {0.0, 0.1, 1.0}) {
        const NetworkMappingCost cost = network_mapping_cost(
            graph, topology, map_on_network(graph, topology, per_node, searching_for(MappingObjective::cost, effort)));
        EXPECT_LE(cost.hop_bytes, natural.hop_bytes) << topology.name();
        EXPECT_LE(cost.busiest_seconds, natural.busiest_seconds) << topology.name();
      }
    }
  }
}

TEST(NetworkMapping, SquaresOfAHaloShareANode) {
  // 64 tasks on 16 nodes of four: 2 x 2 squares keep half of the traffic inside, rows of four a quarter.
  const Topology tree = fat_tree({4, 4, 2, 1, kCable, FatTreeRouting::destination});
  const TaskGraph graph = periodic_halo(8);
  const NetworkMappingCost natural = network_mapping_cost(graph, tree, network_mapping_in_order(graph, tree, 4));
  const NetworkMappingCost found =
      network_mapping_cost(graph, tree, map_on_network(graph, tree, 4, searching_for(MappingObjective::cost)));
  EXPECT_EQ(natural.inside, 64U * 6 / 4 * 1000);
  EXPECT_EQ(found.inside, 64U * 2 * 1000);
}

TEST(NetworkMapping, SmallCasesAreAsGoodAsTryingAll) {
  unsigned cases = 0;
  unsigned best_costs = 0;
  unsigned best_links = 0;
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const TaskGraph graph = random_traffic(7, 14, seed);
    for (const Topology& topology : {fat_tree({2, 4, 2, 1, kCable, FatTreeRouting::destination}),
                                     dragonfly({2, 2, 2, kCable, kCable, kCable}), torus({2, 2, 2}, kCable)}) {
      NetworkMapping mapping{std::vector<NodeId>(8)};
      std::iota(mapping.node_of.begin(), mapping.node_of.end(), 0);
      double least_hops = 1e300;
      double least_seconds = 1e300;
      std::vector<NodeId> all = mapping.node_of;
      do {
        const NetworkMappingCost cost =
            network_mapping_cost(graph, topology, {std::vector<NodeId>(all.begin(), all.begin() + 7)});
        least_hops = std::min(least_hops, cost.hop_bytes);
        least_seconds = std::min(least_seconds, cost.busiest_seconds);
      } while (std::ranges::next_permutation(all).found);
      ++cases;
      const auto found = [&](MappingObjective objective) {
        return network_mapping_cost(graph, topology, map_on_network(graph, topology, 1, searching_for(objective)));
      };
      best_costs += found(MappingObjective::cost).hop_bytes <= least_hops ? 1 : 0;
      const double seconds = found(MappingObjective::link).busiest_seconds;
      best_links += seconds <= least_seconds * (1 + 1e-12) ? 1 : 0;
      EXPECT_LE(seconds, 1.1 * least_seconds);
    }
  }
  // As for grids: the bar is 55 of 60.
  EXPECT_GE(60 * best_costs, 55 * cases);
  EXPECT_GE(60 * best_links, 55 * cases);
}

TEST(NetworkMapping, WhatDoesNotFitIsRefused) {
  const Topology hub = optical_hub(4, kCable);
  EXPECT_THROW(static_cast<void>(map_on_network(periodic_halo(4), hub, 3)), Error);
  EXPECT_THROW(static_cast<void>(map_on_network(periodic_halo(4), hub, 0)), Error);
  EXPECT_THROW(static_cast<void>(network_mapping_cost(periodic_halo(2), hub, {{0, 1, 2}})), Error);
  EXPECT_THROW(static_cast<void>(network_mapping_cost(periodic_halo(2), hub, {{0, 1, 2, 4}})), Error);
}

TEST(NetworkMapping, TakesGridsOfFourAxesOfThousandsOfNodes) {
  const Topology network = torus({9, 8, 8, 4}, kCable);
  const TaskGraph graph = periodic_halo(48);
  NetworkMapping natural{std::vector<NodeId>(graph.tasks())};
  std::iota(natural.node_of.begin(), natural.node_of.end(), 0);
  const NetworkMapping found = map_on_network(graph, network, 1, searching_for(MappingObjective::cost, 0));
  EXPECT_LE(network_mapping_cost(graph, network, found).hop_bytes,
            network_mapping_cost(graph, network, natural).hop_bytes);
  EXPECT_THROW(static_cast<void>(map_on_network(graph, torus({16, 16, 16, 4}, kCable), 1)), Error);
}

}  // namespace
}  // namespace gdr::interconnect
