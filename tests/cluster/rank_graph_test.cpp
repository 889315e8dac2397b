#include "gdr/cluster/rank_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace gdr::cluster {
namespace {

constexpr double kLatency = 2e-6;  // of a message over the switch
constexpr double kRate = 1e9;

Cluster a_cluster() {
  Cluster cluster;
  cluster.name = "test";
  cluster.loopback_rate = 4e9;
  cluster.loopback_latency = 1e-7;
  return cluster;
}

interconnect::Topology a_switch(Rank ranks) { return interconnect::infiniband_flat(ranks, {kRate, kLatency / 2}); }

Group all_of(Rank ranks) {
  Group group(ranks);
  std::iota(group.begin(), group.end(), 0);
  return group;
}

double seconds_of(const RankGraph& graph) {
  return run_critical_path(graph.graph(), a_switch(graph.graph().nodes())).seconds;
}

TEST(Collectives, EveryAllgatherBringsEveryRankAllOthersBytes) {
  const Cluster cluster = a_cluster();
  for (const Method method : kMethods) {
    for (const Rank ranks : {1U, 2U, 3U, 5U, 8U, 9U}) {
      RankGraph graph(cluster, ranks, "test");
      allgather(graph, {all_of(ranks)}, 1000, method);
      EXPECT_EQ(graph.bytes(), 1000U * ranks * (ranks - 1)) << ranks;
    }
  }
}

TEST(Collectives, SumsInPartsMoveEachPartOnceFromEachRank) {
  const Cluster cluster = a_cluster();
  for (const Method method : kMethods) {
    for (const Rank ranks : {1U, 2U, 4U, 8U, 5U}) {
      RankGraph graph(cluster, ranks, "test");
      reduce_scatter(graph, {all_of(ranks)}, 1000.0 * ranks, 0, method);
      EXPECT_EQ(graph.bytes(), 1000U * ranks * (ranks - 1)) << ranks;
    }
  }
}

TEST(Collectives, TimesOnASwitchAreThoseOfTheTextbook) {
  // Thakur, Rabenseifner & Gropp 2005, with latency alpha and seconds per byte beta.
  const Cluster cluster = a_cluster();
  constexpr double kBytes = 1e5;
  constexpr double kBeta = 1 / kRate;
  const auto seconds = [&](Rank ranks, const auto& call) {
    RankGraph graph(cluster, ranks, "test");
    const std::vector<Group> groups{all_of(ranks)};
    call(graph, groups);
    return seconds_of(graph);
  };
  for (const Rank ranks : {2U, 4U, 8U}) {
    const double log = std::log2(ranks);
    const double others = ranks - 1;
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { allgather(g, all, kBytes, Method::ring); }),
                others * (kLatency + kBytes * kBeta), 1e-12);
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { allgather(g, all, kBytes, Method::doubling); }),
                log * kLatency + others * kBytes * kBeta, 1e-12);
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { allgather(g, all, kBytes, Method::posted); }),
                kLatency + others * kBytes * kBeta, 1e-12);
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { reduce_scatter(g, all, kBytes, 0, Method::doubling); }),
                log * kLatency + others / ranks * kBytes * kBeta, 1e-12);
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { broadcast(g, all, {0}, kBytes, Method::doubling); }),
                log * (kLatency + kBytes * kBeta), 1e-12);
    EXPECT_NEAR(seconds(ranks, [](auto& g, auto& all) { allreduce(g, all, 0); }), log * kLatency, 1e-12);
  }
}

TEST(Collectives, SumsTakeTheHostsTime) {
  const Cluster cluster = a_cluster();
  for (const Method method : kMethods) {
    RankGraph graph(cluster, 4, "test");
    reduce_scatter(graph, {all_of(4)}, 8 * 4e6, 1e9, method);  // 3 x 1e6 additions in each rank
    const auto times = run_critical_path(graph.graph(), a_switch(4));
    EXPECT_NEAR(part_seconds(times)[static_cast<std::size_t>(Part::host)], 3e-3, 1e-12);
  }
}

TEST(Collectives, GroupsDoNotWaitForEachOther) {
  const Cluster cluster = a_cluster();
  RankGraph graph(cluster, 6, "test");
  graph.board(0, 1.0);
  broadcast(graph, {{0, 1, 2}, {3, 4, 5}}, {0, 0}, 1e3, Method::doubling);
  graph.host(4, 0.5);
  const auto times = run_critical_path(graph.graph(), a_switch(6));
  EXPECT_GT(times.seconds, 1.0);
  EXPECT_LT(times.end_seconds.back(), 0.6);
}

TEST(RankGraph, RanksOfANodeExchangeThroughItsMemory) {
  Cluster cluster = a_cluster();
  cluster.boards_per_node = cluster.ranks_per_node = 2;
  RankGraph graph(cluster, 4, "test");
  const ActivityId message = graph.send(0, 1, 4e6);
  graph.receive(1, std::span(&message, 1));
  EXPECT_EQ(graph.bytes(), 0U);
  EXPECT_EQ(graph.graph().nodes(), 2U);
  const auto times = run_critical_path(graph.graph(), a_switch(2));
  EXPECT_NEAR(times.seconds, 1e-7 + 1e-3, 1e-15);
  EXPECT_NEAR(part_seconds(times)[static_cast<std::size_t>(Part::loopback)], times.seconds, 1e-15);
}

TEST(RankGraph, AHostSpendsTheOverheadOfEachMessageBeforeItGoesOn) {
  Cluster cluster = a_cluster();
  cluster.message_overhead = 1e-3;
  RankGraph graph(cluster, 3, "test");
  const ActivityId first = graph.send(0, 1, 0);
  const ActivityId second = graph.send(0, 2, 0);
  graph.host(0, 1e-3);
  const auto times = run_critical_path(graph.graph(), a_switch(3));
  EXPECT_NEAR(times.end_seconds[first], 1e-3 + kLatency, 1e-12);
  EXPECT_NEAR(times.end_seconds[second], 2e-3 + kLatency, 1e-12);
  EXPECT_NEAR(times.seconds, 3e-3, 1e-12);
}

}  // namespace
}  // namespace gdr::cluster
