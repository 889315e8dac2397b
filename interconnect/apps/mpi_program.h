// The frame of a program under mpirun: command line, errors, exit status.
#pragma once

#include <functional>

#include "gdr/commandline/command_line.h"

namespace gdr::interconnect {

/// Reads the command line, whose options `add` adds, then calls `prepare` and `run`, between MPI_Init and MPI_Finalize.
/// A command line that one process refuses all refuse, and so it is with what `prepare` throws; the first of them says
/// why. What a process throws in `run` it says on standard error with its rank, and ends all processes, which may be
/// waiting for its messages. Exit status: the largest that `run` returns; 1 for an error; 2 for a wrong command line.
int mpi_program(int argc, char** argv, const commandline::Program& program,
                const std::function<void(commandline::Command)>& add, const std::function<void()>& prepare,
                const std::function<int()>& run);

}  // namespace gdr::interconnect
