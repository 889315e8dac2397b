#include "gdr/cluster/nbody_advice.h"

#include <gtest/gtest.h>

#include "cluster_testing.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/cluster/nbody_cost.h"
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
