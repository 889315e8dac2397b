// Models for the rows of Urino 2020, from schedules and closed forms.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gdr/base/units.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/hub_cost.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/summa.h"
#include "once_each.h"
#include "systems.h"

namespace gdr::validation {
namespace {

using namespace interconnect;  // names of this component are used throughout this file

constexpr Rank kNodes = 64;                  // Urino 2020, table 6
constexpr std::uint64_t kSummaOrder = 8192;  // table 7
constexpr double kBandwidth = 200e9;         // bytes/s of a node, table 6; cancels in every ratio

constexpr std::uint64_t kLongBroadcast = std::uint64_t{8} << 20;  // bytes: section 4.4, n = 8192

constexpr double kPublishedBound = 421766;  // equation 6

struct Variant {
  SummaAlgorithm algorithm;
  SummaLayout layout;
};

Variant variant_of(const Row& row) { return {*row.what.algorithm, *row.what.layout}; }

double theory_seconds(const Variant& variant, double nodes = kNodes) {
  return summa_theory(variant.algorithm, variant.layout, nodes, double{kSummaOrder}, kBandwidth).seconds;
}

constexpr Variant kReference{SummaAlgorithm::ca1, SummaLayout::square};

double relative_theory(const Row& row) { return theory_seconds(kReference) / theory_seconds(variant_of(row)); }

double relative_memory(const Row& row) {
  const Variant variant = variant_of(row);
  return summa_memory_words(variant.algorithm, variant.layout, kNodes, double{kSummaOrder}) /
         summa_memory_words(kReference.algorithm, kReference.layout, kNodes, double{kSummaOrder});
}

/// The table's relative numbers at 64 nodes follow from the actual memory, not from its limit for many nodes.
double speed_by_memory(const Row& row) { return relative_theory(row) / relative_memory(row); }

double hub_2d_by_1d(const Row&) {
  const auto seconds = [](bool two_dimensional) {
    return summa_theory(SummaAlgorithm::ca4, SummaLayout::square, kNodes, double{kSummaOrder}, kBandwidth,
                        two_dimensional)
        .seconds;
  };
  return seconds(true) / seconds(false);
}

HubCost cost_of(const Row& row) { return hub_cost(load_network(*row.what.network, "optical-hub-cost")); }

/// Largest number of nodes at which 2.5D CA3 is not yet faster than CA4.
double crossover(const Row&) {
  constexpr double kRounding = 1e-12;
  double nodes = 1;
  while (theory_seconds({SummaAlgorithm::ca3, SummaLayout::cube}, nodes + 1) >=
         theory_seconds({SummaAlgorithm::ca4, SummaLayout::square}, nodes + 1) * (1 - kRounding)) {
    ++nodes;
  }
  return nodes;
}

/// Options with SMPI's factors, which apply where no others are named.
SimulationOptions as_smpi() { return {.factors = load_flow_factors("smpi-factors")}; }

SummaPlan plan_of(const Variant& variant) {
  return make_summa({.nodes = kNodes,
                     .n = kSummaOrder,
                     .algorithm = variant.algorithm,
                     .layout = variant.layout,
                     .tree_radix = load_tree_radix("mvapich2")});
}

constexpr const char* kHub = "optical-hub-64";

/// Table 7; each cell is simulated when first needed.
class Table7 {
 public:
  /// How a cell is simulated.
  using Executor = SimulationResult (*)(const Schedule&, const Topology&, const SimulationOptions&);

  explicit Table7(Executor execute) : execute_(execute) {}

  /// How many times as fast as CA1 on the hub.
  double relative(const std::string& network, const Variant& variant) {
    return seconds(kHub, kReference) / seconds(network, variant);
  }

  double seconds(const std::string& network, const Variant& variant) { return cell(network, variant).seconds; }

  const SimulationResult& cell(const std::string& network, const Variant& variant) {
    return cells_.of({network, variant.algorithm, variant.layout},
                     [&] { return execute_(plan_of(variant).schedule, load_platform(network).topology, as_smpi()); });
  }

 private:
  Executor execute_;
  OnceEach<std::tuple<std::string, SummaAlgorithm, SummaLayout>, SimulationResult> cells_;
};

template <class Take>
void for_each_cell(const Take& take) {
  for (const char* network : {"optical-hub-64", "torus-64", "fat-tree-64"}) {
    for (int algorithm = 0; algorithm <= 4; ++algorithm) {
      take(network, Variant{static_cast<SummaAlgorithm>(algorithm), SummaLayout::square});
    }
    for (const SummaAlgorithm algorithm : {SummaAlgorithm::ca1, SummaAlgorithm::ca3}) {
      take(network, Variant{algorithm, SummaLayout::cube});
    }
  }
}

/// True if all 21 cells of table 7 take at most this much processor time, which other work on the computer does not
/// change.
bool are_cells_quick(Table7& table, double most_seconds) {
  double seconds = 0;
  for_each_cell(
      [&](const char* network, const Variant& variant) { seconds += table.cell(network, variant).processor_seconds; });
  return seconds <= most_seconds;
}

constexpr Variant kCa0{SummaAlgorithm::ca0, SummaLayout::square};
constexpr Variant kCa4{SummaAlgorithm::ca4, SummaLayout::square};

/// Time of an algorithm on a network divided by that on the hub.
double time_to_hub(Table7& table, const std::string& network, const Variant& variant) {
  return table.seconds(network, variant) / table.seconds(kHub, variant);
}

/// True if, as in the paper, CA4 on the hub is the fastest cell and CA2 on the fat tree the second.
bool are_the_best_the_papers(Table7& table) {
  const double best = table.seconds("optical-hub-64", kCa4);
  const double second = table.seconds("fat-tree-64", {SummaAlgorithm::ca2, SummaLayout::square});
  int before_second = 0;
  for_each_cell([&](const char* network, const Variant& variant) {
    before_second += table.seconds(network, variant) < second ? 1 : 0;
  });
  return best < second && before_second == 1;
}

/// About the processor seconds that the cell of a row takes on SimGrid, of which only the order counts: on the torus
/// many flows share links unequally.
double cell_seconds(const Row& row) {
  if (*row.what.network != "torus-64") return 0.2;
  const bool is_relayed = *row.what.algorithm == SummaAlgorithm::ca3 || *row.what.algorithm == SummaAlgorithm::ca4;
  if (!is_relayed) return 0.2;
  return *row.what.layout == SummaLayout::square ? 7 : 2;
}

/// Time of CA4 at the order of table 7 on the two-dimensional hub divided by that on the one-dimensional one.
double simulated_hub_2d_by_1d(Table7& table) {
  const double one_dimensional = table.seconds(kHub, kCa4);  // first: it may be under way, and the row is put off
  const SummaPlan plan = make_summa({.nodes = kNodes, .n = kSummaOrder, .by_rows_and_columns = true});
  return run_s4u(plan.schedule, load_platform("optical-hub-2d-64").topology, as_smpi()).seconds / one_dimensional;
}

/// A broadcast by a binary tree: rank r sends to 2 r + 1 and then to 2 r + 2. A rank at depth d has the data after 2 d
/// steps at most, since its parent serves one child after the other.
Schedule make_binary_broadcast(Rank nodes, std::uint64_t bytes) {
  Schedule schedule{"broadcast", std::vector<std::vector<Step>>(nodes)};
  std::vector<std::size_t> ready(nodes);  // step in which a rank can begin to send
  for (Rank from = 0; 2 * from + 1 < nodes; ++from) {
    for (Rank child = 0; child < 2; ++child) {
      const Rank to = 2 * from + 1 + child;
      if (to >= nodes) break;
      add_message(schedule, ready[from] + child, from, to, bytes, 0);
      ready[to] = ready[from] + child + 1;
    }
  }
  return schedule;
}

/// Time of a long broadcast by a tree on a network divided by that of one over relays on the hub.
double broadcast_to_hub(const std::string& network, Schedule (*make_tree)(Rank, std::uint64_t)) {
  constexpr std::uint64_t kBytes = kLongBroadcast;
  const SimulationOptions simulation = as_smpi();
  const auto seconds = [&](const Schedule& schedule, const std::string& name) {
    return run_s4u(schedule, load_platform(name).topology, simulation).seconds;
  };
  return seconds(make_tree(kNodes, kBytes), network) /
         seconds(make_broadcast(kNodes, kBytes, Path::multipath), "optical-hub-64");
}

/// How many times as fast a long broadcast on the hub is over relays as direct.
double relays_gain() {
  const Topology hub = load_platform(kHub).topology;
  const auto seconds = [&](Path path) {
    return run_s4u(make_broadcast(kNodes, kLongBroadcast, path), hub, as_smpi()).seconds;
  };
  return seconds(Path::direct) / seconds(Path::multipath);
}

/// Bytes of the shortest broadcast on the hub that is faster over relays than direct.
double shortest_that_relays_gain() {
  const Topology hub = load_platform(kHub).topology;
  const auto gains = [&](std::uint64_t bytes) {
    const auto seconds = [&](Path path) {
      return run_s4u(make_broadcast(kNodes, bytes, path), hub, as_smpi()).seconds;
    };
    return seconds(Path::multipath) < seconds(Path::direct);
  };
  std::uint64_t direct = 1;
  std::uint64_t relayed = kLongBroadcast;
  while (relayed - direct > 1) {
    const std::uint64_t middle = std::midpoint(direct, relayed);
    (gains(middle) ? relayed : direct) = middle;
  }
  return static_cast<double>(relayed);
}

/// Time of communication divided by that of nominal arithmetic, for CA4 on the hub.
double communication_to_arithmetic(std::uint64_t n) {
  const Platform hub = load_platform("optical-hub-64");
  const Schedule schedule = make_summa({.nodes = kNodes, .n = n}).schedule;
  const auto seconds = [&](double flops_per_second) {
    return run_closed_form(schedule, hub.topology, flops_per_second).lockstep_seconds;
  };
  return seconds(0) / (seconds(hub.flops_per_second) - seconds(0));
}

/// n / sqrt(N) at which these times are equal: the ratio falls as 1 / n (equation 5).
double arithmetic_bound() {
  return communication_to_arithmetic(kSummaOrder) * static_cast<double>(kSummaOrder) / std::sqrt(double{kNodes});
}

/// True if every algorithm gives the serial product of matrices of small whole numbers, which is exact in any order.
bool product_is_the_serial_one(const Row&) {
  constexpr std::uint64_t kN = 32;
  std::mt19937 random(1);
  const auto matrix = [&] {
    std::vector<double> elements(kN * kN);
    for (double& element : elements) element = static_cast<double>(random() % 201) - 100;
    return elements;
  };
  const std::vector<double> a = matrix();
  const std::vector<double> b = matrix();
  std::vector<double> c(kN * kN);
  for (std::uint64_t i = 0; i < kN; ++i) {
    for (std::uint64_t j = 0; j < kN; ++j) {
      for (std::uint64_t k = 0; k < kN; ++k) c[i * kN + j] += a[i * kN + k] * b[k * kN + j];
    }
  }
  const auto is_right = [&](Rank nodes, int algorithm, SummaLayout layout) {
    const SummaPlan plan =
        make_summa({.nodes = nodes, .n = kN, .algorithm = static_cast<SummaAlgorithm>(algorithm), .layout = layout});
    return run_summa_blocks(plan, a, b) == c;
  };
  bool all = true;
  for (const Rank nodes : {4U, 9U, 16U, 64U}) {
    for (int algorithm = 0; algorithm <= 4; ++algorithm) all = all && is_right(nodes, algorithm, SummaLayout::square);
  }
  for (const Rank nodes : {27U, 64U}) {
    for (const int algorithm : {1, 3}) all = all && is_right(nodes, algorithm, SummaLayout::cube);
  }
  return all;
}

/// Number of messages on each directed link of the hub; NaN if links differ.
double link_uses(const Row&) {
  const Platform hub = load_platform("optical-hub-64");
  const std::vector<LinkLoad> loads =
      link_loads(make_summa({.nodes = kNodes, .n = kSummaOrder}).schedule, hub.topology);
  const bool are_equal =
      std::ranges::all_of(loads, [&](const LinkLoad& load) { return load.messages == loads[0].messages; });
  return are_equal ? static_cast<double>(loads[0].messages) : std::nan("");
}

/// Simulates Bruck's allgather on 4096 ranks with 2,048 bytes each, as in Sanno and Kise, on their torus of 16 x 16 x
/// 16.
SimulationResult simulate_bruck() {
  constexpr NodeId kSide = 16;
  constexpr std::uint64_t kBytes = 2048;
  const base::Description network = load_network("opennsim-torus", "grid");
  const Cable cable{network.value("bandwidth") * kGiga, network.value("latency") * kMicro};
  return run_s4u(make_allgather(kSide * kSide * kSide, kBytes, AllgatherOrder::bruck),
                 torus({kSide, kSide, kSide}, cable));
}

using Fields = std::vector<CaseField>;

/// A model that simulates; it gives nothing without SimGrid.
template <class Compute>
Model simulated(std::string name, Fields takes, Compute compute, double (*seconds)(const Row&) = nullptr) {
  return {std::move(name), std::move(takes),
          [compute](const Row& row) -> Ours { return has_simgrid() ? Ours(compute(row)) : Ours(); }, seconds};
}

std::vector<Model> theory_models() {
  const Fields variant{CaseField::algorithm, CaseField::layout};
  return {{"summa.theory_speed", variant, relative_theory},
          {"summa.theory_memory", variant, relative_memory},
          {"summa.theory_speed_by_memory", variant, speed_by_memory},
          {"summa.theory_hub_2d", {}, hub_2d_by_1d},
          {"summa.theory_crossover", {}, crossover},
          {"summa.product", {}, product_is_the_serial_one},
          {"summa.link_uses", {}, link_uses},
          {"summa.arithmetic_slope",
           {},
           [](const Row&) {
             return communication_to_arithmetic(kSummaOrder / 2) / communication_to_arithmetic(kSummaOrder);
           }},
          {"summa.arithmetic_bound", {}, [](const Row&) { return arithmetic_bound(); }},
          {"summa.published_bound", {}, [](const Row&) { return kPublishedBound * std::sqrt(double{kNodes}); }},
          {"hub.cost", {CaseField::network}, [](const Row& row) { return cost_of(row).total; }},
          {"hub.cost_per_gbps", {CaseField::network}, [](const Row& row) { return cost_of(row).per_gbps(); }}};
}

std::vector<Model> simulated_models() {
  const auto table =
      std::make_shared<Table7>([](const Schedule& schedule, const Topology& topology,
                                  const SimulationOptions& options) { return run_s4u(schedule, topology, options); });
  // The cells of table 7 with ranks that make MPI calls.
  const auto mpi_table = std::make_shared<Table7>(run_smpi);
  const auto bruck = std::make_shared<OnceEach<int, SimulationResult>>();
  const auto bruck_result = [bruck] { return bruck->of(0, simulate_bruck); };
  return {
      simulated(
          "summa.simulated_speed", {CaseField::network, CaseField::algorithm, CaseField::layout},
          [table](const Row& row) { return table->relative(*row.what.network, variant_of(row)); }, cell_seconds),
      simulated("summa.speed_by_mpi_calls", {CaseField::network, CaseField::algorithm, CaseField::layout},
                [mpi_table](const Row& row) { return mpi_table->relative(*row.what.network, variant_of(row)); }),
      simulated("summa.best_cells", {}, [table](const Row&) { return are_the_best_the_papers(*table); }),
      simulated("summa.relays_before_library", {},
                [table](const Row&) {
                  return table->seconds("optical-hub-64", kCa0) > kNodes * table->seconds("optical-hub-64", kCa4);
                }),
      simulated("summa.hub_before", {CaseField::network, CaseField::limit},
                [table](const Row& row) { return time_to_hub(*table, *row.what.network, kCa4) >= *row.what.limit; }),
      simulated("summa.time_to_hub", {CaseField::network, CaseField::algorithm, CaseField::layout},
                [table](const Row& row) { return time_to_hub(*table, *row.what.network, variant_of(row)); }),
      simulated("summa.simulated_hub_2d", {}, [table](const Row&) { return simulated_hub_2d_by_1d(*table); }),
      simulated("summa.cells_quick", {CaseField::limit},  // seconds
                [table](const Row& row) { return are_cells_quick(*table, *row.what.limit); }),
      simulated("broadcast.shortest_relayed", {}, [](const Row&) { return shortest_that_relays_gain(); }),
      simulated("broadcast.relays_gain", {}, [](const Row&) { return relays_gain(); }),
      simulated("broadcast.time_to_hub", {CaseField::network},
                [](const Row& row) { return broadcast_to_hub(*row.what.network, make_tree_broadcast); }),
      simulated("broadcast.binary_tree_to_hub", {CaseField::network},
                [](const Row& row) { return broadcast_to_hub(*row.what.network, make_binary_broadcast); }),
      simulated("bruck.quick", {CaseField::limit},  // seconds
                [bruck_result](const Row& row) { return bruck_result().processor_seconds <= *row.what.limit; }),
      simulated("bruck.small", {CaseField::limit},  // bytes
                [bruck_result](const Row& row) { return bruck_result().memory_bytes <= *row.what.limit; })};
}

}  // namespace

std::vector<Model> urino_summa_models() {
  std::vector<Model> models = theory_models();
  std::ranges::move(simulated_models(), std::back_inserter(models));
  return models;
}

}  // namespace gdr::validation
