#include "mpi_program.h"

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace gdr::interconnect {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;

/// What a process says before anything runs.
struct Verdict {
  std::optional<int> status;  // to end with; nothing: the program runs
  std::string words;
};

Verdict parse(int argc, char** argv, CLI::App& app) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Success&) {
    return {0, app.help()};
  } catch (const CLI::ParseError& error) {
    return {kUsage, app.get_name() + ": " + error.what() + "\n" + app.help()};
  }
}

Verdict prepared(const CLI::App& app, const std::function<void()>& prepare) {
  try {
    prepare();
    return {};
  } catch (const std::exception& error) {
    return {kFailure, app.get_name() + ": " + error.what() + "\n"};
  }
}

/// Status of all processes if one of them does not run; the first that does not says why.
std::optional<int> agreed(const Verdict& mine) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int first = mine.status ? rank : ranks;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks) return std::nullopt;
  int status = mine.status.value_or(0);
  MPI_Bcast(&status, 1, MPI_INT, first, MPI_COMM_WORLD);
  if (rank == first) std::fputs(mine.words.c_str(), status == 0 ? stdout : stderr);
  return status;
}

/// The other processes may wait for messages that will never come, so they are ended too.
void end_all(const CLI::App& app, const char* why) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "%s: rank %d: %s\n", app.get_name().c_str(), rank, why);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, kFailure);
}

}  // namespace

int mpi_program(int argc, char** argv, CLI::App& app, const std::function<void()>& prepare,
                const std::function<int()>& run) {
  MPI_Init(&argc, &argv);
  std::optional<int> status = agreed(parse(argc, argv, app));
  if (!status) status = agreed(prepared(app, prepare));
  if (!status) {
    try {
      status = run();
    } catch (const std::exception& error) {
      end_all(app, error.what());
    }
    MPI_Allreduce(MPI_IN_PLACE, &*status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return *status;
}

}  // namespace gdr::interconnect
