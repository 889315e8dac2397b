// Descriptions of networks load by name, and by no other kind's.
#include "gdr/interconnect/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
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

/// The row of the page's table of kinds, or nothing.
std::string row_of(const std::string& kind, std::string_view page) {
  const std::string begin = fmt::format("\n| `{}` |", kind);
  const std::size_t at = page.find(begin);
  return at == std::string_view::npos ? "" : std::string(page.substr(at + 1, page.find('\n', at + 1) - at - 1));
}

TEST(Platforms, StandOnThePageOfNetworksWithTheirKeysAndUnits) {
  const std::string page = base::read_file(GDR_SOURCE_DIR "/docs/networks/interconnect.md");
  const std::set<std::string> of_all{"bandwidth", "latency", "node_speed"};
  for (const base::DescriptionKind& kind : platform_kinds()) {
    const std::string row = row_of(kind.name, page);
    ASSERT_FALSE(row.empty()) << "docs/networks/interconnect.md lists no kind " << kind.name;
    if (row.find("(tca.md)") != std::string::npos) continue;  // its keys are on a page of their own
    for (const base::ParameterRule& rule : kind.rules) {
      if (of_all.contains(rule.key)) continue;
      EXPECT_NE(row.find(fmt::format("`{}`", rule.key)), std::string::npos) << kind.name << ": " << rule.key;
      EXPECT_NE(row.find(fmt::format("(`{}`)", rule.unit)), std::string::npos) << kind.name << ": " << rule.unit;
    }
  }
}

/// A network of this kind with so many nodes along x, y and z.
Platform grid_of(const std::string& kind, NodeId x, NodeId y, NodeId z, std::optional<NodeId> nodes = {}) {
  const std::string more =
      kind == "torus" ? "shortest_paths = { value = 0, unit = \"1\", origin = \"O: a test\" }\n" : "";
  const std::string text = fmt::format(
      "name = \"g\"\ntitle = \"g\"\nkind = \"{}\"\n[parameters]\n"
      "x = {{ value = {}, unit = \"nodes\", origin = \"O: a test\" }}\n"
      "y = {{ value = {}, unit = \"nodes\", origin = \"O: a test\" }}\n"
      "z = {{ value = {}, unit = \"nodes\", origin = \"O: a test\" }}\n"
      "bandwidth = {{ value = 10, unit = \"GB/s per node\", origin = \"O: a test\" }}\n"
      "latency = {{ value = 1, unit = \"us\", origin = \"O: a test\" }}\n"
      "node_speed = {{ value = 1, unit = \"Gflops\", origin = \"O: a test\" }}\n{}",
      kind, x, y, z, more);
  return make_platform(base::parse_description(text, "g.toml", network_kinds()), {nodes, {}, {}, {}});
}

TEST(Platforms, AnAxisOfOneNodeHasNoCablesWhicheverItIs) {
  for (const std::string kind : {"torus", "mesh"}) {
    SCOPED_TRACE(kind);
    const Platform flat = grid_of(kind, 4, 4, 1);
    EXPECT_EQ(flat.topology.links()[0].bytes_per_second, 10e9 / 4);
    for (const Platform& same : {grid_of(kind, 4, 1, 4), grid_of(kind, 1, 4, 4)}) {
      EXPECT_EQ(same.extents, flat.extents);
      EXPECT_EQ(same.topology.links().size(), flat.topology.links().size());
      EXPECT_EQ(same.topology.links()[0].bytes_per_second, 10e9 / 4);
      for (NodeId to = 1; to < 16; ++to) EXPECT_EQ(same.topology.route(0, to), flat.topology.route(0, to)) << to;
    }
    for (const Platform& line : {grid_of(kind, 8, 1, 1), grid_of(kind, 1, 8, 1), grid_of(kind, 1, 1, 8)}) {
      EXPECT_EQ(line.extents, std::vector<NodeId>{8});
      EXPECT_EQ(line.topology.links()[0].bytes_per_second, 10e9 / 2);
    }
    EXPECT_EQ(grid_of(kind, 2, 2, 2).topology.links()[0].bytes_per_second, 10e9 / 6);
    EXPECT_EQ(grid_of(kind, 1, 1, 1).topology.nodes(), 1U);
    EXPECT_EQ(grid_of(kind, 1, 4, 4, 64).extents, grid_of(kind, 4, 4, 1, 64).extents);
  }
}

}  // namespace
}  // namespace gdr::interconnect
