// Models for the rows on clusters: LINPACK on 64 nodes, for press reports of 2010, and N-body on one and on many nodes,
// with boards of GRAPE-DR and of GRAPE-6.
#include <cmath>
#include <memory>

#include "gdr/base/data_file.h"
#include "gdr/base/file.h"
#include "gdr/base/units.h"
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/cluster/nbody_node.h"
#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/kernel_program.h"
#include "once_each.h"
#include "systems.h"

namespace gdr::validation {
namespace {

struct Result {
  double flops_per_second = 0;
  double watts = 0;
};

/// LINPACK with the largest matrix whose order is a multiple of 8 panels and that leaves a quarter of the 18 GB of each
/// node to the system.
Result largest_run() {
  constexpr cluster::Rank kRanks = 64;
  constexpr std::uint64_t kOrder = 327680;
  const cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  const DgemmModel board(hostlib::kernel_program("dgemm"), grape_dr.board_of_rank(), grape_dr.boards_per_rank());
  cluster::HplClusterOptions options;
  options.grid = cluster::square_grid(kRanks);
  options.n = kOrder;
  options.transfer.small_depths = SmallDepths::fixed_unit;
  options.rule = ProductRule::record;
  const double seconds = hpl_times(grape_dr, cluster::platform_for(grape_dr, kRanks).topology, board, options).seconds;
  return {hpl_flops(kOrder) / seconds, grape_dr.power(kRanks)};
}

/// Block sizes for this many particles, scaled from the measured ones.
hostlib::BlockSteps blocks_of(double particles) {
  const std::string file = base::data_file("docs/block_steps.csv").string();
  return hostlib::scaled_block_steps(hostlib::block_steps_from_csv(base::read_file(file), file), particles);
}

/// Speed of N-body by the cluster's model on one node with the published kernel, in flops/s.
double one_node_speed() {
  constexpr double kParticles = 262144;    // Koike et al. 2009, section 3.2
  constexpr double kClockOfGravity = 333;  // MHz; the same
  cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  grape_dr.board.clock_mhz = kClockOfGravity;
  const isa::Program program = hostlib::kernel_program("gravity_jerk_2009");
  const hostlib::BlockSteps steps = blocks_of(kParticles);
  cluster::NbodyModelOptions options;
  options.ranks = 1;
  const double seconds =
      nbody_times(grape_dr, cluster::platform_for(grape_dr, 1).topology, program, steps, options).seconds;
  return steps.steps() * kParticles * program.flops / seconds;
}

struct Speed {
  double flops_per_second = 0;
  double of_peak = 0;
};

/// Speed of 32 nodes with a GRAPE-6A each (Harfst et al. 2007), among which the j-particles are divided.
Speed grape_6a_speed() {
  constexpr double kParticles = 2e6;
  constexpr cluster::Rank kRanks = 32;
  const cluster::PipelineBoard board = cluster::load_pipeline_board("grape-6a");
  const interconnect::Topology network = interconnect::load_platform("infiniband-sdr-32").topology;
  const hostlib::BlockSteps steps = blocks_of(kParticles);
  cluster::NbodyModelOptions options;
  options.algorithm = cluster::NbodyAlgorithm::j_parallel;
  options.ranks = kRanks;
  const double seconds = nbody_times(cluster::Cluster{}, network, cluster::PipelineNode(board), steps, options).seconds;
  const double speed = steps.steps() * kParticles * board.flops / seconds;
  return {speed, speed / (kRanks * board.peak())};
}

/// Exponent with which the bytes that all ranks send for a block grow with the number of ranks.
double power_of_ranks(cluster::NbodyAlgorithm algorithm, cluster::Rank few, cluster::Rank many) {
  constexpr double kParticles = 1e6;
  constexpr double kBlock = 65536;
  const cluster::Cluster grape_dr = cluster::load_cluster("grape-dr-64");
  const isa::Program program = hostlib::kernel_program("gravity_jerk");
  const auto bytes = [&](cluster::Rank ranks) {
    cluster::NbodyModelOptions options;
    options.algorithm = algorithm;
    options.ranks = ranks;
    return static_cast<double>(
        nbody_block(grape_dr, cluster::free_network(ranks), program, kParticles, kBlock, options).bytes());
  };
  return std::log(bytes(many) / bytes(few)) / std::log(double{1} * many / few);
}

/// The exponent for what one rank sends in the two-dimensional algorithm.
double power_of_a_rank() { return power_of_ranks(cluster::NbodyAlgorithm::two_dimensional, 64, 1024) - 1; }

/// The exponent for what all ranks send on a ring; systolic algorithms on more ranks have millions of messages.
double power_round_a_ring(cluster::NbodyAlgorithm algorithm) { return power_of_ranks(algorithm, 64, 256); }

}  // namespace

std::vector<Model> grape_dr_cluster_models() {
  const auto hpl = std::make_shared<OnceEach<int, Result>>();
  const auto largest = [hpl] { return hpl->of(0, largest_run); };
  const auto grape_6a = std::make_shared<OnceEach<int, Speed>>();
  const auto speed_6a = [grape_6a] { return grape_6a->of(0, grape_6a_speed); };
  return {{"cluster.one_node_speed", {}, [](const Row&) { return Ours{one_node_speed() / kGiga}; }},
          {"cluster.grape_6a_speed", {}, [speed_6a](const Row&) { return Ours{speed_6a().flops_per_second / kTera}; }},
          {"cluster.grape_6a_efficiency", {}, [speed_6a](const Row&) { return Ours{kPercent * speed_6a().of_peak}; }},
          {"cluster.power_of_ranks", {}, [](const Row&) { return Ours{power_of_a_rank()}; }},
          {"cluster.systolic_power",
           {},
           [](const Row&) { return Ours{power_round_a_ring(cluster::NbodyAlgorithm::systolic)}; }},
          {"cluster.hyper_systolic_power",
           {},
           [](const Row&) { return Ours{power_round_a_ring(cluster::NbodyAlgorithm::hyper_systolic)}; }},
          {"cluster.hpl_speed", {}, [largest](const Row&) { return Ours{largest().flops_per_second / kTera}; }},
          {"cluster.hpl_per_watt", {}, [largest](const Row&) {
             const Result run = largest();
             return Ours{run.flops_per_second / run.watts / kMega};
           }}};
}

}  // namespace gdr::validation
