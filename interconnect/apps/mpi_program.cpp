#include "mpi_program.h"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>

#include "gdr/commandline/terminal.h"

namespace gdr::interconnect {
namespace {

using commandline::Answer;
using commandline::Program;

Answer prepared(const Program& program, const std::function<void()>& prepare) {
  try {
    prepare();
    return {};
  } catch (const std::exception& error) {
    return {commandline::kFailure, "", commandline::error_text(program.name, error.what())};
  }
}

/// Status of all processes if one of them does not run; the first that does not says why.
std::optional<int> agreed(const Answer& mine) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int first = mine.status ? rank : ranks;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks) return std::nullopt;
  int status = mine.status.value_or(0);
  MPI_Bcast(&status, 1, MPI_INT, first, MPI_COMM_WORLD);
  if (rank == first) {
    std::fputs(mine.output.c_str(), stdout);
    std::fputs(mine.message.c_str(), stderr);
  }
  return status;
}

/// The other processes may wait for messages that will never come, so they are ended too.
void end_all(const Program& program, const char* why) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "%s: rank %d: %s\n", program.name, rank, why);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, commandline::kFailure);
}

}  // namespace

int mpi_program(int argc, char** argv, const Program& program, const std::function<void(commandline::Command)>& add,
                const std::function<void()>& prepare, const std::function<int()>& run) {
  MPI_Init(&argc, &argv);
  std::optional<int> status = agreed(commandline::read_command_line(argc, argv, program, add));
  if (!status) status = agreed(prepared(program, prepare));
  if (!status) {
    try {
      status = run();
    } catch (const std::exception& error) {
      end_all(program, error.what());
    }
    MPI_Allreduce(MPI_IN_PLACE, &*status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return *status;
}

}  // namespace gdr::interconnect
