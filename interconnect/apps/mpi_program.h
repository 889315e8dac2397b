// The frame of a program under mpirun: command line, errors, exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gdr::interconnect {

/// Reads the command line into `app`, then calls `run`, between MPI_Init and MPI_Finalize. Every process refuses what
/// one refuses, so before any message; rank 0 says why. Exit status: that of `run` on rank 0; 1 for an error; 2 for a
/// wrong command line.
int mpi_program(int argc, char** argv, CLI::App& app, const std::function<int()>& run);

}  // namespace gdr::interconnect
