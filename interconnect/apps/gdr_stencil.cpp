// gdr-stencil: the applications under mpirun. Exit status 0; 1 if the result is not the serial run's; 2 for a wrong
// command line.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "mpi_program.h"
#include "mpi_stencil.h"

namespace {

using namespace gdr::interconnect;

struct CommandLine {
  std::string stencil;
  std::string size = "S";
  std::string method = "hybrid";
  std::vector<std::int64_t> extent;
  std::vector<int> split{1};
  int iterations = StencilRun{}.iterations;
  bool check = false;
};

void add_options(CLI::App& app, CommandLine& line) {
  const CLI::Range count(1, 1'000'000);
  app.add_option("stencil", line.stencil, "laplace or himeno")->required()->check(CLI::IsMember({"laplace", "himeno"}));
  app.add_option("--split", line.split, "processes along each dimension")
      ->delimiter(',')
      ->expected(1, kHaloDimensions)
      ->check(count)
      ->required();
  auto* size = app.add_option("--size", line.size, "S, M or L, as the papers have them");
  app.add_option("--extent", line.extent, "elements along each dimension")
      ->delimiter(',')
      ->expected(1, kHaloDimensions)
      ->check(count)
      ->excludes(size);
  app.add_option("--method", line.method, "tca, mv2gdr or hybrid")->check(CLI::IsMember({"tca", "mv2gdr", "hybrid"}));
  app.add_option("--iterations", line.iterations, "sweeps over all elements")->check(count);
  app.add_flag("--check", line.check, "compare with the run of one process");
}

StencilRun run_of(const CommandLine& line) {
  StencilRun run;
  run.stencil = line.stencil == "laplace" ? Stencil::laplace : Stencil::himeno;
  run.method = *halo_method_named(line.method);
  run.iterations = line.iterations;
  StencilProblem problem = stencil_problem(run.stencil, line.size);
  if (!line.extent.empty()) {
    problem.extent.fill(1);
    std::ranges::copy(line.extent, problem.extent.begin());
  }
  std::array<int, kHaloDimensions> split{1, 1, 1};
  std::ranges::copy(line.split, split.begin());
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
  CLI::App app("Laplace and Himeno under mpirun, with the halo library", "gdr-stencil");
  add_options(app, line);
  return mpi_program(argc, argv, app, [&] { run_of(line).shape.check(); }, [&] { return run(line); });
}
