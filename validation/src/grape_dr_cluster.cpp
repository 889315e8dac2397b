// What the model of LINPACK on many nodes gives for what the press of 2010 says of 64.
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "systems.h"

namespace gdr::validation {
namespace {

constexpr double kMega = 1e6;
constexpr double kTera = 1e12;

struct Result {
  double flops_per_second = 0;
  double watts = 0;
};

/// The largest matrix whose order is a multiple of 8 panels and that leaves a quarter of 18 GB a node to the system.
Result largest_run() {
  constexpr cluster::Rank kRanks = 64;
  constexpr std::uint64_t kOrder = 327680;
  const cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  const DgemmModel board(hostlib::kernel_program("dgemm"), grape_dr.board_of_rank(), grape_dr.boards_per_rank());
  cluster::HplClusterOptions options;
  options.grid = cluster::square_grid(kRanks);
  options.n = kOrder;
  options.transfer.small_depths = SmallDepths::fixed_unit;
  const double seconds = hpl_times(grape_dr, cluster::platform_for(grape_dr, kRanks).topology, board, options).seconds;
  return {hpl_flops(kOrder) / seconds, grape_dr.power(kRanks)};
}

}  // namespace

std::vector<Model> grape_dr_cluster_models() {
  return {{"cluster.hpl_speed", {}, [](const Row&) { return Ours{largest_run().flops_per_second / kTera}; }},
          {"cluster.hpl_per_watt", {}, [](const Row&) {
             const Result run = largest_run();
             return Ours{run.flops_per_second / run.watts / kMega};
           }}};
}

}  // namespace gdr::validation
