// gdr-summa: the schedules of SUMMA under mpirun, with blocks that move between processes. Exit status 0; 1 if the
// result is not the serial product; 2 for a wrong command line.
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/interconnect/summa.h"
#include "mpi/run_mpi.h"

namespace {

using namespace gdr::interconnect;

constexpr const char* kUsage =
    "usage: mpirun -np RANKS gdr-summa [--n SIZE] [--algorithm CA0|CA1|CA2|CA3|CA4|all] [--layout 2d|2.5d]\n"
    "         [--exchange posted|pairwise] [--check]\n";
constexpr std::string_view kNames[] = {"CA0", "CA1", "CA2", "CA3", "CA4"};

/// The command line says something that is no run.
class Usage : public gdr::Error {
 public:
  using Error::Error;
};

struct CommandLine {
  SummaOptions summa;
  bool all = false;
  bool check = false;
};

/// One of `names`, as its place among them.
template <std::size_t Count>
std::size_t choice(std::string_view option, std::string_view value, const std::array<std::string_view, Count>& names) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (value == names[i]) return i;
  }
  std::string text = std::string(option) + ": '" + std::string(value) + "' is refused: it must be one of";
  for (const std::string_view name : names) text += " " + std::string(name);
  throw Usage(text);
}

CommandLine parse(const std::vector<std::string_view>& arguments, Rank ranks) {
  CommandLine line;
  line.summa.nodes = ranks;
  line.summa.n = 256;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    if (option == "--check") {
      line.check = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw Usage(std::string(option) + " is unknown or needs a value");
    const std::string_view value = arguments[++i];
    if (option == "--n") {
      const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), line.summa.n);
      if (error != std::errc() || stop != value.data() + value.size()) {
        throw Usage("--n: '" + std::string(value) + "' is refused: it must be a whole number");
      }
    } else if (option == "--algorithm") {
      const std::size_t chosen = choice<6>(option, value, {"CA0", "CA1", "CA2", "CA3", "CA4", "all"});
      line.all = chosen == std::size(kNames);
      if (!line.all) line.summa.algorithm = static_cast<SummaAlgorithm>(chosen);
    } else if (option == "--layout") {
      line.summa.layout = static_cast<SummaLayout>(choice<2>(option, value, {"2d", "2.5d"}));
    } else if (option == "--exchange") {
      line.summa.exchange = static_cast<Exchange>(choice<2>(option, value, {"posted", "pairwise"}));
    } else {
      throw Usage(std::string(option) + " is unknown");
    }
  }
  return line;
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
  constexpr double kGiga = 1e9;
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
                   " processes here would need " + std::to_string(static_cast<std::uint64_t>(needed / kGiga)) +
                   " GB of " + std::to_string(static_cast<std::uint64_t>(memory / kGiga)));
}

/// False if the product was looked at and is not the serial one.
bool run(const SummaOptions& options, bool check) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const SummaPlan plan = make_summa(options);
  refuse_what_does_not_fit(options);
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
  std::printf("%s in %s on %u processes, n = %llu: %.3f ms here%s\n",
              kNames[static_cast<std::size_t>(options.algorithm)].data(),
              options.layout == SummaLayout::square ? "2d" : "2.5d", options.nodes,
              static_cast<unsigned long long>(options.n), 1e3 * seconds, verdict);
  return agrees;
}

int run(const CommandLine& line) {
  if (!line.all) return run(line.summa, line.check) ? 0 : 1;
  bool agrees = true;
  for (std::size_t algorithm = 0; algorithm < std::size(kNames); ++algorithm) {
    SummaOptions options = line.summa;
    options.algorithm = static_cast<SummaAlgorithm>(algorithm);
    const bool is_for_cubes = options.algorithm == SummaAlgorithm::ca1 || options.algorithm == SummaAlgorithm::ca3;
    if (options.layout == SummaLayout::square || is_for_cubes) agrees = run(options, line.check) && agrees;
  }
  return agrees ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // What is refused is refused in every process, before any message.
  try {
    status = run(parse({argv + 1, argv + argc}, static_cast<Rank>(ranks)));
  } catch (const Usage& error) {
    if (rank == 0) std::fprintf(stderr, "gdr-summa: %s\n%s", error.what(), kUsage);
    status = 2;
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "gdr-summa: %s\n", error.what());
    status = 1;
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
