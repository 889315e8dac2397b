// gdr-summa: the schedules of SUMMA under mpirun, with blocks that move between processes. Exit status 0; 1 if the
// result is not the serial product; 2 for a wrong command line.
#include <unistd.h>

#include <cstdio>
#include <list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/summa.h"
#include "mpi/run_mpi.h"
#include "mpi_program.h"

namespace {

using namespace gdr::interconnect;
namespace commandline = gdr::commandline;

const std::map<std::string, SummaAlgorithm> kAlgorithms{{"CA0", SummaAlgorithm::ca0},
                                                        {"CA1", SummaAlgorithm::ca1},
                                                        {"CA2", SummaAlgorithm::ca2},
                                                        {"CA3", SummaAlgorithm::ca3},
                                                        {"CA4", SummaAlgorithm::ca4}};
const std::map<std::string, SummaLayout> kLayouts{{"2d", SummaLayout::square}, {"2.5d", SummaLayout::cube}};

struct CommandLine {
  std::uint64_t n = 256;
  std::string algorithm = "CA4";
  std::string layout = "2d";
  bool check = false;
};

void add_options(commandline::Command command, CommandLine& line) {
  using commandline::one_of;
  command.add_option("-n,--n", line.n, "rows of the matrices", commandline::whole_in_range(1, 1'000'000'000));
  command.add_option("--algorithm", line.algorithm, "algorithm that broadcasts the blocks, or all of them",
                     one_of({"CA0", "CA1", "CA2", "CA3", "CA4", "all"}));
  command.add_option("--layout", line.layout, "blocks on a square of processes, or on a cube (CA1, CA3)",
                     one_of({"2d", "2.5d"}));
  command.add_flag("--check", line.check, "compare with the serial product");
}

/// Blocks of a rank as messages.
class BlockPayload : public Payload {
 public:
  explicit BlockPayload(SummaRank& rank) : rank_(rank) {}

  const void* outgoing(const Message& message) override {
    return leaving_.emplace_back(rank_.outgoing(message)).data();
  }
  void* place_for(const Message& message) override {
    return arriving_.emplace_back(message, std::vector<double>(message.bytes / sizeof(double))).second.data();
  }
  void finish_step(std::size_t step) override {
    for (const auto& [message, elements] : arriving_) rank_.incoming(message, elements);
    rank_.multiply(step);
    leaving_.clear();
    arriving_.clear();
  }

 private:
  SummaRank& rank_;
  std::list<std::vector<double>> leaving_;  // lists, so that nothing moves while it is sent
  std::list<std::pair<Message, std::vector<double>>> arriving_;
};

/// Small whole numbers, the same in every process, so that every order of summation gives the same double.
std::vector<double> whole_numbers(std::uint64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> matrix(n * n);
  for (double& element : matrix) element = static_cast<double>(random() % 201) - 100;
  return matrix;
}

std::vector<double> serial_product(std::uint64_t n, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c(n * n);
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t k = 0; k < n; ++k) {
      for (std::uint64_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

/// The product on rank 0, empty elsewhere.
std::vector<double> gathered(const SummaPlan& plan, const SummaRank& rank) {
  const std::size_t elements = plan.block * plan.block;
  const std::vector<double> own = rank.has_result() ? rank.result() : std::vector<double>(elements);
  int place = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &place);
  std::vector<double> blocks(place == 0 ? elements * plan.options.nodes : 0);
  const int count = static_cast<int>(elements);
  MPI_Gather(own.data(), count, MPI_DOUBLE, blocks.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (place != 0) return {};
  std::vector<double> c(plan.options.n * plan.options.n);
  for (Rank other = 0; other < plan.options.nodes; ++other) {
    if (position(plan, other).layer != 0) continue;
    place_block(plan, other, std::span(blocks).subspan(other * elements, elements), c);
  }
  return c;
}

/// All processes of this host hold A, B and their blocks; where the product is looked at, one holds two more.
void refuse_what_does_not_fit(const SummaOptions& options) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int processes = 0;
  MPI_Comm_size(host, &processes);
  MPI_Comm_free(&host);
  const auto n = static_cast<double>(options.n);
  const double words =
      processes * (2 * n * n + summa_memory_words(options.algorithm, options.layout, options.nodes, n)) + 2 * n * n;
  const double needed = words * sizeof(double);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed <= memory) return;
  throw gdr::Error("n: " + std::to_string(options.n) + " is refused: " + std::to_string(processes) +
                   " processes here would need " + std::to_string(static_cast<std::uint64_t>(needed / gdr::kGiga)) +
                   " GB of " + std::to_string(static_cast<std::uint64_t>(memory / gdr::kGiga)));
}

/// False if the product was looked at and is not the serial one.
bool multiply(const std::string& name, const SummaOptions& options, bool check) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const SummaPlan plan = make_summa(options);
  const std::vector<double> a = whole_numbers(options.n, 1);
  const std::vector<double> b = whole_numbers(options.n, 2);
  SummaRank share(plan, static_cast<Rank>(rank), a, b);
  BlockPayload payload(share);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run_mpi(plan.schedule, MPI_COMM_WORLD, payload);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  std::vector<double> c;
  if (check) c = gathered(plan, share);
  if (rank != 0) return true;
  const bool agrees = !check || c == serial_product(options.n, a, b);
  const char* verdict = !check ? "" : agrees ? ", equals the serial product" : ", DIFFERS from the serial product";
  std::printf("%s in %s on %u processes, n = %llu: %.3f ms here%s\n", name.c_str(),
              options.layout == SummaLayout::square ? "2d" : "2.5d", options.nodes,
              static_cast<unsigned long long>(options.n), 1e3 * seconds, verdict);
  return agrees;
}

/// The products that the command line asks for, with their names.
std::vector<std::pair<std::string, SummaOptions>> products_of(const CommandLine& line) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  SummaOptions options;
  options.nodes = static_cast<Rank>(ranks);
  options.n = line.n;
  options.layout = kLayouts.at(line.layout);
  options.tree_radix = load_tree_radix("mvapich2");
  const bool all = line.algorithm == "all";
  std::vector<std::pair<std::string, SummaOptions>> products;
  for (const auto& [name, algorithm] : kAlgorithms) {
    options.algorithm = algorithm;
    const bool is_for_cubes = algorithm == SummaAlgorithm::ca1 || algorithm == SummaAlgorithm::ca3;
    const bool chosen = all ? options.layout == SummaLayout::square || is_for_cubes : name == line.algorithm;
    if (chosen) products.emplace_back(name, options);
  }
  return products;
}

void prepare(const CommandLine& line) {
  for (const auto& [name, options] : products_of(line)) {
    static_cast<void>(make_summa(options));
    refuse_what_does_not_fit(options);
  }
}

int run(const CommandLine& line) {
  bool agrees = true;
  for (const auto& [name, options] : products_of(line)) agrees = multiply(name, options, line.check) && agrees;
  return agrees ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  const commandline::Program program{"gdr-summa", "SUMMA with blocks that move between the processes of mpirun",
                                     GDR_VERSION};
  return mpi_program(
      argc, argv, program, [&](commandline::Command command) { add_options(command, line); }, [&] { prepare(line); },
      [&] { return run(line); });
}
