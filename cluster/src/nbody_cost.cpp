#include "gdr/cluster/nbody_cost.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/gravity_records.h"

namespace gdr::cluster {

NbodyCost nbody_cost(const Cluster& cluster, const interconnect::Topology& topology, const isa::Program& program,
                     const hostlib::BlockSteps& steps, const NbodyModelOptions& options, double t_end) {
  return *nbody_cost_within(cluster, topology, program, steps, options, t_end, std::numeric_limits<double>::infinity());
}

std::optional<NbodyCost> nbody_cost_within(const Cluster& cluster, const interconnect::Topology& topology,
                                           const isa::Program& program, const hostlib::BlockSteps& steps,
                                           const NbodyModelOptions& options, double t_end, double most_seconds) {
  if (!(t_end > 0 && std::isfinite(t_end))) {
    throw Error(fmt::format("t_end = {} is refused: it must be finite and above 0", t_end));
  }
  static_cast<void>(hostlib::GravityRecords(program));  // refuses kernels of anything but forces and their derivatives
  const BoardNode node(program, cluster, options.transfer);
  NbodyCost cost;
  cost.start = nbody_start_times(cluster, topology, node, steps.n, options);
  const auto unit_times =
      nbody_times_within(cluster, topology, node, steps, options, (most_seconds - cost.start.seconds) / t_end);
  if (!unit_times) return std::nullopt;
  cost.unit = *unit_times;
  cost.t_end = t_end;
  cost.seconds = cost.start.seconds + t_end * cost.unit.seconds;
  for (std::size_t part = 0; part < kParts; ++part) {
    cost.parts[part] = cost.start.parts[part] + t_end * cost.unit.parts[part];
  }
  cost.board_busy = (cost.start.board_busy + t_end * cost.unit.board_busy) / cost.seconds;
  cost.bytes_per_block = cost.unit.bytes / cost.unit.blocks;
  cost.steps = t_end * cost.unit.steps;
  cost.blocks = t_end * cost.unit.blocks;
  cost.interactions = steps.n * (cost.steps + steps.n);
  cost.gflops = cost.interactions * program.flops / cost.seconds / kGiga;
  const emulator::StageSeconds start = nbody_start_stages(node, steps.n);
  const emulator::StageSeconds unit = hostlib::block_seconds_of(node, steps);
  cost.alone = unit.times(t_end);
  cost.alone += start;
  // Added up as the seconds are, so that one rank has an efficiency of exactly 1.
  cost.efficiency = (start.total() + t_end * unit.total()) / (options.ranks * cost.seconds);
  return cost;
}

NbodyCost nbody_cost(const emulator::MachineDescription& machine, unsigned boards, const isa::Program& program,
                     const hostlib::BlockSteps& steps, emulator::TransferMode transfer, double t_end) {
  Cluster host;
  host.board = machine;
  host.boards_per_node = boards;
  NbodyModelOptions options;
  options.transfer = transfer;
  return nbody_cost(host, free_network(1), program, steps, options, t_end);
}

}  // namespace gdr::cluster
