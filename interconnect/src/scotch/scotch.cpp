// Mapping by Scotch: converts graph and grid for Scotch, and its result to a mapping with one task on each node.
#include <fmt/format.h>

// scotch.h needs these but does not include them.
#include <cstdint>
#include <cstdio>

#include <scotch.h>

#include <algorithm>
#include <limits>

#include "gdr/base/error.h"
#include "gdr/interconnect/task_mapping.h"
#include "spread_doubles.h"

namespace gdr::interconnect {

namespace {

void check(int status, std::string_view what) {
  if (status != 0) throw Error(fmt::format("Scotch fails at {}", what));
}

/// The graph as Scotch reads it: both directions of an edge have the same weight, a 32-bit number.
struct ScotchGraph {
  std::vector<SCOTCH_Num> begin;
  std::vector<SCOTCH_Num> neighbours;
  std::vector<SCOTCH_Num> weights;
  SCOTCH_Graph graph{};

  explicit ScotchGraph(const TaskGraph& tasks) {
    // Weights are scaled so that their sum stays far below the limit of 32 bits, and never become 0.
    constexpr double kMostWeight = 1U << 29;
    const double scale = std::min(1.0, kMostWeight / (2 * static_cast<double>(tasks.total_bytes()) + 1));
    std::vector<Transfer> edges;
    for (const auto& [from, to, bytes] : tasks.transfers()) {
      edges.push_back({from, to, bytes});
      edges.push_back({to, from, bytes});
    }
    std::ranges::sort(edges, {}, [](const Transfer& edge) { return std::pair(edge.from, edge.to); });
    begin.assign(tasks.tasks() + 1, 0);
    for (std::size_t i = 0; i < edges.size();) {
      std::uint64_t bytes = 0;
      std::size_t next = i;
      for (; next < edges.size() && edges[next].from == edges[i].from && edges[next].to == edges[i].to; ++next) {
        bytes += edges[next].bytes;
      }
      ++begin[edges[i].from + 1];
      neighbours.push_back(static_cast<SCOTCH_Num>(edges[i].to));
      weights.push_back(std::max(SCOTCH_Num{1}, static_cast<SCOTCH_Num>(static_cast<double>(bytes) * scale)));
      i = next;
    }
    for (std::size_t task = 0; task < tasks.tasks(); ++task) begin[task + 1] += begin[task];
    check(SCOTCH_graphInit(&graph), "making a graph");
    const auto vertices = static_cast<SCOTCH_Num>(tasks.tasks());
    const auto arcs = static_cast<SCOTCH_Num>(neighbours.size());
    check(SCOTCH_graphBuild(&graph, 0, vertices, begin.data(), nullptr, nullptr, nullptr, arcs, neighbours.data(),
                            weights.data()),
          "building the task graph");
  }
  ~ScotchGraph() { SCOTCH_graphExit(&graph); }
  ScotchGraph(const ScotchGraph&) = delete;
  ScotchGraph& operator=(const ScotchGraph&) = delete;
};

struct ScotchGrid {
  SCOTCH_Arch arch{};

  explicit ScotchGrid(const Grid& grid) {
    std::array<SCOTCH_Num, Grid::kMostAxes> extents{};
    for (unsigned axis = 0; axis < grid.axes(); ++axis) extents[axis] = static_cast<SCOTCH_Num>(grid.extents()[axis]);
    check(SCOTCH_archInit(&arch), "making a topology");
    const auto axes = static_cast<SCOTCH_Num>(grid.axes());
    check(grid.torus() ? SCOTCH_archTorusX(&arch, axes, extents.data()) : SCOTCH_archMeshX(&arch, axes, extents.data()),
          "building " + grid.name());
  }
  ~ScotchGrid() { SCOTCH_archExit(&arch); }
  ScotchGrid(const ScotchGrid&) = delete;
  ScotchGrid& operator=(const ScotchGrid&) = delete;
};

/// One thread and a seed of our own, for the same result every time.
struct ScotchContext {
  SCOTCH_Context context{};

  explicit ScotchContext(int seed) {
    check(SCOTCH_contextInit(&context), "making a context");
    check(SCOTCH_contextThreadSpawn(&context, 1, nullptr), "starting its thread");
    check(SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1), "asking for determinism");
    SCOTCH_contextRandomSeed(&context, seed);
    check(SCOTCH_contextRandomClone(&context), "making random numbers of its own");
    SCOTCH_contextRandomReset(&context);
  }
  ~ScotchContext() { SCOTCH_contextExit(&context); }
  ScotchContext(const ScotchContext&) = delete;
  ScotchContext& operator=(const ScotchContext&) = delete;
};

/// A graph seen through a context.
struct BoundGraph {
  SCOTCH_Graph graph{};

  BoundGraph(ScotchContext& context, const ScotchGraph& tasks) {
    check(SCOTCH_graphInit(&graph), "making a graph");
    check(SCOTCH_contextBindGraph(&context.context, &tasks.graph, &graph), "binding the graph");
  }
  ~BoundGraph() { SCOTCH_graphExit(&graph); }
  BoundGraph(const BoundGraph&) = delete;
  BoundGraph& operator=(const BoundGraph&) = delete;
};

struct ScotchStrategy {
  SCOTCH_Strat strategy{};

  ScotchStrategy() { check(SCOTCH_stratInit(&strategy), "making a strategy"); }
  ~ScotchStrategy() { SCOTCH_stratExit(&strategy); }
  ScotchStrategy(const ScotchStrategy&) = delete;
  ScotchStrategy& operator=(const ScotchStrategy&) = delete;
};

}  // namespace

bool has_scotch() { return true; }

TaskMapping map_by_scotch(const TaskGraph& graph, const Grid& grid) {
  static_cast<void>(map_in_order(graph, grid));  // throws unless there are enough nodes
  ScotchGraph tasks(graph);
  ScotchGrid nodes(grid);
  ScotchStrategy strategy;
  constexpr int kSeed = 1;
  ScotchContext context(kSeed);
  BoundGraph bound(context, tasks);
  std::vector<SCOTCH_Num> parts(graph.tasks());
  check(SCOTCH_graphMap(&bound.graph, &nodes.arch, &strategy.strategy, parts.data()), "mapping");
  TaskMapping mapping(graph.tasks());
  for (std::size_t task = 0; task < mapping.size(); ++task) mapping[task] = static_cast<std::uint32_t>(parts[task]);
  return spread_doubles(graph, grid, std::move(mapping));
}

}  // namespace gdr::interconnect
