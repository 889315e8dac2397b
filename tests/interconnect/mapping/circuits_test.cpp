// Circuits: routes, costs, bounds, and the search beside trying all.
#include "gdr/interconnect/circuits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/network_mapping.h"
#include "gdr/interconnect/platform.h"
#include "random_traffic.h"
#include "scratch_directory.h"
#include "slowed_down.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kCircuit{1e9, 1e-6};

TaskGraph shifted_ring(TaskId tasks) {
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < tasks; ++task) transfers.push_back({task, (task + 3) % tasks, 1000});
  return {tasks, transfers};
}

void expect_ports(const Circuits& circuits, std::uint32_t ports) {
  std::vector<std::uint32_t> used(circuits.nodes);
  for (const auto& [a, b] : circuits.pairs) {
    EXPECT_LT(a, b);
    EXPECT_LE(++used.at(a), ports);
    EXPECT_LE(++used.at(b), ports);
  }
}

TEST(Circuits, RoutesPassFewestCircuits) {
  // A square with a tail.
  const Circuits circuits{5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}}};
  const Topology network = circuit_network(circuits, kCircuit);
  EXPECT_EQ(network.route(0, 2).size(), 2U);
  EXPECT_EQ(network.links().name(network.route(0, 2)[0]), "0>1");  // over 1, not over 3
  EXPECT_EQ(network.route(4, 1).size(), 3U);
  const TaskGraph graph = random_traffic(5, 12, 1);
  const CircuitCost cost = circuit_cost(graph, circuits, kCircuit);
  const NetworkMappingCost routed = network_mapping_cost(graph, network, network_mapping_in_order(graph, network, 1));
  EXPECT_DOUBLE_EQ(cost.busiest_seconds, routed.busiest_seconds);
  EXPECT_DOUBLE_EQ(cost.hop_bytes, routed.hop_bytes);
  EXPECT_THROW(static_cast<void>(circuit_network({4, {{0, 1}, {2, 3}}}, kCircuit)), Error);
  EXPECT_THROW(static_cast<void>(circuit_network({2, {{0, 2}}}, kCircuit)), Error);
  EXPECT_THROW(static_cast<void>(circuit_network({2, {{0, 1}, {1, 0}}}, kCircuit)), Error);
}

TEST(Circuits, ARingInAnyOrderGetsItsOwnCircuits) {
  for (const TaskId tasks : {8U, 10U, 16U}) {
    const TaskGraph graph = shifted_ring(tasks);
    const Circuits found = find_circuits(graph, kCircuit, {.ports = 2});
    expect_ports(found, 2);
    const CircuitCost cost = circuit_cost(graph, found, kCircuit);
    EXPECT_DOUBLE_EQ(cost.busiest_seconds, 1e-6);
    EXPECT_DOUBLE_EQ(cost.hop_bytes, 1000.0 * tasks);
  }
}

TEST(Circuits, WithEnoughPortsEveryPairHasItsCircuit) {
  const TaskGraph graph = random_traffic(8, 30, 3);
  double most = 0;
  for (const Transfer& transfer : graph.transfers()) most = std::max(most, static_cast<double>(transfer.bytes));
  const Circuits found = find_circuits(graph, kCircuit, {.ports = 7});
  EXPECT_LE(circuit_cost(graph, found, kCircuit).busiest_seconds, most / kCircuit.bytes_per_second * (1 + 1e-12));
}

// Trying all without any bound, for the oracle's own sake.
CircuitCost least_of_all(const TaskGraph& graph, std::uint32_t ports) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (NodeId a = 0; a < graph.tasks(); ++a) {
    for (NodeId b = a + 1; b < graph.tasks(); ++b) pairs.emplace_back(a, b);
  }
  CircuitCost best{std::numeric_limits<double>::infinity(), 0};
  for (std::uint32_t set = 0; set < 1U << pairs.size(); ++set) {
    Circuits circuits{graph.tasks(), {}};
    std::vector<std::uint32_t> used(graph.tasks());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      circuits.pairs.push_back(pairs[i]);
      ++used[pairs[i].first];
      ++used[pairs[i].second];
    }
    if (std::ranges::max(used) > ports) continue;
    try {
      best = std::min(best, circuit_cost(graph, circuits, kCircuit));
    } catch (const Error&) {  // not joined
    }
  }
  return best;
}

TEST(Circuits, NoCircuitsAreBetterThanTheBest) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    for (const std::uint32_t ports : {2U, 3U}) {
      const TaskGraph graph = random_traffic(5, 3 + seed, seed);
      EXPECT_EQ(circuit_cost(graph, best_circuits(graph, kCircuit, ports), kCircuit), least_of_all(graph, ports))
          << "seed " << seed << ", ports " << ports;
    }
  }
}

TEST(Circuits, TheSearchEqualsTheBest) {
  struct Case {
    TaskId tasks;
    std::uint32_t ports;
    unsigned edges;
  };
  const unsigned seeds = tests::kSlowedDown ? 1 : 20;
  unsigned cases = 0;
  unsigned equal = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    for (const auto& [tasks, ports, edges] :
         {Case{8, 2, 16}, Case{8, 2, 24}, Case{7, 3, 14}, Case{9, 2, 18}, Case{8, 2, 32}}) {
      const TaskGraph graph = random_traffic(tasks, edges, seed);
      const CircuitCost best = circuit_cost(graph, best_circuits(graph, kCircuit, ports), kCircuit);
      const Circuits found = find_circuits(graph, kCircuit, {.ports = ports, .effort = 0.2});
      expect_ports(found, ports);
      const CircuitCost cost = circuit_cost(graph, found, kCircuit);
      EXPECT_GE(cost.busiest_seconds, best.busiest_seconds * (1 - 1e-12));
      EXPECT_GE(best.busiest_seconds, circuit_bound_seconds(graph, ports, kCircuit) * (1 - 1e-12));
      ++cases;
      equal += cost.busiest_seconds <= best.busiest_seconds * (1 + 1e-12) ? 1 : 0;
    }
  }
  EXPECT_GE(100 * equal, 95 * cases);
  RecordProperty("equal", static_cast<int>(equal));
}

TEST(Circuits, ToriArePlainOrTwisted) {
  const Topology plain = circuit_network(torus_circuits(8, 4, 0), kCircuit);
  const Topology twisted = circuit_network(torus_circuits(8, 4, 4), kCircuit);
  EXPECT_EQ(plain.links().size(), 128U);
  EXPECT_EQ(twisted.links().size(), 128U);
  const auto mean_hops = [](const Topology& topology) {
    std::size_t hops = 0;
    for (NodeId to = 1; to < topology.nodes(); ++to) hops += topology.route(0, to).size();
    return static_cast<double>(hops) / (topology.nodes() - 1);
  };
  EXPECT_NEAR(mean_hops(plain), 3.10, 0.005);
  EXPECT_NEAR(mean_hops(twisted), 2.71, 0.005);
  EXPECT_THROW(static_cast<void>(torus_circuits(1, 4, 0)), Error);
}

TEST(Circuits, TheirNetworkTakesNoTableOfAnEarlierOne) {
  const tests::ScratchDirectory folder;
  const std::string file = (folder / "ways.toml").string();
  const std::string speeds = (folder / "ways.speeds.csv").string();
  const Topology pair = circuit_network({2, {{0, 1}}}, kCircuit);
  base::write_file(speeds, "node,speed\n0,1\n1,2\n");  // as gdr net import writes it
  std::string why;
  try {
    write_circuits(pair, file, kCircuit);
  } catch (const Error& error) {
    why = error.what();
  }
  EXPECT_EQ(why, speeds + " is there, and would be taken for the speeds of the new network " + file +
                     ": remove it, or choose another name");
  EXPECT_FALSE(std::filesystem::exists(file));
  std::filesystem::remove(speeds);
  write_circuits(pair, file, kCircuit);
  EXPECT_TRUE(load_platform(file).flops_of_node.empty());
  write_circuits(pair, file, kCircuit);  // its own tables may be there
}

TEST(Circuits, WhatCannotBeIsRefused) {
  EXPECT_THROW(static_cast<void>(find_circuits(shifted_ring(8), kCircuit, {.ports = 1})), Error);
  EXPECT_THROW(static_cast<void>(find_circuits(shifted_ring(8), kCircuit, {.ports = 2, .effort = -1})), Error);
  EXPECT_THROW(static_cast<void>(best_circuits(shifted_ring(17), kCircuit, 2)), Error);
  EXPECT_NO_THROW(static_cast<void>(find_circuits(TaskGraph(2, {{0, 1, 5}}), kCircuit, {.ports = 1})));
}

}  // namespace
}  // namespace gdr::interconnect
