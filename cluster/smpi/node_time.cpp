// The models of a node behind an interface of C, as a library of its own.
#include "node_time.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"
#include "gdr/cluster/cluster.h"
#include "gdr/hostlib/dgemm_model.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"

namespace gdr::cluster {
namespace {

Cluster cluster_of_environment() {
  std::string name = base::environment("GDR_CLUSTER");
  if (name.empty()) name = "grape-dr-64";
  Cluster cluster = load_cluster(name);
  if (const std::string clock = base::environment("GDR_CLOCK"); !clock.empty()) {
    const auto mhz = base::number_in<double>(clock);
    if (!mhz || *mhz < 1) throw Error(fmt::format("GDR_CLOCK: '{}' is refused: it must be MHz", clock));
    cluster.board.clock_mhz = *mhz;
  }
  return cluster;
}

ProductRule rule_of_environment() {
  const std::string name = base::environment("GDR_PRODUCTS");
  if (name.empty()) return ProductRule::faster;
  const auto rule = product_rule_named(name);
  if (!rule) throw Error(fmt::format("GDR_PRODUCTS: '{}' is refused: it must be faster or record", name));
  return *rule;
}

struct Node {
  Cluster cluster = cluster_of_environment();
  DgemmModel board{hostlib::kernel_program("dgemm"), cluster.board_of_rank(), cluster.boards_per_rank()};
  ProductRule rule = rule_of_environment();
  HplNode time{cluster.host, &board, {.small_depths = usual_small_depths(rule)}, rule};
};

Node& node() {
  try {
    static Node one;
    return one;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gdr: {}\n", error.what());
    std::exit(EXIT_FAILURE);
  }
}

}  // namespace
}  // namespace gdr::cluster

using gdr::cluster::node;

extern "C" {

double gdr_node_product(double m, double n, double k) { return node().time.product(m, n, k).total(); }
double gdr_node_solve(double order, double columns) { return node().time.solve(order, columns).total(); }
double gdr_node_narrow(double flops) { return flops / (node().cluster.host.narrow_gflops * gdr::kGiga); }
double gdr_node_narrowest(void) { return node().cluster.host.narrowest; }
double gdr_node_row_swaps(double rows, double nb, double columns) { return node().time.row_swaps(rows, nb, columns); }
double gdr_node_memory(double bytes) { return bytes / (node().cluster.host.memory_mb * gdr::kMega); }
}
