// The options that several commands have: each word has one help text, one unit and one set of limits in all of them.
// A word with several senses has one line for each; tests/cli/options_test.py says why they differ.
#include "gdr/cluster/nbody_model.h"
#include "gdr/cluster/nbody_ranks.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/mxp.h"
#include "gdr/hostlib/start_model.h"
#include "gdr/interconnect/picture_file.h"
#include "gdr/interconnect/replay_run.h"
#include "kernel_source.h"

namespace gdr::cli {

const std::vector<commandline::TabledOption>& option_table() {
  const auto nodes_of = [](std::uint64_t most) { return whole_in_range(1, most); };
  const Check order = whole_in_range(1, 1U << 24);
  const Check payload = whole_in_range(1, std::uint64_t{1} << 40, ValueUnit::bytes);
  const Check step = whole_in_range(1, std::uint64_t{1} << 52);
  std::vector<std::string> of_one_force = hostlib::jerk_kernels();
  of_one_force.insert(of_one_force.begin(), "gravity");
  const std::string of_forces = "kernel that computes the forces";
  const std::string halves =
      "split blocks into halves if that is faster: one half is sent while the boards compute the other";
  static const std::vector<commandline::TabledOption> table{
      // Boards.
      {"--machine=NAME", "machine description: a name (see gdr machine list) or FILE.toml"},
      {"--boards", "number of boards", whole_in_range(1, 64)},
      {"--clock", "chip clock", in_range(1, 10000, ValueUnit::megahertz)},
      {"--transfer", "transfers between host and board: as measured in 2009, or as planned then"},
      {"--host=NAME", "host description: a name or FILE.toml"},
      {"--threads", "host threads; 0: all", whole_in_range(0, 1024)},
      {"--trace", "write the emulated time as a trace for the viewer of Chrome or Perfetto"},
      {"--seed", "seed of everything random; the same seed gives the same result"},
      {"--kernel forces", of_forces, kernel_named(hostlib::jerk_kernels())},
      {"--kernel one-force", of_forces, kernel_named(of_one_force)},
      {"--kernel products", "kernel of the products: dgemm (50-bit operands) or dgemm_double",
       kernel_named({"dgemm", "dgemm_double"})},
      {.name = "--kernel=KERNEL histories",
       .what =
           "kernel that histories run instead of those of gdr; may be given several times: " + std::string(kKernelFile),
       .repeats = true},
      {"--steps experiment", "most steps of an experiment", step},
      // Particles.
      {"-n,--n particles", "number of particles", whole_in_range(2, hostlib::kMostStartParticles), "--particles"},
      {"-n,--n modelled", "number of particles", whole_in_range(2, 1000000000)},
      {"--eps", "Plummer softening length", in_range(0, hostlib::kMostEps)},
      {"--t-end run", "time to integrate to, in Henon units"},
      {"--t-end", "time to integrate to, in Henon units", in_range(0, kNoLimit)},
      {"--from-block-sizes=FILE", "measured sizes of blocks, CSV as gdr nbody --block-sizes writes it"},
      {"--overlap blocks", halves},
      {"--overlap points", "compute points with all neighbours on the same rank while halos are sent"},
      {"--overlap products", "send the next block of A while the board computes"},
      // Matrices.
      {"-n,--n order", "order of the matrices", order},
      {"-n,--n columns", "columns of B and C", whole_in_range(1, 1U << 20)},
      {"--nb", "columns of a panel, at most n", whole_in_range(1, 1U << 16)},
      {"--small-depths",
       "products of small K in the model: chips left over take rows of their own, as this library's do, or every unit "
       "takes all chips, as on record",
       one_of({"own-rows", "fixed-unit"})},
      {"--mxp", "factorise in short words without pivots and refine in doubles, by the rules of HPL-MxP"},
      {"--steps refinement", "steps of refinement that are counted if --mxp computes no results",
       whole_in_range(0, kMxpMostSteps)},
      {"--algorithm summa", "algorithm that broadcasts the blocks", one_of({"CA0", "CA1", "CA2", "CA3", "CA4"})},
      {"--algorithm forces",
       "copy: all particles in every node; j: a share of the particles in each node; 2d: both, on a square of nodes; "
       "systolic: shares of the block circulate; hyper: the same in larger shifts",
       one_of(cluster::nbody_algorithm_names())},
      // Clusters and networks.
      {"--cluster=NAME", "cluster description: a name or FILE.toml"},
      {"--network=NAME", "network description: a name or FILE.toml"},
      {"--nodes", "number of nodes", nodes_of(1U << 20)},
      {"--nodes cluster", "number of nodes", nodes_of(65536)},
      {"--nodes planned", "use the best split and method for N nodes, instead of --split and --method", nodes_of(64)},
      {"--ranks", "number of ranks", whole_in_range(1, interconnect::kMostReplayedRanks)},
      {"--ranks-per-node", "number of ranks on each node; nodes are filled in order", whole_in_range(1, 1024)},
      {"--map=FILE", "node of each rank, a CSV file as gdr net map --save-map writes it"},
      {"--factors=NAME",
       "correction of latency and bandwidth by message size: a description (a name or FILE.toml), or none"},
      {"--tie", "dimension order: direction around a ring if both are equally long",
       one_of({"direct", "minus", "plus", "split"})},
      {"--bandwidth", "bandwidth of a link in GB/s, each way, unless a file gives it", in_range(1e-6, 1e6)},
      {"--latency", "latency of a link in us, unless a file gives it", in_range(0, 1e6)},
      {"--bytes", "payload of each rank", payload},
      {"--bytes message", "size of a message, of a descriptor if there are several",
       whole_in_range(0, 1'000'000'000'000, ValueUnit::bytes)},
      {"--class", "cg, sp: class of the benchmark", one_of({"S", "W", "A", "B", "C", "D", "E"})},
      {"--eager", "messages below this size do not hold up their sender", in_range(0, kNoLimit, ValueUnit::bytes)},
      {"--split=I[,J[,K]] ranks", "ranks along each dimension, with commas or x between them"},
      {"--split forces",
       "under mpirun: how forces are divided among the ranks. i splits the particles that need forces, j splits the "
       "particles that exert them, 2d splits both on a square of ranks",
       one_of(cluster::split_names())},
      {"--simulate", "also simulate the messages with SimGrid"},
      {"--effort", "search time, as a multiple of the default", in_range(0, 1e6)},
      {"--long", "compute even if that takes more than a minute"},
      {"--picture", "draw the bytes of every link as a heat map, SVG or PNG",
       Check{interconnect::refuse_picture, ".svg or .png"}},
      {"--save-graph", "write the traffic between tasks as CSV, for gdr net map --graph"},
      {"--save-trace=FOLDER", "write the messages of all ranks to this folder, for gdr net replay and smpirun -replay"},
      // Pages.
      {"--markdown", "print all as the page of the documentation"},
  };
  return table;
}

}  // namespace gdr::cli
