// Descriptions of networks load by name, and by no other kind's.
#include "gdr/interconnect/network.h"

#include <gtest/gtest.h>

#include "gdr/base/error.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {
namespace {

TEST(Network, EveryKindsDescriptionsLoadByName) {
  for (const base::DescriptionKind& kind : network_kinds()) {
    for (const std::string& name : base::description_names(std::span(&kind, 1))) {
      EXPECT_EQ(load_network(name, kind.name).kind, kind.name) << name;
    }
  }
}

TEST(Network, ABoardIsNoNetwork) { EXPECT_THROW(static_cast<void>(load_network("model1800", "optical-hub")), Error); }

TEST(Platforms, HaveARouteBetweenTheNodesOfEveryPairAndNeverAnotherNumberOfNodes) {
  for (const std::string& name : base::description_names(platform_kinds())) {
    SCOPED_TRACE(name);
    const Platform platform = load_platform(name);
    const NodeId nodes = platform.topology.nodes();
    for (NodeId to = 0; to < nodes; ++to) {
      const std::vector<LinkId> route = platform.topology.route(0, to);
      EXPECT_EQ(route.empty(), to == 0) << to;
      for (const LinkId link : route) EXPECT_LT(link, platform.topology.links().size()) << to;
    }
    for (const NodeId asked : {NodeId{16}, nodes, nodes + 1}) {
      try {
        EXPECT_EQ(load_platform(name, {asked, {}, {}, {}}).topology.nodes(), asked);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(" is refused: "), std::string::npos) << error.what();
        EXPECT_NE(asked, nodes) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace gdr::interconnect
