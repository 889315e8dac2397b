// Rankfiles, schedules, histograms and pictures of mappings.
#include "gdr/interconnect/mapping_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"

namespace gdr::interconnect {
namespace {

using ::testing::HasSubstr;

TEST(Rankfile, NamesTheNodeOfEveryRank) {
  EXPECT_EQ(rankfile({2, 0}), "rank 0=+n2 slot=0\nrank 1=+n0 slot=0\n");
  const std::vector<std::string> hosts = parse_hosts("# nodes\nalpha slots=1\n\n  beta\ngamma # last\n", "hosts");
  ASSERT_EQ(hosts, (std::vector<std::string>{"alpha", "beta", "gamma"}));
  EXPECT_EQ(rankfile({2, 0}, hosts), "rank 0=gamma slot=0\nrank 1=alpha slot=0\n");
  EXPECT_THROW(static_cast<void>(rankfile({3, 0}, hosts)), Error);
}

TEST(Rankfile, AHostThatIsNamedAgainIsItsNextCore) {
  EXPECT_EQ(rankfile({3, 0, 1, 2}, parse_hosts("alpha\nbeta\nalpha\nalpha\n", "hosts")),
            "rank 0=alpha slot=2\nrank 1=alpha slot=0\nrank 2=beta slot=0\nrank 3=alpha slot=1\n");
}

TEST(Rankfile, HostFilesOfOpenMpiAndSlurmAreRead) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parse_hosts("node1:2\nnode2 slots=2 max_slots=4\nnode3\n", "hosts"),
            (Names{"node1", "node1", "node2", "node2", "node3"}));
  EXPECT_EQ(parse_hosts("n[8-10]:2\na,b\n", "hosts"), (Names{"n8", "n8", "n9", "n9", "n10", "n10", "a", "b"}));
  EXPECT_EQ(parse_hosts("n[0-1023]:1024\n", "hosts").size(), 1U << 20);
  for (const char* const bad : {"n[0-1024]:1024\n", "n[0-1023]:1024\na\n", "node1:0\n", "node1:x\n",
                                "node1 slots=2000\n", "n[1-\n", "n[3-1]\n"}) {
    EXPECT_THROW(static_cast<void>(parse_hosts(bad, "hosts")), Error) << bad;
  }
  EXPECT_EQ(rankfile({1, 2}, parse_hosts("node1:2\nnode2:1\n", "hosts")), "rank 0=node1 slot=1\nrank 1=node2 slot=0\n");
}

TEST(Rankfile, OneHostALineInTheOrderOfRanks) {
  EXPECT_EQ(hosts_of_ranks({2, 0, 1}, std::vector<std::string>{"a", "b", "c"}), "c\na\nb\n");
  EXPECT_THROW(static_cast<void>(hosts_of_ranks({1}, std::vector<std::string>{"a"})), Error);
}

TEST(MappingFile, ComesBackAsItWasWritten) {
  const TaskMapping mapping{5, 0, 3};
  EXPECT_EQ(parse_mapping(mapping_csv(mapping), "map.csv", 6), mapping);
  EXPECT_EQ(parse_mapping("# ours\ntask,node\n1,0\n0,1 # last\n", "map.csv", 2), (TaskMapping{1, 0}));
}

TEST(MappingFile, RefusesWithFileAndLine) {
  const auto told = [](const char* text) -> std::string {
    try {
      static_cast<void>(parse_mapping(text, "map.csv", 4));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(told("node,task\n").starts_with("map.csv:1:"));
  EXPECT_TRUE(told("task,node\n0,4\n").starts_with("map.csv:2: node 4"));
  EXPECT_TRUE(told("task,node\n0,1\n1,1\n").starts_with("map.csv:3: node 1"));
  EXPECT_TRUE(told("task,node\n0,1\n0,2\n").starts_with("map.csv:3: task 0"));
  EXPECT_TRUE(told("task,node\n1,1\n").starts_with("map.csv:2: task 0 is missing"));
  EXPECT_TRUE(told("task,node\n0\n").starts_with("map.csv:2:"));
  EXPECT_TRUE(told("").ends_with("there are no tasks"));
}

TEST(MappedSchedule, LoadsTheLinksThatTheMetricCounts) {
  for (const char* name : {"torus:4x3x2", "mesh:3x3", "torus:8"}) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = bruck_graph(grid.nodes(), 10);
    const TaskMapping mapping = map_by_merging(graph, grid, MergeRule::mincost);
    for (const TieRule tie : {TieRule::plus, TieRule::minus, TieRule::split, TieRule::direct}) {
      const GridRouting routing{tie, {2, 0, 1}};
      const Topology topology = grid_topology(grid, {.bytes_per_second = 1, .latency_seconds = 0}, routing);
      const auto routed = link_loads(mapped_schedule(graph, mapping, grid), topology);
      const std::vector<std::uint64_t> counted = link_bytes(graph, mapping, grid, routing);
      ASSERT_EQ(routed.size(), counted.size());
      for (std::size_t link = 0; link < counted.size(); ++link) EXPECT_EQ(routed[link].bytes, counted[link]) << name;
    }
  }
}

TEST(LoadHistogram, CountsEveryLinkThatThereIs) {
  const auto links_of = [](const char* name) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = bruck_graph(grid.nodes(), 1);
    std::uint64_t links = 0;
    std::uint64_t bytes = 0;
    for (const auto& [load, count] : load_histogram(grid, link_bytes(graph, map_in_order(graph, grid), grid))) {
      links += count;
      bytes += load * count;
    }
    EXPECT_EQ(bytes, mapping_cost(graph, map_in_order(graph, grid), grid).torus_hop_bytes);
    return links;
  };
  EXPECT_EQ(links_of("torus:4x4x4"), 4U * 4 * 4 * 6);
  EXPECT_EQ(links_of("mesh:3x2"), 2U * (2 * 2 + 3));
}

TEST(LoadPicture, DrawsEveryLinkOfEveryPanel) {
  const Grid grid = Grid::parse("torus:3x2x2");
  const std::vector<std::uint64_t> loads(grid.links(), 5);
  const std::vector<LoadPanel> panels{{"before", loads}, {"after", loads}};
  const std::string svg = load_picture(grid, panels);
  std::size_t lines = 0;
  for (std::size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) ++lines;
  EXPECT_EQ(lines, 2U * 12 * 4);
  EXPECT_THAT(svg, HasSubstr("before: busiest link 5 bytes"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  const std::vector<std::uint64_t> too_few(3);
  const std::vector<LoadPanel> bad{{"bad", too_few}};
  EXPECT_THROW(static_cast<void>(load_picture(grid, bad)), Error);
}

}  // namespace
}  // namespace gdr::interconnect
