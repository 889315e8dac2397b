// Simulated ranks: a communicator over SimGrid's SMPI, from the same source as the one that runs under mpirun. Ranks
// really compute; the time that this takes is emulated. The library is gdr::simulated_ranks.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "gdr/cluster/communicator.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/topology.h"

namespace gdr::cluster {

/// Calls `program` on each of `ranks` ranks; rank r is on node r of the topology. Communicator::spend() lets emulated
/// time pass. Throws gdr::Error as interconnect::run_program_on_smpi() does.
[[nodiscard]] interconnect::ProgramResult run_simulated_ranks(
    std::string_view name, unsigned ranks, const interconnect::Topology& topology,
    const std::function<std::vector<double>(Communicator&)>& program);

}  // namespace gdr::cluster
