#include <gtest/gtest.h>

#include "gdr/interconnect/activities.h"
#include "gdr/interconnect/ha_pacs_tca.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {
namespace {

double message_seconds(const Topology& topology, NodeId from, NodeId to, double bytes) {
  ActivityGraph graph("one message", topology.nodes(), {});
  static_cast<void>(graph.message(from, to, bytes, {}, 0));
  return run_critical_path(graph, topology).seconds;
}

TEST(TcaPlatform, NeighboursExchangeInTheTimeOfAChain) {
  const Platform platform = load_platform("ha-pacs-tca");
  const HaPacsTca cluster = load_ha_pacs_tca();
  ASSERT_EQ(platform.topology.nodes(), 64U);
  for (const double bytes : {8.0, 65536.0}) {
    EXPECT_NEAR(message_seconds(platform.topology, 0, 1, bytes), cluster.own_descriptors + bytes / cluster.tca_rate,
                1e-12);
    // Across the ring each further chip is a hop.
    EXPECT_NEAR(message_seconds(platform.topology, 16, 20, bytes),
                cluster.own_descriptors + 3 * cluster.hop + bytes / cluster.tca_rate, 1e-12);
  }
}

TEST(TcaPlatform, SubClustersExchangeOverInfiniBand) {
  const Platform platform = load_platform("ha-pacs-tca");
  const HaPacsTca cluster = load_ha_pacs_tca();
  EXPECT_NEAR(message_seconds(platform.topology, 0, 16, 8), cluster.gdr_start + 8 / cluster.infiniband_rate, 1e-12);
  EXPECT_NEAR(message_seconds(platform.topology, 63, 0, 8), cluster.gdr_start + 8 / cluster.infiniband_rate, 1e-12);
}

TEST(TcaPlatform, AnyNumberOfNodesHasRoutesBetweenAllOfThem) {
  for (const NodeId nodes : {1U, 5U, 16U, 17U, 100U}) {
    const Platform platform = load_platform("ha-pacs-tca", {.nodes = nodes, .routing = {}, .tie = {}, .file = {}});
    ASSERT_EQ(platform.topology.nodes(), nodes);
    for (NodeId from = 0; from < nodes; ++from) {
      for (NodeId to = 0; to < nodes; ++to) {
        if (from == to) continue;
        EXPECT_GE(platform.topology.route(from, to).size(), 2U) << from << ' ' << to;
      }
    }
  }
}

}  // namespace
}  // namespace gdr::interconnect
