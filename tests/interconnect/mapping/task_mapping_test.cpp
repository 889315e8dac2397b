// Mappings are permutations, their costs what a walk link by link finds, and no method worse than what it began with.
#include "gdr/interconnect/task_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "gdr/base/error.h"
#include "mapping/merging.h"

namespace gdr::interconnect {
namespace {

constexpr std::array<MergeRule, 3> kRules{MergeRule::none, MergeRule::mincost, MergeRule::minlink};

TaskGraph random_graph(TaskId tasks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < tasks; ++task) {
    for (int i = 0; i < 4; ++i) {
      const auto other = static_cast<TaskId>(random() % tasks);
      if (other != task) transfers.push_back({task, other, random() % 1000});
    }
  }
  return {tasks, std::move(transfers)};
}

std::vector<TaskMapping> all_mappings(const TaskGraph& graph, const Grid& grid) {
  std::vector<TaskMapping> mappings{map_in_order(graph, grid)};
  for (const MergeRule rule : kRules) mappings.push_back(map_by_merging(graph, grid, rule));
  for (const MappingObjective objective : {MappingObjective::cost, MappingObjective::link}) {
    mappings.push_back(map_by_refinement(graph, grid, {}, {.objective = objective}));
  }
  if (has_scotch()) mappings.push_back(map_by_scotch(graph, grid));
  return mappings;
}

bool one_node_each(const TaskMapping& mapping, const Grid& grid) {
  const std::set<std::uint32_t> nodes(mapping.begin(), mapping.end());
  return nodes.size() == mapping.size() && *nodes.rbegin() < grid.nodes();
}

const std::vector<std::string> kGrids{"torus:4x4x4", "mesh:4x4x4", "torus:8x4x2", "torus:7x3x2", "mesh:5x9",
                                      "torus:11",    "torus:6x6",  "mesh:1x1x1",  "torus:2x3x5"};

TEST(TaskMapping, GivesEveryTaskANodeOfItsOwn) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    const std::set<TaskId> sizes{grid.nodes(), grid.nodes() / 2 + 1, 1};
    for (const TaskId tasks : sizes) {
      const TaskGraph graph = random_graph(tasks, tasks);
      for (const TaskMapping& mapping : all_mappings(graph, grid)) {
        ASSERT_EQ(mapping.size(), tasks) << name;
        EXPECT_TRUE(one_node_each(mapping, grid)) << name;
      }
    }
  }
}

TEST(TaskMapping, BytesOnLinksAddUpToHopsTimesBytes) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = random_graph(grid.nodes(), 5);
    for (const TieRule tie : {TieRule::plus, TieRule::minus, TieRule::split, TieRule::direct}) {
      for (const std::array<unsigned, 3>& axes : {std::array{0U, 1U, 2U}, std::array{2U, 0U, 1U}}) {
        const GridRouting routing{tie, axes};
        const TaskMapping mapping = map_in_order(graph, grid);
        const std::vector<std::uint64_t> loads = link_bytes(graph, mapping, grid, routing);
        const MappingCost cost = mapping_cost(graph, mapping, grid, routing);
        EXPECT_EQ(std::reduce(loads.begin(), loads.end()), cost.torus_hop_bytes) << name;
        EXPECT_EQ(*std::ranges::max_element(loads), cost.max_link_bytes);
        EXPECT_LE(cost.torus_hop_bytes, cost.hop_bytes);
      }
    }
  }
}

/// The shortest way that a walk over the links of each axis finds.
std::uint32_t walked_hops(const Grid& grid, GridPosition from, const GridPosition& to, bool torus) {
  std::uint32_t hops = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::uint32_t up = 0;
    for (std::uint32_t at = from[axis]; at != to[axis]; at = (at + 1) % grid.extents()[axis]) ++up;
    std::uint32_t down = 0;
    for (std::uint32_t at = to[axis]; at != from[axis]; at = (at + 1) % grid.extents()[axis]) ++down;
    hops += torus ? std::min(up, down) : (to[axis] >= from[axis] ? up : down);
  }
  return hops;
}

TEST(TaskMapping, HopsAreThoseOfAWalk) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    for (std::uint32_t a = 0; a < grid.nodes(); ++a) {
      for (std::uint32_t b = 0; b < grid.nodes(); ++b) {
        const GridPosition from = grid.position(a);
        const GridPosition to = grid.position(b);
        EXPECT_EQ(Grid::mesh_hops(from, to), walked_hops(grid, from, to, false));
        EXPECT_EQ(grid.hops(from, to), walked_hops(grid, from, to, grid.torus()));
      }
    }
  }
}

/// All choices of turns of two boxes, by placing every task and adding up every pair: what LeastHops works out from
/// sums.
std::uint64_t least_by_brute_force(const Join& join, const Merge& merge) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Orientation& a_turn : orientations_of(join.a_extents)) {
    for (const Orientation& b_turn : orientations_of(join.b_extents)) {
      std::uint64_t sum = 0;
      for (const TaskPair& pair : merge.crossing) {
        const Cell a = a_turn.apply(merge.cells[pair.a], join.a_extents);
        Cell b = b_turn.apply(merge.cells[pair.b], join.b_extents);
        b[join.axis] += join.a_extents[join.axis];
        sum += (pair.a_to_b + pair.b_to_a) * Grid::mesh_hops(a, b);
      }
      least = std::min(least, sum);
    }
  }
  return least;
}

std::uint64_t sum_of(const Join& join, const Merge& merge, Turns turns) {
  std::uint64_t sum = 0;
  for (const TaskPair& pair : merge.crossing) {
    const Cell a = join.a_turns[turns.a].apply(merge.cells[pair.a], join.a_extents);
    Cell b = join.b_turns[turns.b].apply(merge.cells[pair.b], join.b_extents);
    b[join.axis] += join.a_extents[join.axis];
    sum += (pair.a_to_b + pair.b_to_a) * Grid::mesh_hops(a, b);
  }
  return sum;
}

TEST(LeastHops, FindsWhatBruteForceFindsForEveryShapeUpTo64Nodes) {
  std::mt19937 random(3);
  for (std::uint32_t x = 1; x <= 4; ++x) {
    for (std::uint32_t y = 1; y <= 4; ++y) {
      for (std::uint32_t z = 1; z <= 2; ++z) {
        for (unsigned axis = 0; axis < 3; ++axis) {
          const Cell box{x, y, z};
          const Join join(axis, box, box);
          const std::uint32_t size = x * y * z;
          std::vector<Cell> cells(2 * std::size_t{size});
          for (std::uint32_t i = 0; i < size; ++i) cells[i] = cells[size + i] = {i % x, i / x % y, i / (x * y)};
          std::vector<TaskPair> pairs;
          for (int i = 0; i < 20; ++i) {
            pairs.push_back({static_cast<std::uint32_t>(random() % size),
                             size + static_cast<std::uint32_t>(random() % size), random() % 100, random() % 100});
          }
          const Merge merge{0, size, pairs, cells};
          EXPECT_EQ(sum_of(join, merge, LeastHops().choose(join, merge)), least_by_brute_force(join, merge));
        }
      }
    }
  }
}

/// FNV-1a.
std::uint64_t digest(const TaskMapping& mapping) {
  std::uint64_t hash = 14695981039346656037U;
  for (const std::uint32_t node : mapping) hash = (hash ^ node) * 1099511628211U;
  return hash;
}

TEST(TaskMapping, MergingGivesTheSameMappingOnEveryHost) {
  struct Known {
    std::string grid;
    std::array<std::uint64_t, 3> digests;  // by rule
  };
  // Grids that are joined by twos, by threes and fives, by sevens, and at once.
  const std::vector<Known> known{{"torus:8x8x8", {0x133c34d2448dadf, 0xfee72766acb20f05, 0x46c37dc65453cea1}},
                                 {"mesh:3x9x5", {0xba254c182e27bdd0, 0xb769ef577dc8d5d4, 0x5cb60af4438cf9d8}},
                                 {"torus:7x7x2", {0x21652446156284f6, 0x579424b596247ef2, 0xb5cfde2dd03e052a}},
                                 {"mesh:13", {0xcfd717aaa29e1a9f, 0x84c03d435872d593, 0x6f2c06603f4cae55}}};
  for (const auto& [name, digests] : known) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = random_graph(grid.nodes(), 1);
    for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
      EXPECT_EQ(digest(map_by_merging(graph, grid, kRules[rule])), digests[rule]) << name << " rule " << rule;
    }
  }
}

TEST(TaskMapping, MincostIsNeverWorseThanNoneOnThePapersGraphs) {
  const Grid small({8, 8, 8}, true);
  const Grid large({16, 16, 16}, true);
  const std::vector<std::pair<TaskGraph, Grid>> settings{
      {bruck_graph(4096, 2048), large}, {cg_graph(512), small}, {sp_graph(484), small}};
  for (const auto& [graph, grid] : settings) {
    const auto cost = [&](MergeRule rule) {
      return mapping_cost(graph, map_by_merging(graph, grid, rule), grid).hop_bytes;
    };
    EXPECT_LE(cost(MergeRule::mincost), cost(MergeRule::none));
  }
}

TEST(TaskMapping, MinlinkLoadsNoLinkMoreThanNoneOnAMesh) {
  // On a mesh the last merge's own busiest link is that of the whole mapping.
  const Grid grid({8, 8, 8}, false);
  for (const TaskGraph& graph : {cg_graph(512), sp_graph(484)}) {
    const auto most = [&](MergeRule rule) {
      return mapping_cost(graph, map_by_merging(graph, grid, rule), grid).max_link_bytes;
    };
    EXPECT_LE(most(MergeRule::minlink), most(MergeRule::none));
  }
}

TEST(TaskMapping, RefinementIsNeverWorseThanAnyOtherMethod) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = random_graph(grid.nodes(), 8);
    const MappingCost by_cost = mapping_cost(graph, map_by_refinement(graph, grid), grid);
    const MappingCost by_link =
        mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = MappingObjective::link}), grid);
    std::vector<TaskMapping> others;
    for (const MergeRule rule : {MergeRule::mincost, MergeRule::minlink}) {
      others.push_back(map_by_merging(graph, grid, rule));
    }
    if (has_scotch()) others.push_back(map_by_scotch(graph, grid));
    for (const TaskMapping& other : others) {
      const MappingCost cost = mapping_cost(graph, other, grid);
      EXPECT_LE(by_cost.torus_hop_bytes, cost.torus_hop_bytes) << name;
      EXPECT_LE(by_link.max_link_bytes, cost.max_link_bytes) << name;
    }
  }
}

/// A halo exchange: every task of a grid of these extents exchanges the same bytes with the tasks beside it.
TaskGraph halo_graph(const GridPosition& extents, bool periodic, const std::vector<TaskId>& label) {
  std::vector<Transfer> transfers;
  const auto task = [&](const GridPosition& at) { return label[at[0] + extents[0] * (at[1] + extents[1] * at[2])]; };
  for (TaskId i = 0; i < label.size(); ++i) {
    const GridPosition at{i % extents[0], i / extents[0] % extents[1], i / (extents[0] * extents[1])};
    for (unsigned axis = 0; axis < 3; ++axis) {
      GridPosition beside = at;
      beside[axis] = (at[axis] + 1) % extents[axis];
      if (extents[axis] == 1 || (extents[axis] == 2 && at[axis] == 1) || (!periodic && beside[axis] == 0)) continue;
      transfers.push_back({task(at), task(beside), 1000});
      transfers.push_back({task(beside), task(at), 1000});
    }
  }
  return {static_cast<TaskId>(label.size()), std::move(transfers)};
}

TEST(TaskMapping, AHaloOfAGridOnItselfIsMappedWithOneHopAMessageWhateverTheOrderOfItsTasks) {
  std::mt19937 random(7);
  const std::vector<GridPosition> shapes{{3, 3, 1},  {4, 4, 1}, {8, 8, 1},    {4, 6, 1},   {3, 3, 3},
                                         {4, 4, 4},  {4, 8, 2}, {5, 7, 3},    {8, 8, 8},   {12, 12, 1},
                                         {16, 1, 1}, {7, 9, 5}, {10, 10, 10}, {16, 16, 16}};
  for (const GridPosition& extents : shapes) {
    for (const bool periodic : {true, false}) {
      for (const bool shuffled : {false, true}) {
        const Grid grid({extents[0], extents[1], extents[2]}, true);
        std::vector<TaskId> label(grid.nodes());
        std::iota(label.begin(), label.end(), 0U);
        if (shuffled) std::ranges::shuffle(label, random);
        const TaskGraph graph = halo_graph(extents, periodic, label);
        for (const MappingObjective objective : {MappingObjective::cost, MappingObjective::link}) {
          const MappingCost cost =
              mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = objective}), grid);
          EXPECT_EQ(cost.torus_hop_bytes, graph.total_bytes()) << grid.name() << periodic << shuffled;
          EXPECT_EQ(cost.max_link_bytes, 1000) << grid.name() << periodic << shuffled;
        }
      }
    }
  }
}

TEST(TaskMapping, RefinementIsNeverWorseThanNaturalOrder) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    for (unsigned seed = 1; seed <= 4; ++seed) {
      // Tasks that are in a good order already, and a few messages that disturb it.
      const TaskGraph disturbing = random_graph(grid.nodes(), seed);
      std::vector<Transfer> transfers(disturbing.transfers().begin(), disturbing.transfers().end());
      for (TaskId task = 0; task + 1 < grid.nodes(); ++task) transfers.push_back({task, task + 1, 2000});
      const TaskGraph graph(grid.nodes(), std::move(transfers));
      const MappingCost natural = mapping_cost(graph, map_in_order(graph, grid), grid);
      for (const double effort : {0.0, 0.01, 1.0}) {
        const auto refined = [&](MappingObjective objective) {
          return mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = objective, .effort = effort}),
                              grid);
        };
        const MappingCost by_cost = refined(MappingObjective::cost);
        EXPECT_LE(by_cost.torus_hop_bytes, natural.torus_hop_bytes) << name;
        EXPECT_LE(by_cost.max_link_bytes, natural.max_link_bytes) << name;
        EXPECT_LE(refined(MappingObjective::link).max_link_bytes, natural.max_link_bytes) << name;
      }
    }
  }
}

TEST(TaskMapping, ProgramsAreMappedNoWorseThanInNaturalOrderInCostAndBusiestLink) {
  std::vector<std::pair<TaskGraph, std::string>> cases;
  for (const char* name : {"torus:4x4", "torus:5x5", "torus:3x3x3", "mesh:4x4", "torus:4x4x4", "mesh:16"}) {
    const Grid grid = Grid::parse(name);
    cases.emplace_back(bruck_graph(grid.nodes(), 2048), name);
    cases.emplace_back(sp_graph(most_sp_tasks(grid.nodes(), 'A'), 'A'), name);
    if (std::has_single_bit(grid.nodes())) cases.emplace_back(cg_graph(grid.nodes(), 'A'), name);
  }
  for (const GridPosition& extents : {GridPosition{4, 8, 1}, GridPosition{2, 4, 8}, GridPosition{5, 5, 5}}) {
    std::vector<TaskId> label(std::size_t{extents[0]} * extents[1] * extents[2]);
    std::iota(label.begin(), label.end(), 0U);
    for (const bool periodic : {true, false}) {
      const TaskGraph graph = halo_graph(extents, periodic, label);
      for (const bool torus : {true, false}) {
        cases.emplace_back(graph, Grid({extents[0], extents[1], extents[2]}, torus).name());
        cases.emplace_back(graph, Grid({graph.tasks()}, torus).name());
      }
    }
  }
  for (const auto& [graph, name] : cases) {
    const Grid grid = Grid::parse(name);
    const MappingCost natural = mapping_cost(graph, map_in_order(graph, grid), grid);
    const MappingCost cost = mapping_cost(graph, map_by_refinement(graph, grid), grid);
    EXPECT_LE(cost.torus_hop_bytes, natural.torus_hop_bytes) << name << " " << graph.tasks();
    EXPECT_LE(cost.max_link_bytes, natural.max_link_bytes) << name << " " << graph.tasks();
  }
}

/// The least busiest link of all mappings, and the least cost of those whose busiest link carries no more than that of
/// natural order, by trying all.
std::pair<std::uint64_t, std::uint64_t> least_of_all(const TaskGraph& graph, const Grid& grid) {
  // By pair of nodes: the links between them, walked here, along x first, the way that does not close a ring on a tie.
  std::vector<std::vector<std::size_t>> routes;
  for (std::uint32_t from = 0; from < grid.nodes(); ++from) {
    for (std::uint32_t to = 0; to < grid.nodes(); ++to) {
      std::vector<std::size_t>& route = routes.emplace_back();
      GridPosition at = grid.position(from);
      const GridPosition end = grid.position(to);
      for (unsigned axis = 0; axis < 3; ++axis) {
        const std::uint32_t extent = grid.extents()[axis];
        const std::uint32_t direct = at[axis] < end[axis] ? end[axis] - at[axis] : at[axis] - end[axis];
        const bool up = (at[axis] < end[axis]) == (!grid.torus() || 2 * direct <= extent);
        while (at[axis] != end[axis]) {
          route.push_back(((at[2] * 16 + at[1]) * 16 + at[0]) * 6 + axis * 2 + (up ? 1 : 0));
          at[axis] = (at[axis] + (up ? 1 : extent - 1)) % extent;
        }
      }
    }
  }
  std::vector<std::uint32_t> nodes(grid.nodes());
  std::iota(nodes.begin(), nodes.end(), 0U);
  std::pair<std::uint64_t, std::uint64_t> least{~std::uint64_t{0}, ~std::uint64_t{0}};
  std::optional<std::uint64_t> natural;  // the first mapping's busiest link
  std::vector<std::uint64_t> load(16 * 16 * 16 * 6);
  do {
    std::uint64_t cost = 0;
    std::uint64_t most = 0;
    for (const auto& [from, to, bytes] : graph.transfers()) {
      for (const std::size_t link : routes[nodes[from] * grid.nodes() + nodes[to]]) {
        cost += bytes;
        most = std::max(most, load[link] += bytes);
      }
    }
    for (const auto& [from, to, bytes] : graph.transfers()) {
      for (const std::size_t link : routes[nodes[from] * grid.nodes() + nodes[to]]) load[link] = 0;
    }
    if (!natural) natural = most;
    least = {most <= *natural ? std::min(least.first, cost) : least.first, std::min(least.second, most)};
  } while (std::ranges::next_permutation(nodes).found);
  return least;
}

TEST(TaskMapping, SmallGraphsAreMappedAsBruteForceMapsThem) {
  std::mt19937 random(11);
  int cases = 0;
  int best_costs = 0;
  int best_links = 0;
  for (int round = 0; round < 5; ++round) {
    for (const char* name : {"torus:2x2x2", "torus:2x4", "mesh:2x4", "mesh:7", "torus:7"}) {
      const Grid grid = Grid::parse(name);
      std::vector<Transfer> transfers;
      for (TaskId from = 0; from < grid.nodes(); ++from) {
        for (TaskId to = 0; to < grid.nodes(); ++to) {
          if (from != to && random() % 5 < 2) transfers.push_back({from, to, 1 + random() % 1000});
        }
      }
      const TaskGraph graph(grid.nodes(), std::move(transfers));
      const auto [least_cost, least_link] = least_of_all(graph, grid);
      const auto refined = [&](MappingObjective objective) {
        return mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = objective}), grid);
      };
      const std::uint64_t cost = refined(MappingObjective::cost).torus_hop_bytes;
      const std::uint64_t link = refined(MappingObjective::link).max_link_bytes;
      EXPECT_GE(cost, least_cost);
      EXPECT_GE(link, least_link);
      EXPECT_LE(static_cast<double>(cost), 1.1 * static_cast<double>(least_cost)) << name << " " << round;
      EXPECT_LE(static_cast<double>(link), 1.1 * static_cast<double>(least_link)) << name << " " << round;
      ++cases;
      best_costs += cost == least_cost ? 1 : 0;
      best_links += link == least_link ? 1 : 0;
    }
  }
  EXPECT_GE(best_costs * 60, cases * 55) << best_costs << " of " << cases;
  EXPECT_GE(best_links * 60, cases * 55) << best_links << " of " << cases;
}

TEST(TaskMapping, TheLinkObjectiveIsNeverBehindTheCostObjective) {
  for (const std::string& name : kGrids) {
    const Grid grid = Grid::parse(name);
    const TaskGraph graph = random_graph(grid.nodes(), 21);
    const auto busiest = [&](MappingObjective objective) {
      return mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = objective}), grid).max_link_bytes;
    };
    EXPECT_LE(busiest(MappingObjective::link), busiest(MappingObjective::cost)) << name;
  }
}

TEST(TaskMapping, RefinementBeatsMergingAndScotchOnCgAndSp) {
  const Grid grid({8, 8, 8}, true);
  for (const TaskGraph& graph : {cg_graph(512), sp_graph(484)}) {
    std::vector<TaskMapping> others;
    for (const MergeRule rule : kRules) others.push_back(map_by_merging(graph, grid, rule));
    if (has_scotch()) others.push_back(map_by_scotch(graph, grid));
    const MappingCost by_cost = mapping_cost(graph, map_by_refinement(graph, grid), grid);
    const MappingCost by_link =
        mapping_cost(graph, map_by_refinement(graph, grid, {}, {.objective = MappingObjective::link}), grid);
    for (const TaskMapping& other : others) {
      const MappingCost cost = mapping_cost(graph, other, grid);
      EXPECT_LT(by_cost.torus_hop_bytes, cost.torus_hop_bytes);
      EXPECT_LT(by_link.max_link_bytes, cost.max_link_bytes);
    }
  }
}

TEST(TaskMapping, RefiningIsNeverWorseThanItsStart) {
  const Grid grid = Grid::parse("torus:4x3x5");
  const TaskGraph graph = random_graph(60, 2);
  TaskMapping start = map_in_order(graph, grid);
  std::mt19937 random(1);
  for (int i = 0; i < 5; ++i) {
    std::ranges::shuffle(start, random);
    for (const MappingObjective objective : {MappingObjective::cost, MappingObjective::link}) {
      const MappingCost before = mapping_cost(graph, start, grid);
      const MappingCost after =
          mapping_cost(graph, refine_mapping(graph, grid, start, {}, {.objective = objective, .effort = 0.1}), grid);
      if (objective == MappingObjective::cost) {
        EXPECT_LE(after.torus_hop_bytes, before.torus_hop_bytes);
      } else {
        EXPECT_LE(after.max_link_bytes, before.max_link_bytes);
      }
    }
  }
}

TEST(TaskMapping, DoesNotDependOnThreads) {
  const Grid grid({8, 8, 8}, true);
  const TaskGraph graph = sp_graph(484);
  for (const MappingObjective objective : {MappingObjective::cost, MappingObjective::link}) {
    const auto with = [&](unsigned threads) {
      return map_by_refinement(graph, grid, {}, {.objective = objective, .threads = threads});
    };
    const TaskMapping one = with(1);
    EXPECT_EQ(one, with(1));
    EXPECT_EQ(one, with(2));
    EXPECT_EQ(one, with(5));
  }
}

TEST(TaskMapping, RelabelledTasksCostAFewPercentMoreOrLess) {
  constexpr double kFewPercent = 0.08;  // refined mappings of one graph lie closer together than this
  const Grid grid({8, 8, 8}, true);
  const TaskGraph graph = sp_graph(484);
  const auto cost = [&](const TaskGraph& of) {
    return static_cast<double>(mapping_cost(of, map_by_refinement(of, grid), grid).torus_hop_bytes);
  };
  const double as_it_is = cost(graph);
  std::vector<TaskId> labels(graph.tasks());
  std::iota(labels.begin(), labels.end(), 0U);
  std::mt19937 random(4);
  for (int i = 0; i < 3; ++i) {
    std::ranges::shuffle(labels, random);
    std::vector<Transfer> transfers;
    for (const auto& [from, to, bytes] : graph.transfers()) transfers.push_back({labels[from], labels[to], bytes});
    EXPECT_NEAR(cost(TaskGraph(graph.tasks(), std::move(transfers))) / as_it_is, 1, kFewPercent);
  }
}

TEST(TaskMapping, EndsEarlyWhenAskedTo) {
  const Grid grid({8, 8, 8}, true);
  const TaskGraph graph = cg_graph(512);
  const MappingProgress at_once = [](double) { return false; };
  EXPECT_EQ(map_by_merging(graph, grid, MergeRule::mincost, {}, at_once), map_by_merging(graph, grid, MergeRule::none));
  EXPECT_TRUE(one_node_each(map_by_refinement(graph, grid, {}, {}, at_once), grid));
  EXPECT_TRUE(one_node_each(map_by_refinement(graph, grid, {}, {.objective = MappingObjective::link}, at_once), grid));
}

TEST(TaskMapping, TellsProgressThatOnlyGrows) {
  const Grid grid({4, 4, 4}, true);
  double last = 0;
  static_cast<void>(map_by_refinement(cg_graph(64), grid, {}, {.threads = 2}, [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    return true;
  }));
  EXPECT_GT(last, 0.5);
}

TEST(TaskMapping, RefusesMoreTasksThanNodes) {
  const Grid grid({2, 2}, true);
  const TaskGraph graph(5, {});
  EXPECT_THROW(static_cast<void>(map_in_order(graph, grid)), Error);
  EXPECT_THROW(static_cast<void>(map_by_merging(graph, grid, MergeRule::mincost)), Error);
  EXPECT_THROW(static_cast<void>(map_by_refinement(graph, grid)), Error);
  EXPECT_THROW(static_cast<void>(map_by_scotch(graph, grid)), Error);
}

TEST(TaskMapping, RefusesAMappingThatIsNone) {
  const Grid grid({2, 2}, true);
  const TaskGraph graph(2, {{0, 1, 1}});
  EXPECT_THROW(static_cast<void>(mapping_cost(graph, {0}, grid)), Error);
  EXPECT_THROW(static_cast<void>(mapping_cost(graph, {1, 1}, grid)), Error);
  EXPECT_THROW(static_cast<void>(mapping_cost(graph, {0, 4}, grid)), Error);
}

TEST(Grid, ReadsWhatItPrintsAndRefusesTheRest) {
  for (const std::string& name : kGrids) EXPECT_EQ(Grid::parse(name).name(), name);
  for (const char* bad : {"", "torus", "torus:", "torus:4x", "torus:4xx4", "ring:4", "torus:0x4", "torus:2x2x2x2",
                          "mesh:4,4", "torus:-4", "torus:4x4 ", "torus:99999999x9"}) {
    EXPECT_THROW(static_cast<void>(Grid::parse(bad)), Error) << bad;
  }
  EXPECT_EQ(parse_axis_order("zxy"), (std::array{2U, 0U, 1U}));
  for (const char* bad : {"", "xy", "xxz", "xyzx", "abc"}) {
    EXPECT_THROW(static_cast<void>(parse_axis_order(bad)), Error) << bad;
  }
}

}  // namespace
}  // namespace gdr::interconnect
