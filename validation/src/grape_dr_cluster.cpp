// What the models of many nodes give: LINPACK on 64 for what the press of 2010 says of them, N-body on one and on many.
#include <cmath>

#include "gdr/base/data_file.h"
#include "gdr/base/file.h"
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "systems.h"

namespace gdr::validation {
namespace {

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;
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

/// The cluster's model of N-body with one node and the published kernel, flops/s.
double one_node_speed() {
  constexpr double kParticles = 262144;    // Koike et al. 2009, section 3.2
  constexpr double kClockOfGravity = 333;  // MHz; the same
  cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  grape_dr.board.clock_mhz = kClockOfGravity;
  const isa::Program program = hostlib::kernel_program("gravity_jerk_2009");
  const std::string file = base::data_file("docs/block_steps.csv").string();
  const hostlib::BlockSteps steps =
      hostlib::scaled_block_steps(hostlib::block_steps_from_csv(base::read_file(file), file), kParticles);
  cluster::NbodyModelOptions options;
  options.ranks = 1;
  const double seconds =
      nbody_times(grape_dr, cluster::platform_for(grape_dr, 1).topology, program, steps, options).seconds;
  return steps.steps() * kParticles * program.flops / seconds;
}

/// How what a rank sends for a block of the two-dimensional algorithm falls with the number of ranks, as a power.
double power_of_ranks() {
  constexpr double kParticles = 1e6;
  constexpr double kBlock = 65536;
  constexpr cluster::Rank kFew = 64;
  constexpr cluster::Rank kMany = 1024;
  const cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  const isa::Program program = hostlib::kernel_program("gravity_jerk");
  const auto bytes = [&](cluster::Rank ranks) {
    cluster::NbodyModelOptions options;
    options.algorithm = cluster::NbodyAlgorithm::two_dimensional;
    options.ranks = ranks;
    const cluster::RankGraph block =
        nbody_block(grape_dr, cluster::free_network(ranks), program, kParticles, kBlock, options);
    return static_cast<double>(block.bytes()) / ranks;
  };
  return std::log(bytes(kMany) / bytes(kFew)) / std::log(double{kMany} / kFew);
}

}  // namespace

std::vector<Model> grape_dr_cluster_models() {
  return {{"cluster.one_node_speed", {}, [](const Row&) { return Ours{one_node_speed() / kGiga}; }},
          {"cluster.power_of_ranks", {}, [](const Row&) { return Ours{power_of_ranks()}; }},
          {"cluster.hpl_speed", {}, [](const Row&) { return Ours{largest_run().flops_per_second / kTera}; }},
          {"cluster.hpl_per_watt", {}, [](const Row&) {
             const Result run = largest_run();
             return Ours{run.flops_per_second / run.watts / kMega};
           }}};
}

}  // namespace gdr::validation
