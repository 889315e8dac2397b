// gdr-stencil: the applications under mpirun. Exit status 0; 1 if the result is not the serial run's; 2 for a wrong
// command line.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "gdr/base/error.h"
#include "mpi_program.h"
#include "mpi_stencil.h"

namespace {

using namespace gdr::interconnect;
namespace commandline = gdr::commandline;

struct CommandLine {
  std::string stencil;
  std::string size = "S";
  std::string method = "hybrid";
  std::string extent;
  std::string split;
  std::uint64_t iterations = static_cast<std::uint64_t>(StencilRun{}.iterations);
  bool check = false;
};

/// A check for one to three numbers: I,J,K.
commandline::Check extents() {
  return {[](const std::string& text) -> std::string {
    try {
      static_cast<void>(parse_halo_extents(text));
      return "";
    } catch (const gdr::Error& error) {
      return error.what();
    }
  }};
}

void add_options(commandline::Command command, CommandLine& line) {
  using commandline::one_of;
  command.add_option("stencil", line.stencil, "equation to solve", one_of({"laplace", "himeno"})).required();
  command.add_option("--split=I,J[,K]", line.split, "processes along each dimension", extents()).required();
  const auto size =
      command.add_option("--size", line.size, "size of the problem, as the papers have them", one_of({"S", "M", "L"}));
  command.add_option("--extent=I,J[,K]", line.extent, "elements along each dimension", extents()).excludes(size);
  command.add_option("--method", line.method, "networks whose time is printed", one_of({"tca", "mv2gdr", "hybrid"}));
  command.add_option("--iterations", line.iterations, "sweeps over all elements",
                     commandline::whole_in_range(1, 1'000'000));
  command.add_flag("--check", line.check, "compare with the run of one process");
}

StencilRun run_of(const CommandLine& line) {
  StencilRun run;
  run.stencil = line.stencil == "laplace" ? Stencil::laplace : Stencil::himeno;
  run.method = *halo_method_named(line.method);
  run.iterations = static_cast<int>(line.iterations);
  StencilProblem problem = stencil_problem(run.stencil, line.size);
  if (!line.extent.empty()) problem.extent = parse_halo_extents(line.extent);
  std::array<int, kHaloDimensions> split{};
  std::ranges::transform(parse_halo_extents(line.split), split.begin(), [](auto n) { return static_cast<int>(n); });
  run.shape = problem.shape(split);
  return run;
}

int run(const CommandLine& line) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const StencilRun stencil = run_of(line);
  const StencilResult result = run_stencil(stencil, MPI_COMM_WORLD, line.check);
  if (rank != 0) return 0;
  std::printf("residual %.9e after %d iterations, %.3f ms an iteration here; halo on HA-PACS/TCA %.1f us\n",
              result.residual, stencil.iterations, 1e3 * result.seconds / stencil.iterations,
              1e6 * result.modelled_halo);
  if (!line.check) return 0;
  // The sum over ranks rounds in another order than the serial sum.
  constexpr double kRounding = 1e-9;
  const bool residual_agrees =
      std::abs(result.residual - result.serial_residual) <= kRounding * std::abs(result.serial_residual);
  std::printf("%lld elements differ from the serial run, its residual is %.9e\n",
              static_cast<long long>(result.different), result.serial_residual);
  return result.different == 0 && residual_agrees ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  const commandline::Program program{"gdr-stencil", "Laplace and Himeno under mpirun, with the halo library",
                                     GDR_VERSION};
  return mpi_program(
      argc, argv, program, [&](commandline::Command command) { add_options(command, line); },
      [&] { run_of(line).shape.check(); }, [&] { return run(line); });
}
