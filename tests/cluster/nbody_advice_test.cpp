#include "gdr/cluster/nbody_advice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "cluster_testing.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/cluster/nbody_cost.h"
#include "scratch_directory.h"
#include "slowed_down.h"

namespace gdr::cluster {
namespace {

hostlib::BlockSteps steps(double n) {
  static const std::string path = base::data_file("docs/block_steps.csv").string();
  static const auto measured = hostlib::block_steps_from_csv(base::read_file(path), path);
  return hostlib::scaled_block_steps(measured, n);
}

NbodyAdvice advice(double n, double efficiency, const std::vector<std::string>& names = {"grape-dr-64"}) {
  std::vector<Cluster> clusters;
  for (const std::string& name : names) clusters.push_back(load_cluster(name));
  return advise_nbody(clusters, kernel(), steps(n), {.least_efficiency = efficiency});
}

/// Two tests look at the same one, which takes seconds to find.
const NbodyAdvice& usual_advice() {
  static const NbodyAdvice found = advice(20000, 0.6);
  return found;
}

TEST(NbodyAdvice, TheBestPaysAndItsLargerSiblingDoesNot) {
  const NbodyAdvice& found = usual_advice();
  EXPECT_GE(found.best.efficiency, 0.6);
  EXPECT_GT(found.best.nodes, 1U);
  ASSERT_GT(found.larger.nodes, found.best.nodes);
  EXPECT_LT(found.larger.efficiency, 0.6);
  EXPECT_EQ(found.larger.algorithm, found.best.algorithm);
  for (const NbodyCandidate& other : found.algorithms) {
    EXPECT_EQ(other.nodes, found.best.nodes);
    if (other.efficiency >= 0.6) {
      EXPECT_LE(other.gflops, found.best.gflops);
    }
  }
}

TEST(NbodyAdvice, WhatItTellsIsTheModels) {
  const NbodyAdvice& found = usual_advice();
  const Cluster cluster = load_cluster("grape-dr-64");
  const NbodyCost cost = nbody_cost(cluster, platform_for(cluster, found.best.nodes).topology, kernel(), steps(20000),
                                    {found.best.algorithm, found.best.nodes}, 1);
  EXPECT_EQ(found.best.seconds, cost.seconds);
  EXPECT_EQ(found.best.gflops, cost.gflops);
  EXPECT_EQ(found.best.efficiency, cost.efficiency);
  const NbodyCost free = nbody_cost(cluster, free_network(found.best.nodes), kernel(), steps(20000),
                                    {found.best.algorithm, found.best.nodes}, 1);
  EXPECT_EQ(found.free_network, cost.seconds / free.seconds);
  EXPECT_GT(found.planned_transfers, 1);
}

/// A description of a switch with fewer nodes than those that come with gdr.
std::string switch_of(unsigned nodes, const tests::ScratchDirectory& folder) {
  const std::string path = (folder / "switch.toml").string();
  base::write_file(path, fmt::format(R"(name = "switch"
title = "a switch"
kind = "switch"
[parameters]
nodes      = {{ value = {}, unit = "1", origin = "O: a test" }}
bandwidth  = {{ value = 1.5, unit = "GB/s per node", origin = "O: a test" }}
latency    = {{ value = 1, unit = "us", origin = "O: a test" }}
node_speed = {{ value = 10, unit = "Gflops", origin = "O: a test" }}
)",
                                     nodes));
  return path;
}

TEST(NbodyAdvice, NoAlgorithmOnAnyNumberOfNodesIsBetter) {
  const tests::ScratchDirectory folder;
  Cluster few = load_cluster("grape-dr-64");
  few.network = switch_of(tests::kSlowedDown ? 5 : 10, folder);
  const interconnect::Topology network = platform_for(few, 1).topology;
  for (const double n : {500.0, 6000.0, 60000.0}) {
    for (const double efficiency : {0.3, 0.6, 0.9}) {
      std::optional<std::tuple<bool, double>> most;
      for (interconnect::NodeId nodes = 1; nodes <= network.nodes(); ++nodes) {
        for (const std::string& name : nbody_algorithm_names()) {
          const NbodyAlgorithm algorithm = nbody_algorithm_named(name);
          if (!takes_ranks(algorithm, nodes)) continue;
          const NbodyCost cost = nbody_cost(few, network, kernel(), steps(n), {algorithm, nodes}, 1);
          const bool pays = cost.efficiency >= efficiency;
          most =
              std::max(most.value_or(std::tuple(false, 0.0)), std::tuple(pays, pays ? cost.gflops : cost.efficiency));
        }
      }
      const NbodyAdvice found = advise_nbody({few}, kernel(), steps(n), {.least_efficiency = efficiency});
      const bool pays = found.best.efficiency >= efficiency;
      EXPECT_EQ(std::tuple(pays, pays ? found.best.gflops : found.best.efficiency), *most) << n << " " << efficiency;
    }
  }
}

TEST(NbodyAdvice, NumbersOfNodesThatAreNoPowersAreFound) {
  if (tests::kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  const NbodyCandidate best = advice(100000, 0.5, {"grape-dr-64-hub"}).best;
  EXPECT_EQ(best.nodes, 49U);
  EXPECT_EQ(best.algorithm, NbodyAlgorithm::two_dimensional);
}

TEST(NbodyAdvice, SearchesLeaveNothingThatIsInTime) {
  for (const NbodyAlgorithm algorithm :
       {NbodyAlgorithm::copy, NbodyAlgorithm::two_dimensional, NbodyAlgorithm::hyper_systolic}) {
    const Cluster cluster = load_cluster("grape-dr-64");
    const interconnect::Topology network = platform_for(cluster, 1).topology;
    const NbodyCost cost = nbody_cost(cluster, network, kernel(), steps(3000), {algorithm, 4}, 1);
    const auto within = [&](double seconds) {
      return nbody_cost_within(cluster, network, kernel(), steps(3000), {algorithm, 4}, 1, seconds);
    };
    ASSERT_TRUE(within(cost.seconds * 1.000001));
    EXPECT_EQ(within(cost.seconds * 1.000001)->seconds, cost.seconds);
    EXPECT_FALSE(within(cost.seconds * 0.999));
    EXPECT_FALSE(within(0));
  }
}

TEST(NbodyAdvice, MoreParticlesPayForMoreNodes) {
  if (tests::kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  EXPECT_LT(advice(5000, 0.5).best.nodes, advice(100000, 0.5).best.nodes);
  const NbodyCandidate alone = advice(5000, 1).best;
  EXPECT_EQ(alone.nodes, 1U);
  EXPECT_EQ(alone.efficiency, 1);
}

TEST(NbodyAdvice, AmongClustersTheFastestIsTaken) {
  if (tests::kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  const NbodyAdvice found = advice(100000, 0.4, {"grape-dr-64", "grape-dr-64-hub", "grape-dr-64-torus"});
  ASSERT_EQ(found.clusters.size(), 3U);
  for (const NbodyCandidate& other : found.clusters) EXPECT_LE(other.gflops, found.best.gflops);
}

TEST(NbodyAdvice, WhatCannotBeIsRefused) {
  EXPECT_THROW(static_cast<void>(advice(5000, 0)), Error);
  EXPECT_THROW(static_cast<void>(advice(5000, 1.1)), Error);
  EXPECT_THROW(static_cast<void>(advice(5000, 0.5, {})), Error);
  EXPECT_THROW(static_cast<void>(advice(1e12, 0.5)), Error);
}

}  // namespace
}  // namespace gdr::cluster
