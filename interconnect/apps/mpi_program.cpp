#include "mpi_program.h"

#include <mpi.h>

#include <cstdio>
#include <exception>

namespace gdr::interconnect {
namespace {

int status_of(int argc, char** argv, CLI::App& app, const std::function<int()>& run, bool speaks) {
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::Success&) {
    if (speaks) std::printf("%s", app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (speaks) std::fprintf(stderr, "%s: %s\n%s", app.get_name().c_str(), error.what(), app.help().c_str());
    return 2;
  } catch (const std::exception& error) {
    if (speaks) std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return 1;
  }
}

}  // namespace

int mpi_program(int argc, char** argv, CLI::App& app, const std::function<int()>& run) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = status_of(argc, argv, app, run, rank == 0);
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}

}  // namespace gdr::interconnect
