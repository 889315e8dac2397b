// Models for the rows of Sanno and Kise, from task mapping: costs, busiest links, and how long the optimisation takes.
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/mapping_output.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/program_traces.h"
#include "gdr/interconnect/replay.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/task_mapping.h"
#include "once_each.h"
#include "systems.h"

namespace gdr::validation {
namespace {

using interconnect::Grid;
using interconnect::MappingCost;
using interconnect::MergeRule;
using interconnect::TaskGraph;
using interconnect::TaskMapping;

constexpr std::uint64_t kBruckBlock = 2048;  // bytes; Sanno and Kise, figure 7
constexpr std::array kMethods{MappingMethod::xyz, MappingMethod::none, MappingMethod::mincost, MappingMethod::minlink};

TaskMapping mapped(const TaskGraph& graph, const Grid& grid, MappingMethod method) {
  switch (method) {
    case MappingMethod::xyz:
      return interconnect::map_in_order(graph, grid);
    case MappingMethod::none:
      return interconnect::map_by_merging(graph, grid, MergeRule::none);
    case MappingMethod::mincost:
      return interconnect::map_by_merging(graph, grid, MergeRule::mincost);
    case MappingMethod::minlink:
      return interconnect::map_by_merging(graph, grid, MergeRule::minlink);
  }
  GDR_ASSERT(false, "a method of mapping is one of four");
  return {};
}

/// Processor time of this thread so far, in seconds.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kNano;
}

/// Costs and times of the paper's three graphs, each mapped and replayed when first needed.
class Mappings {
 public:
  /// Seconds that the program's messages take in its order, on links of OpenNSIM's bandwidth and latency.
  double seconds(MappingGraph which, MappingMethod method) {
    return seconds_.of({which, method}, [&] {
      const auto& [graph, grid] = setting(which);
      const base::Description network = interconnect::load_network("opennsim-torus", "grid");
      const interconnect::Topology torus =
          interconnect::grid_topology(grid, {network.value("bandwidth") * kGiga, network.value("latency") * kMicro});
      return run_s4u(
                 replay_graph(program(which), grid.nodes(),
                              {.envelope_bytes = interconnect::kSmpiEnvelope, .node_of_rank = mapping(which, method)}),
                 torus)
          .seconds;
    });
  }
  /// The same as a share of the time with the tasks in order, in percent.
  double percent_of_order(MappingGraph which, MappingMethod method) {
    constexpr double kPercent = 100;
    return kPercent * seconds(which, method) / seconds(which, MappingMethod::xyz);
  }

  /// True if the program is faster with this method than with each of the others.
  bool is_fastest(MappingGraph which, MappingMethod method) {
    return std::ranges::all_of(kMethods, [&](MappingMethod other) {
      return other == method || seconds(which, method) < seconds(which, other);
    });
  }
  /// True if each method is faster than the tasks in order.
  bool every_method_gains(MappingGraph which) {
    return std::ranges::all_of(kMethods, [&](MappingMethod method) {
      return method == MappingMethod::xyz || percent_of_order(which, method) < 100;
    });
  }

  const MappingCost& cost(MappingGraph which, MappingMethod method) {
    return costs_.of({which, method}, [&] {
      const auto& [graph, grid] = setting(which);
      return interconnect::mapping_cost(graph, mapping(which, method), grid);
    });
  }

  /// True if the graph `bruck` is mapped on a cube within the limit, in processor seconds of one thread, in the best of
  /// three runs. A run within the limit makes further runs needless, and for the paper's cube one is there.
  bool is_quick(std::uint32_t side, MappingMethod method, double most_seconds) {
    const Grid cube({side, side, side}, true);
    int runs = 3;
    if (cube.nodes() == setting(MappingGraph::bruck).second.nodes()) {
      if (found(MappingGraph::bruck, method).seconds <= most_seconds) return true;
      --runs;
    }
    const TaskGraph graph = interconnect::bruck_graph(cube.nodes(), kBruckBlock);
    for (; runs > 0; --runs) {
      if (timed(graph, cube, method).seconds <= most_seconds) return true;
    }
    return false;
  }

 private:
  using Key = std::pair<MappingGraph, MappingMethod>;
  struct Found {
    TaskMapping mapping;
    double seconds;  // of processor time
  };

  static Found timed(const TaskGraph& graph, const Grid& grid, MappingMethod method) {
    const double start = thread_seconds();
    TaskMapping mapping = mapped(graph, grid, method);
    return {std::move(mapping), thread_seconds() - start};
  }

  const Found& found(MappingGraph which, MappingMethod method) {
    return found_.of({which, method}, [&] {
      const auto& [graph, grid] = setting(which);
      return timed(graph, grid, method);
    });
  }
  const TaskMapping& mapping(MappingGraph which, MappingMethod method) { return found(which, method).mapping; }

  static interconnect::Trace trace_of(MappingGraph which, std::uint32_t tasks) {
    switch (which) {
      case MappingGraph::bruck:
        return interconnect::bruck_trace(tasks, kBruckBlock);
      case MappingGraph::cg:
        return interconnect::cg_trace(tasks);
      case MappingGraph::sp:
        return interconnect::sp_trace(tasks);
    }
    GDR_ASSERT(false, "a graph is one of three");
    return {};
  }

  const interconnect::Program& program(MappingGraph which) {
    return programs_.of(which,
                        [&] { return interconnect::make_program(trace_of(which, setting(which).first.tasks())); });
  }

  using Setting = std::pair<TaskGraph, Grid>;
  const Setting& setting(MappingGraph which) {
    return settings_.of(which, [&]() -> Setting {
      if (which == MappingGraph::bruck) {
        return {interconnect::bruck_graph(4096, kBruckBlock), Grid({16, 16, 16}, true)};
      }
      const Grid small({8, 8, 8}, true);
      if (which == MappingGraph::cg) return {interconnect::cg_graph(small.nodes()), small};
      return {interconnect::sp_graph(interconnect::most_sp_tasks(small.nodes())), small};
    });
  }

  OnceEach<MappingGraph, Setting> settings_;
  OnceEach<MappingGraph, interconnect::Program> programs_;
  OnceEach<Key, Found> found_;
  OnceEach<Key, MappingCost> costs_;
  OnceEach<Key, double> seconds_;
};

/// Seconds in the row's unit.
double in_time_unit(const Row& row, double seconds) {
  if (row.unit == "ms") return seconds * kKilo;
  if (row.unit == "us") return seconds * kMega;
  throw Error("row " + row.id.text() + ": unit '" + row.unit + "' is no ms or us");
}

/// A number of bytes in the row's unit, which is a decimal multiple of the byte.
double in_unit(const Row& row, std::uint64_t bytes) {
  static const std::map<std::string_view, double> kUnits{{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
  const auto unit = kUnits.find(row.unit);
  if (unit == kUnits.end()) throw Error("row " + row.id.text() + ": unit '" + row.unit + "' is no number of bytes");
  return static_cast<double>(bytes) / unit->second;
}

/// About the processor seconds of a row's replay, of which only the order counts. A placement that spreads the messages
/// well lets almost each of them end at a different time, and SimGrid then computes the shares of all anew.
double replay_seconds(const Row& row) {
  if (*row.what.graph == MappingGraph::bruck) return *row.what.method == MappingMethod::minlink ? 8 : 1;
  if (*row.what.graph == MappingGraph::sp) return *row.what.method == MappingMethod::xyz ? 1 : 5;
  return 1;
}

/// True if all rules and the refinement give every task of a graph of 315 tasks a node of its own, and all costs are
/// below that of the tasks in order.
bool maps_odd_numbers() {
  const Grid grid({7, 9, 5}, true);
  const TaskGraph graph = interconnect::bruck_graph(grid.nodes(), kBruckBlock);
  const std::uint64_t in_order =
      interconnect::mapping_cost(graph, interconnect::map_in_order(graph, grid), grid).torus_hop_bytes;
  std::vector<TaskMapping> mappings{interconnect::map_by_refinement(graph, grid)};
  for (const MergeRule rule : {MergeRule::none, MergeRule::mincost, MergeRule::minlink}) {
    mappings.push_back(interconnect::map_by_merging(graph, grid, rule));
  }
  return std::ranges::all_of(mappings, [&](const TaskMapping& mapping) {
    return interconnect::mapping_cost(graph, mapping, grid).torus_hop_bytes < in_order;
  });
}

/// True if ranks are placed as in table 1: rank 0 ... 26 counts x, then y, then z.
bool counts_as_table_1() {
  const Grid grid({3, 3, 3}, true);
  const TaskGraph graph(27, {});
  const TaskMapping mapping = interconnect::map_in_order(graph, grid);
  for (std::uint32_t rank = 0; rank < 27; ++rank) {
    if (grid.position(mapping[rank]) != interconnect::GridPosition{rank % 3, rank / 3 % 3, rank / 9}) return false;
  }
  return true;
}

/// True if, as in figure 8, some links carry far more with XYZ than any link does with mincost or minlink.
bool spreads_as_figure_8(Mappings& mappings) {
  const std::uint64_t in_order = mappings.cost(MappingGraph::bruck, MappingMethod::xyz).max_link_bytes;
  return 4 * mappings.cost(MappingGraph::bruck, MappingMethod::mincost).max_link_bytes < in_order &&
         4 * mappings.cost(MappingGraph::bruck, MappingMethod::minlink).max_link_bytes < in_order;
}

}  // namespace

std::vector<Model> sanno_mapping_models() {
  const auto mappings = std::make_shared<Mappings>();
  const auto cost_of = [mappings](const Row& row) { return mappings->cost(*row.what.graph, *row.what.method); };
  return {
      {"mapping.cost",
       {CaseField::graph, CaseField::method},
       [cost_of](const Row& row) -> Ours { return in_unit(row, cost_of(row).hop_bytes); }},
      {"mapping.busiest_link",
       {CaseField::graph, CaseField::method},
       [cost_of](const Row& row) -> Ours { return in_unit(row, cost_of(row).max_link_bytes); }},
      {"mapping.replay",
       {CaseField::graph, CaseField::method},
       [mappings](const Row& row) -> Ours {
         if (!interconnect::has_simgrid()) return {};
         return in_time_unit(row, mappings->seconds(*row.what.graph, *row.what.method));
       },
       replay_seconds},
      {"mapping.replay_share",
       {CaseField::graph, CaseField::method},
       [mappings](const Row& row) -> Ours {
         if (!interconnect::has_simgrid()) return {};
         return mappings->percent_of_order(*row.what.graph, *row.what.method);
       }},
      {"mapping.replay_saved",
       {CaseField::graph, CaseField::method},
       [mappings](const Row& row) -> Ours {
         if (!interconnect::has_simgrid()) return {};
         return 100 - mappings->percent_of_order(*row.what.graph, *row.what.method);
       }},
      {"mapping.replay_fastest",
       {CaseField::graph, CaseField::method},
       [mappings](const Row& row) -> Ours {
         if (!interconnect::has_simgrid()) return {};
         return mappings->is_fastest(*row.what.graph, *row.what.method);
       }},
      {"mapping.replay_gains",
       {CaseField::graph},
       [mappings](const Row& row) -> Ours {
         if (!interconnect::has_simgrid()) return {};
         return mappings->every_method_gains(*row.what.graph);
       }},
      // True if the mapping is found within the limit, in seconds. The page shows no times, since no two runs agree.
      {"mapping.quick",
       {CaseField::side, CaseField::method, CaseField::limit},
       [mappings](const Row& row) -> Ours {
         return mappings->is_quick(*row.what.side, *row.what.method, *row.what.limit);
       }},
      {"mapping.odd_numbers", {}, [](const Row&) -> Ours { return maps_odd_numbers(); }},
      {"mapping.order", {}, [](const Row&) -> Ours { return counts_as_table_1(); }},
      {"mapping.spread", {}, [mappings](const Row&) -> Ours { return spreads_as_figure_8(*mappings); }}};
}

}  // namespace gdr::validation
