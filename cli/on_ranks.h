// The frame of a subcommand whose work is shared out over the ranks that mpirun started.
#pragma once

#include <functional>
#include <string>

#include "gdr/cluster/communicator.h"

namespace gdr::cli {

/// Starts the communicator and calls `prepare`, which does not communicate, then `run`. What `prepare` throws ends all
/// ranks before anything runs: the first that throws does so here, the others return its exit status. It returns what
/// must be the same on all ranks, a line each; where a line differs all end with an error that shows it. What `run`
/// throws is printed with the rank, once, and ends all ranks, which may be waiting for this one. Returns what `run`
/// does.
int on_ranks(const std::string& command, const std::function<std::string(cluster::Communicator&)>& prepare,
             const std::function<int(cluster::Communicator&)>& run);

}  // namespace gdr::cli
