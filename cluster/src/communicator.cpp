#include "gdr/cluster/communicator.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/plugin.h"
#include "mpi/plugin.h"

namespace gdr::cluster {
namespace {

constexpr const char* kPlugin = "libgdr_mpi.so";

class SingleProcess final : public Communicator {
 public:
  [[nodiscard]] unsigned rank() const override { return 0; }
  [[nodiscard]] unsigned size() const override { return 1; }
  void allgatherv(std::span<const std::byte> own, std::span<const std::size_t>, std::span<std::byte> all) override {
    std::ranges::copy(own, all.begin());
  }
  void bcast(std::span<std::byte>, unsigned) override {}
  void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    for (std::size_t n = 0; n < sends.size(); ++n) std::ranges::copy(sends[n].data, receives[n].data.begin());
  }
  void end_exchange() override {}
  void barrier() override {}
  [[noreturn]] void abort(int status) override {
    std::fflush(nullptr);
    std::_Exit(status);
  }
};

unsigned number_of(const char* variable) {
  const std::string text = base::environment(variable);
  return base::number_in<unsigned>(text).value_or(0);
}

/// The file that GDR_MPI_PLUGIN names, or else gdr's own.
std::filesystem::path plugin_file() {
  if (std::string chosen = base::environment("GDR_MPI_PLUGIN"); !chosen.empty()) return chosen;
  std::error_code none;
  for (const std::filesystem::path& folder : base::library_folders()) {
    if (std::filesystem::path file = folder / kPlugin; std::filesystem::is_regular_file(file, none)) return file;
  }
  throw Error(
      fmt::format("mpirun cannot start more than one rank of this gdr: gdr's library {}, which is built where "
                  "CMake finds MPI, is not found",
                  kPlugin));
}

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

std::optional<Launch> launch_of_environment() {
  // Variables of Open MPI, of MPICH and its derivatives, and of Slurm's srun with either.
  for (const auto& [all, here] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"), std::pair("PMI_SIZE", "MPI_LOCALNRANKS"),
        std::pair("PMIX_SIZE", "PMIX_LOCAL_SIZE")}) {
    if (const unsigned ranks = number_of(all); ranks > 0) return Launch{ranks, std::max(1U, number_of(here))};
  }
  return std::nullopt;
}

std::unique_ptr<Communicator> start_communicator() {
  const std::optional<Launch> launch = launch_of_environment();
  if (!launch) return single_process();
  // A waiting rank of Open MPI polls, which takes the core from a rank or another program that computes. So it is told
  // to yield, unless the user has set how it waits.
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  const std::filesystem::path file = plugin_file();
  // RTLD_GLOBAL, since Open MPI loads parts of itself that need its symbols. The library is never closed, since MPI
  // does not survive that.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw Error(fmt::format("MPI is refused: {}", dlerror()));
  void* const symbol = dlsym(library, kPluginEntry);
  if (symbol == nullptr) throw Error(fmt::format("{}: is no library of gdr for MPI: {}", file.string(), dlerror()));
  PluginEntry* entry = nullptr;
  static_assert(sizeof(entry) == sizeof(symbol));
  std::memcpy(&entry, &symbol, sizeof(entry));
  const char* why = nullptr;
  std::unique_ptr<Communicator> communicator(entry(kPluginVersion, library, &why));
  if (!communicator) throw Error(fmt::format("{}: MPI does not start: {}", file.string(), why));
  if (communicator->size() != launch->ranks) {
    throw Error(fmt::format("{}: MPI sees {} ranks where {} were started: mpirun is of another MPI library than gdr",
                            file.string(), communicator->size(), launch->ranks));
  }
  return communicator;
}

std::vector<std::string> all_texts(Communicator& communicator, const std::string& own) {
  std::vector<std::size_t> lengths(communicator.size());
  const std::size_t length = own.size();
  const std::vector<std::size_t> of_lengths(communicator.size(), sizeof(std::size_t));
  communicator.allgatherv(std::as_bytes(std::span(&length, 1)), of_lengths, std::as_writable_bytes(std::span(lengths)));
  std::string all(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), '\0');
  communicator.allgatherv(std::as_bytes(std::span(own)), lengths, std::as_writable_bytes(std::span(all)));
  std::vector<std::string> texts;
  std::size_t begin = 0;
  for (const std::size_t one : lengths) {
    texts.push_back(all.substr(begin, one));
    begin += one;
  }
  return texts;
}

}  // namespace gdr::cluster
