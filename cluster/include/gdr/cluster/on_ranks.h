// Frame of a program whose work is distributed over the ranks that mpirun started.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "gdr/cluster/communicator.h"

namespace gdr::cluster {

/// The program for the messages of its ranks, and the exit status that it has for an exception.
struct RankedProgram {
  std::string name;     // "gdr"
  std::string command;  // "gdr nbody"
  int (*status_of)(const std::exception& error);
};

/// Starts the communicator and calls `prepare`, which does not communicate, then `run`. `prepare` returns lines of text
/// that must be equal on all ranks; if a line differs, all ranks end with an error that shows it. If `prepare` throws
/// on some ranks, nothing runs: the first of those ranks prints its error, and all ranks return its exit status. If
/// `run` throws, the error is printed once with the rank, and all ranks are ended because they may be waiting for this
/// one. Returns the result of `run`.
int on_ranks(const RankedProgram& program, const std::function<std::string(Communicator&)>& prepare,
             const std::function<int(Communicator&)>& run);

}  // namespace gdr::cluster
