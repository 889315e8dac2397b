// gdr-stencil: the applications under mpirun. Exit status 0; 1 if the result is not the serial run's; 2 for a wrong
// command line.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_stencil.h"

namespace {

using namespace gdr::interconnect;

constexpr const char* kUsage =
    "usage: mpirun -np RANKS gdr-stencil laplace|himeno --split I,J[,K] [--size S|M|L | --extent I,J[,K]]\n"
    "         [--method tca|mv2gdr|hybrid] [--iterations N] [--check]\n";

/// The command line says something that is no run.
class Usage : public gdr::Error {
 public:
  using Error::Error;
};

template <class Number>
Number number(std::string_view text, std::string_view option) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 1) {
    throw Usage(std::string(option) + ": '" + std::string(text) +
                "' is refused: it must be a whole number of 1 or more");
  }
  return value;
}

template <class Number>
std::array<Number, kHaloDimensions> numbers(std::string_view text, std::string_view option) {
  std::array<Number, kHaloDimensions> values{1, 1, 1};
  std::size_t count = 0;
  while (count < kHaloDimensions) {
    const std::size_t comma = text.find(',');
    values[count++] = number<Number>(text.substr(0, comma), option);
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
  throw Usage(std::string(option) + " takes at most three numbers");
}

struct CommandLine {
  StencilRun run;
  bool check = false;
};

CommandLine parse(const std::vector<std::string_view>& arguments) {
  if (arguments.empty()) throw Usage("laplace or himeno is missing");
  CommandLine line;
  if (arguments[0] != "laplace" && arguments[0] != "himeno") {
    throw Usage("'" + std::string(arguments[0]) + "' is refused: it must be laplace or himeno");
  }
  line.run.stencil = arguments[0] == "laplace" ? Stencil::laplace : Stencil::himeno;
  StencilProblem problem = stencil_problem(line.run.stencil, "S");
  std::array<int, kHaloDimensions> split{1, 1, 1};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--check") {
      line.check = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw Usage(std::string(option) + " is unknown or needs a value");
    const std::string_view value = arguments[++i];
    if (option == "--split") {
      split = numbers<int>(value, option);
    } else if (option == "--size") {
      problem = stencil_problem(line.run.stencil, value);
    } else if (option == "--extent") {
      problem.extent = numbers<std::int64_t>(value, option);
    } else if (option == "--iterations") {
      line.run.iterations = number<int>(value, option);
    } else if (option == "--method") {
      const std::optional<HaloMethod> method = halo_method_named(value);
      if (!method) throw Usage("--method: '" + std::string(value) + "' is refused: it must be tca, mv2gdr or hybrid");
      line.run.method = *method;
    } else {
      throw Usage(std::string(option) + " is unknown");
    }
  }
  line.run.shape = problem.shape(split);
  return line;
}

int run(const CommandLine& line) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const StencilResult result = run_stencil(line.run, MPI_COMM_WORLD, line.check);
  if (rank != 0) return 0;
  std::printf("residual %.9e after %d iterations, %.3f ms an iteration here; halo on HA-PACS/TCA %.1f us\n",
              result.residual, line.run.iterations, 1e3 * result.seconds / line.run.iterations,
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
  MPI_Init(&argc, &argv);
  int status = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    status = run(parse({argv + 1, argv + argc}));
  } catch (const Usage& error) {
    if (rank == 0) std::fprintf(stderr, "gdr-stencil: %s\n%s", error.what(), kUsage);
    status = 2;
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "gdr-stencil: %s\n", error.what());
    status = 1;
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
