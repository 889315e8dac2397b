// Routes of the generated platforms, against what their pictures say.
#include "gdr/interconnect/topology.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/interconnect/shared_paths.h"

namespace gdr::interconnect {
namespace {

constexpr Cable kCable{1e9, 1e-7};

std::vector<std::string> names(const Topology& topology, NodeId from, NodeId to) {
  std::vector<std::string> names;
  for (const LinkId link : topology.route(from, to)) names.push_back(topology.links().name(link));
  return names;
}

using Names = std::vector<std::string>;

/// The links of a route follow one another from node to node.
void expect_leads(const Graph& graph, const std::vector<LinkId>& route, NodeId from, NodeId to) {
  NodeId here = from;
  for (const LinkId link : route) {
    EXPECT_EQ(graph.edges[link].from, here);
    here = graph.edges[link].to;
  }
  EXPECT_EQ(here, to);
}

TEST(Topology, AHubHasALinkOfItsOwnForEveryOrderedPair) {
  const Topology hub = optical_hub(8, kCable);
  EXPECT_EQ(hub.links().size(), 56);  // Urino 2020, section 2.1
  std::set<LinkId> used;
  for (NodeId from = 0; from < 8; ++from) {
    for (NodeId to = 0; to < 8; ++to) {
      if (from == to) continue;
      ASSERT_EQ(hub.route(from, to).size(), 1);
      used.insert(hub.route(from, to)[0]);
      EXPECT_EQ(names(hub, from, to), Names{std::to_string(from) + ">" + std::to_string(to)});
    }
  }
  EXPECT_EQ(used.size(), 56);
}

TEST(Topology, TheWavelengthTableIsCyclic) {
  EXPECT_EQ(hub_wavelength(8, 7, 3), 4);  // Urino 2020, section 2.1
  for (NodeId node = 0; node < 8; ++node) {
    std::set<NodeId> sent;
    std::set<NodeId> received;
    for (NodeId other = 0; other < 8; ++other) {
      if (other == node) continue;
      sent.insert(hub_wavelength(8, node, other));
      received.insert(hub_wavelength(8, other, node));
    }
    EXPECT_EQ(sent, (std::set<NodeId>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(received, sent);
  }
  EXPECT_THROW(static_cast<void>(hub_wavelength(8, 3, 3)), Error);
}

TEST(Topology, ATwoDimensionalHubStaysInARowOrColumnWhereItCan) {
  const Topology hub = optical_hub_2d(3, 4, kCable);
  EXPECT_EQ(hub.links().size(), 3 * 12 + 4 * 6);
  EXPECT_EQ(names(hub, 4, 7), Names{"r1:0>3"});
  EXPECT_EQ(names(hub, 2, 10), Names{"c2:0>2"});
  EXPECT_EQ(names(hub, 0, 11), (Names{"r0:0>3", "c3:0>2"}));
}

TEST(Topology, ATorusTakesTheShorterWayRound) {
  const Topology ring = torus({5, 4}, kCable);
  EXPECT_EQ(names(ring, 0, 2), (Names{"0+0", "1+0"}));
  EXPECT_EQ(names(ring, 0, 3), (Names{"0-0", "4-0"}));
  EXPECT_EQ(names(ring, 1, 16), Names{"1-1"});
  EXPECT_EQ(names(ring, 6, 12), (Names{"6+0", "7+1"}));
}

TEST(Topology, TheTieRuleDecidesHalfWayRound) {
  EXPECT_EQ(names(torus({4}, kCable, TieRule::plus), 1, 3), (Names{"1+0", "2+0"}));
  EXPECT_EQ(names(torus({4}, kCable, TieRule::minus), 1, 3), (Names{"1-0", "0-0"}));
  EXPECT_EQ(names(torus({4}, kCable, TieRule::split), 1, 3), (Names{"1-0", "0-0"}));
  EXPECT_EQ(names(torus({4}, kCable, TieRule::split), 2, 0), (Names{"2+0", "3+0"}));
  EXPECT_EQ(names(torus({4}, kCable, TieRule::direct), 1, 3), (Names{"1+0", "2+0"}));
  EXPECT_EQ(names(torus({4}, kCable, TieRule::direct), 3, 1), (Names{"3-0", "2-0"}));
}

TEST(Topology, TheOrderOfAxesIsTheCallers) {
  EXPECT_EQ(names(torus({3, 3}, kCable, TieRule::plus, {1, 0}), 0, 4), (Names{"0+1", "3+0"}));
  EXPECT_THROW(static_cast<void>(torus({3, 3}, kCable, TieRule::plus, {0, 0})), Error);
}

TEST(Topology, AMeshNeverClosesARing) {
  const Topology line = mesh({4, 2}, kCable);
  EXPECT_EQ(names(line, 0, 3), (Names{"0+0", "1+0", "2+0"}));
  EXPECT_EQ(names(line, 7, 0), (Names{"7-0", "6-0", "5-0", "4-1"}));
}

TEST(Topology, AFatTreeLeavesTheLeafOnlyForAnotherOne) {
  const FatTree tree{4, 16, 2, 8, kCable, FatTreeRouting::destination};
  const Topology topology = fat_tree(tree);
  EXPECT_EQ(topology.nodes(), 64);
  EXPECT_EQ(topology.links().size(), 2 * 64 + 2 * 64);
  EXPECT_EQ(names(topology, 1, 15), (Names{"1>leaf", "leaf>15"}));
  EXPECT_EQ(names(topology, 1, 19), (Names{"1>leaf", "leaf0:up3", "leaf1:down3", "leaf>19"}));
}

TEST(Topology, EveryFatTreeRoutingSpreadsShiftsOverAllCables) {
  for (const FatTreeRouting routing : {FatTreeRouting::destination, FatTreeRouting::source}) {
    const Topology topology = fat_tree({4, 16, 2, 8, kCable, routing});
    std::set<LinkId> up;
    for (NodeId node = 0; node < 16; ++node) up.insert(topology.route(node, node + 16)[1]);
    EXPECT_EQ(up.size(), 16);
  }
}

/// Hops between all vertices by breadth-first search.
std::vector<NodeId> least_hops(const Graph& graph, NodeId from) {
  std::vector<NodeId> hops(graph.vertices, graph.vertices);
  std::queue<NodeId> next({from});
  hops[from] = 0;
  while (!next.empty()) {
    const NodeId here = next.front();
    next.pop();
    for (const Graph::Edge& edge : graph.edges) {
      if (edge.from != here || hops[edge.to] < graph.vertices) continue;
      hops[edge.to] = hops[here] + 1;
      next.push(edge.to);
    }
  }
  return hops;
}

TEST(Topology, ShortestPathsAreConnectedAndAsShortAsBreadthFirstSearchFinds) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Graph graph{"random", 8, 14, {}, {}, {}};
    for (NodeId vertex = 0; vertex < graph.vertices; ++vertex) {
      graph.edges.push_back({vertex, (vertex + 1) % graph.vertices});  // all are reached
      graph.edges.push_back({vertex, static_cast<NodeId>(random() % graph.vertices)});
    }
    for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 0});
    const Topology topology = shortest_paths(graph);
    for (NodeId from = 0; from < graph.nodes; ++from) {
      const std::vector<NodeId> least = least_hops(graph, from);
      for (NodeId to = 0; to < graph.nodes; ++to) {
        if (to == from) continue;
        const std::vector<LinkId> route = topology.route(from, to);
        EXPECT_EQ(route.size(), least[to]);
        expect_leads(graph, route, from, to);
      }
    }
  }
}

TEST(Topology, FloydsAlgorithmKeepsThePathThatItFindsFirst) {
  // From 0 to 3 over 1 or 2; the lower one is tried first. From 3 to 0 over 2 or 1: the same.
  Graph graph{"square", 4, 4, {{0, 2}, {2, 3}, {0, 1}, {1, 3}, {3, 2}, {2, 0}, {3, 1}, {1, 0}}, {}, {}};
  for (const Graph::Edge& edge : graph.edges)
    graph.links.push_back({std::to_string(edge.from) + std::to_string(edge.to), 1e9, 0});
  EXPECT_EQ(names(shortest_paths(graph), 0, 3), (Names{"01", "13"}));
  EXPECT_EQ(names(shortest_paths(graph), 3, 0), (Names{"31", "10"}));
  graph.routes[{0, 3}] = {2, 3};
  EXPECT_EQ(names(shortest_paths(graph), 0, 3), (Names{"02", "23"}));
  graph.routes[{0, 3}] = {2};
  EXPECT_THROW(static_cast<void>(shortest_paths(graph)), Error);
}

TEST(Topology, ShortestPathsOfATorusAreAsLongAsItsOwn) {
  for (const std::vector<NodeId>& extents : {std::vector<NodeId>{4, 4}, {5, 3}, {2, 3, 4}, {8, 8}}) {
    const Topology by_order = torus(extents, kCable);
    const Topology shortest = torus_by_shortest_paths(extents, kCable);
    ASSERT_EQ(shortest.links().size(), by_order.links().size());
    for (NodeId from = 0; from < by_order.nodes(); ++from) {
      for (NodeId to = 0; to < by_order.nodes(); ++to) {
        EXPECT_EQ(shortest.route(from, to).size(), by_order.route(from, to).size());
      }
    }
    // Along one axis there is one shortest path, but half way round.
    EXPECT_EQ(names(shortest, 0, 1), names(by_order, 0, 1));
  }
}

TEST(Topology, AFatTreeByShortestPathsUsesOneSpineForEachPairOfLeaves) {
  const Topology topology = fat_tree({4, 4, 2, 2, kCable, FatTreeRouting::shortest});
  std::set<LinkId> up;
  for (NodeId from = 0; from < 4; ++from) {
    for (NodeId to = 4; to < 8; ++to) up.insert(topology.route(from, to)[1]);
  }
  EXPECT_EQ(up.size(), 1);
  EXPECT_EQ(topology.links()[*up.begin()].bytes_per_second, 2 * kCable.bytes_per_second);
}

TEST(Topology, ADragonflyTakesOneGlobalLinkAtMost) {
  const Cable global{5e8, 1e-5};
  const Topology topology = dragonfly({5, 4, 2, kCable, kCable, global});
  EXPECT_EQ(topology.nodes(), 40);
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (from == to) continue;
      const std::vector<LinkId> route = topology.route(from, to);
      EXPECT_LE(route.size(), 5);
      int globals = 0;
      for (const LinkId link : route)
        globals += topology.links()[link].latency_seconds == global.latency_seconds ? 1 : 0;
      EXPECT_EQ(globals, from / 8 == to / 8 ? 0 : 1);
    }
  }
}

TEST(Topology, RanksThatRunElsewhereTakeTheRoutesOfTheirNodes) {
  const Topology line = mesh({4}, kCable);
  const Topology turned = placed(line, {3, 2, 1, 0});
  EXPECT_EQ(turned.route(0, 2), line.route(3, 1));
  EXPECT_EQ(placed(line, {2, 0}).nodes(), 2);
  EXPECT_THROW(static_cast<void>(placed(line, {4})), Error);
  EXPECT_THROW(static_cast<void>(placed(line, {1, 1})), Error);
}

TEST(Topology, BadPlatformsAreRefusedByName) {
  EXPECT_THROW(static_cast<void>(optical_hub(8, {0, 1e-7})), Error);
  EXPECT_THROW(static_cast<void>(optical_hub(8, {1e9, -1})), Error);
  EXPECT_THROW(static_cast<void>(optical_hub(0, kCable)), Error);
  EXPECT_THROW(static_cast<void>(torus({}, kCable)), Error);
  EXPECT_THROW(static_cast<void>(torus({4, 0}, kCable)), Error);
  EXPECT_THROW(static_cast<void>(fat_tree({0, 16, 2, 8, kCable})), Error);
  EXPECT_THROW(static_cast<void>(optical_hub(8, kCable).route(0, 8)), Error);
  try {
    static_cast<void>(optical_hub(2, {0, 1e-7}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "optical hub 2: bandwidth 0 of link 0>1 is refused: it must be more than 0 bytes/s "
                 "and finite");
  }
}

// A folded Clos network of full bisection: as many spines as nodes of a leaf.
Graph clos(NodeId leaves, NodeId nodes_per_leaf, NodeId cables) {
  const NodeId nodes = leaves * nodes_per_leaf;
  const NodeId spines = nodes_per_leaf / cables;
  Graph graph{"clos", nodes, nodes + leaves + spines, {}, {}, {}};
  const auto join = [&](NodeId a, NodeId b) {
    graph.edges.push_back({a, b});
    graph.edges.push_back({b, a});
  };
  for (NodeId node = 0; node < nodes; ++node) join(node, nodes + node / nodes_per_leaf);
  for (NodeId leaf = 0; leaf < leaves; ++leaf) {
    for (NodeId spine = 0; spine < spines; ++spine) {
      for (NodeId cable = 0; cable < cables; ++cable) join(nodes + leaf, nodes + leaves + spine);
    }
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 0});
  return graph;
}

TEST(Topology, SharedPathsOfAClosNetworkCarryShiftsAtFullBandwidth) {
  for (const auto& [leaves, nodes_per_leaf, cables] : {std::tuple(16U, 16U, 1U), std::tuple(4U, 8U, 2U)}) {
    for (const SharedBy by : {SharedBy::destination, SharedBy::source}) {
      const Topology topology = shared_shortest_paths(clos(leaves, nodes_per_leaf, cables), by);
      for (NodeId shift = 1; shift < topology.nodes(); ++shift) {
        std::vector<unsigned> messages(topology.links().size());
        for (NodeId from = 0; from < topology.nodes(); ++from) {
          for (const LinkId link : topology.route(from, (from + shift) % topology.nodes())) ++messages[link];
        }
        EXPECT_EQ(std::ranges::max(messages), 1U) << leaves << " leaves, shift " << shift;
      }
    }
  }
}

TEST(Topology, SharedPathsAreAsShortAsFloyds) {
  std::mt19937 random(3);
  for (unsigned trial = 0; trial < 20; ++trial) {
    Graph graph{"random", 8, 14, {}, {}, {}};
    for (NodeId vertex = 0; vertex < graph.vertices; ++vertex) {
      graph.edges.push_back({vertex, (vertex + 1) % graph.vertices});  // all are reached
      for (unsigned i = 0; i < 2; ++i) graph.edges.push_back({vertex, static_cast<NodeId>(random() % graph.vertices)});
    }
    for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 0});
    const Topology floyd = shortest_paths(graph);
    const Topology shared = shared_shortest_paths(graph, SharedBy::destination);
    for (NodeId from = 0; from < graph.nodes; ++from) {
      for (NodeId to = 0; to < graph.nodes; ++to) {
        const std::vector<LinkId> route = shared.route(from, to);
        EXPECT_EQ(route.size(), floyd.route(from, to).size());
        expect_leads(graph, route, from, to);
      }
    }
  }
}

TEST(Topology, SharedPathsKeepPrescribedRoutesAndRefuseWhatIsNotReached) {
  Graph graph{"square", 4, 4, {{0, 1}, {1, 3}, {0, 2}, {2, 3}, {0, 2}, {3, 0}, {3, 1}, {3, 2}, {1, 0}, {2, 0}}, {}, {}};
  for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 0});
  graph.routes[{0, 3}] = {2, 3};
  EXPECT_EQ(names(shared_shortest_paths(graph, SharedBy::destination), 0, 3), (Names{"4", "3"}));  // 3 mod 2 cables
  EXPECT_EQ(names(shared_shortest_paths(graph, SharedBy::source), 0, 3), (Names{"2", "3"}));
  graph.routes[{0, 3}] = {3};
  EXPECT_THROW(static_cast<void>(shared_shortest_paths(graph, SharedBy::source)), Error);
  EXPECT_THROW(static_cast<void>(shared_shortest_paths({"two", 2, 2, {{0, 1}}, {{"0", 1e9, 0}}, {}}, SharedBy::source)),
               Error);
}

double part_on(const Topology& topology, const SharedLink& shared) {
  return static_cast<double>(shared.ways) / topology.ways();
}

TEST(Topology, AllPathsOfAClosNetworkCarryEqualPartsOfEveryMessage) {
  for (const auto& [leaves, nodes_per_leaf, cables] : {std::tuple(16U, 16U, 1U), std::tuple(3U, 6U, 2U)}) {
    const Topology topology = all_shortest_paths(clos(leaves, nodes_per_leaf, cables));
    std::vector<SharedLink> links;
    topology.links_into(0, topology.nodes() - 1, links);
    EXPECT_EQ(links.size(), 2U + 2U * nodes_per_leaf);  // as many cables go up from a leaf as down to nodes
    for (const SharedLink& shared : links) {
      const bool is_of_node = shared.link < 2 * topology.nodes();
      EXPECT_DOUBLE_EQ(part_on(topology, shared), is_of_node ? 1.0 : 1.0 / nodes_per_leaf);
    }
    topology.links_into(0, 1, links);
    EXPECT_EQ(links.size(), 2U);
    EXPECT_THROW(static_cast<void>(topology.route(0, 1)), Error);
  }
}

TEST(Topology, PartsOnAllPathsAddUpAtEveryVertexOfRandomGraphs) {
  std::mt19937 random(7);
  for (unsigned trial = 0; trial < 20; ++trial) {
    Graph graph{"random", 6, 9, {}, {}, {}};
    for (NodeId vertex = 0; vertex < graph.vertices; ++vertex) {
      graph.edges.push_back({vertex, (vertex + 1) % graph.vertices});
      for (unsigned i = 0; i < 2; ++i) graph.edges.push_back({vertex, static_cast<NodeId>(random() % graph.vertices)});
    }
    for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 1e-6});
    const Topology floyd = shortest_paths(graph);
    const Topology all = all_shortest_paths(graph);
    std::vector<SharedLink> links;
    for (NodeId from = 0; from < graph.nodes; ++from) {
      for (NodeId to = 0; to < graph.nodes; ++to) {
        if (from == to) continue;
        all.links_into(from, to, links);
        std::vector<double> left(graph.vertices);  // what enters a vertex less what leaves it
        double hops = 0;
        for (const SharedLink& shared : links) {
          left[graph.edges[shared.link].from] -= part_on(all, shared);
          left[graph.edges[shared.link].to] += part_on(all, shared);
          hops += part_on(all, shared);
        }
        EXPECT_NEAR(hops, static_cast<double>(floyd.route(from, to).size()), 1e-12);
        for (NodeId vertex = 0; vertex < graph.vertices; ++vertex) {
          EXPECT_NEAR(left[vertex], vertex == to ? 1 : vertex == from ? -1 : 0, 1e-12);
        }
        EXPECT_DOUBLE_EQ(all.latency_seconds(from, to), 1e-6 * static_cast<double>(floyd.route(from, to).size()));
      }
    }
  }
}

TEST(Topology, TooManyEqualPathsAreRefused) {
  // Eight vertices in a row with 2, 3, 5, 7 cables between them: 210 parts; a further one of 2 makes 420.
  Graph graph{"row", 6, 6, {}, {}, {}};
  for (const unsigned cables : {2U, 3U, 5U, 7U, 2U}) {
    const NodeId from = graph.edges.empty() ? 0 : graph.edges.back().from + 1;
    for (unsigned i = 0; i < cables; ++i) {
      graph.edges.push_back({from + 1, from});
      graph.edges.push_back({from, from + 1});
    }
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) graph.links.push_back({std::to_string(i), 1e9, 0});
  EXPECT_THROW(static_cast<void>(all_shortest_paths(graph)), Error);
  EXPECT_NO_THROW(static_cast<void>(shared_shortest_paths(graph, SharedBy::hash)));
}

TEST(Topology, AHashSpreadsPairsOverSpinesAndCables) {
  const Topology topology = shared_shortest_paths(clos(8, 8, 2), SharedBy::hash);
  const Topology tree = fat_tree({8, 8, 4, 2, kCable, FatTreeRouting::hash});
  for (const Topology* network : {&topology, &tree}) {
    std::vector<unsigned> messages(network->links().size());
    for (NodeId from = 0; from < 64; ++from) {
      for (NodeId to = 0; to < 64; ++to) {
        for (const LinkId link : network->route(from, to)) ++messages[link];
      }
    }
    // 56 destinations of 8 nodes in other leaves, over 8 cables: 56 expected on each.
    for (std::size_t link = 128; link < messages.size(); ++link) {
      EXPECT_GT(messages[link], 28U);
      EXPECT_LT(messages[link], 84U);
    }
  }
  EXPECT_EQ(pair_hash(0, 0), 0xe220a8397b1dcdafU);  // the first number of SplitMix64 from 0
}

TEST(Topology, OppositeNodesOfATorusShareBothWays) {
  const Topology both = torus_by_both_ways({4, 3}, kCable);
  std::vector<SharedLink> links;
  both.links_into(0, 2, links);
  ASSERT_EQ(links.size(), 4U);
  for (const SharedLink& shared : links) EXPECT_DOUBLE_EQ(part_on(both, shared), 0.5);
  both.links_into(0, 1, links);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_DOUBLE_EQ(part_on(both, links[0]), 1);
  // Each of two directions is taken by some pair of opposite nodes.
  const Topology hashed = torus_by_hash({4, 3}, kCable);
  std::set<LinkId> first;
  for (NodeId from = 0; from < 12; ++from) first.insert(hashed.route(from, from ^ 2U)[0] % 2);
  EXPECT_EQ(first.size(), 2U);
}

TEST(Topology, AFatTreeWhoseCablesShareAllIsOneOfWideCables) {
  const Topology all = fat_tree({4, 4, 2, 2, kCable, FatTreeRouting::all});
  const Topology spread = all_shortest_paths([] {
    Graph graph = clos(4, 4, 2);
    for (Link& link : graph.links) link = {link.name, kCable.bytes_per_second, kCable.latency_seconds};
    return graph;
  }());
  const std::vector<LinkId> route = all.route(0, 15);
  ASSERT_EQ(route.size(), 4U);
  EXPECT_DOUBLE_EQ(all.links()[route[1]].bytes_per_second, 4 * kCable.bytes_per_second);
  EXPECT_DOUBLE_EQ(all.latency_seconds(0, 15), spread.latency_seconds(0, 15));
}

TEST(Topology, LinksOfHubsAreNamedByTheirEnds) {
  const Topology hub = optical_hub(5, kCable);
  const Topology plane = optical_hub_2d(3, 4, kCable);
  EXPECT_EQ(optical_hub(1, kCable).links().size(), 0U);
  std::set<std::string> names;
  for (LinkId link = 0; link < hub.links().size(); ++link) names.insert(hub.links().name(link));
  EXPECT_EQ(names.size(), 20U);
  for (NodeId from = 0; from < 5; ++from) {
    for (NodeId to = 0; to < 5; ++to) {
      if (from == to) continue;
      EXPECT_EQ(hub.links().name(hub.route(from, to).front()), fmt::format("{}>{}", from, to));
    }
  }
  names.clear();
  for (LinkId link = 0; link < plane.links().size(); ++link) names.insert(plane.links().name(link));
  EXPECT_EQ(names.size(), plane.links().size());
  for (NodeId from = 0; from < 12; ++from) {
    for (NodeId to = 0; to < 12; ++to) {
      std::vector<std::string> expected;
      if (from % 4 != to % 4) expected.push_back(fmt::format("r{}:{}>{}", from / 4, from % 4, to % 4));
      if (from / 4 != to / 4) expected.push_back(fmt::format("c{}:{}>{}", to % 4, from / 4, to / 4));
      std::vector<std::string> found;
      for (const LinkId link : plane.route(from, to)) found.push_back(plane.links().name(link));
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace gdr::interconnect
