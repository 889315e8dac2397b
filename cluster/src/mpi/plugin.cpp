// Ranks over an MPI library. Built as a library of its own, which is loaded under mpirun alone.
#include "mpi/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::cluster {
namespace {

int count_of(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (bytes <= kMost) return static_cast<int>(bytes);
  throw Error(fmt::format("a message of {} bytes is refused: MPI counts to {}", bytes, kMost));
}

/// The functions of the MPI library that this one is linked with. Not called by name: the program may have loaded
/// SimGrid, which has functions of the same names.
struct Functions {
  decltype(&MPI_Init) init;
  decltype(&MPI_Finalize) finalize;
  decltype(&MPI_Comm_rank) comm_rank;
  decltype(&MPI_Comm_size) comm_size;
  decltype(&MPI_Allgatherv) allgatherv;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Irecv) irecv;
  decltype(&MPI_Isend) isend;
  decltype(&MPI_Waitall) waitall;
  decltype(&MPI_Barrier) barrier;
  decltype(&MPI_Abort) abort;

  /// False if one is not there.
  [[nodiscard]] bool find(void* library) {
    const auto find_one = [&](const char* name, auto& function) {
      void* const symbol = dlsym(library, name);
      static_assert(sizeof(function) == sizeof(symbol));
      std::memcpy(&function, &symbol, sizeof(function));
      return symbol != nullptr;
    };
    return find_one("MPI_Init", init) && find_one("MPI_Finalize", finalize) && find_one("MPI_Comm_rank", comm_rank) &&
           find_one("MPI_Comm_size", comm_size) && find_one("MPI_Allgatherv", allgatherv) &&
           find_one("MPI_Bcast", bcast) && find_one("MPI_Irecv", irecv) && find_one("MPI_Isend", isend) &&
           find_one("MPI_Waitall", waitall) && find_one("MPI_Barrier", barrier) && find_one("MPI_Abort", abort);
  }
};

class Mpi final : public Communicator {
 public:
  /// MPI has been started.
  explicit Mpi(const Functions& functions) : mpi_(functions) {
    int number = 0;
    mpi_.comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<unsigned>(number);
    mpi_.comm_size(MPI_COMM_WORLD, &number);
    size_ = static_cast<unsigned>(number);
  }
  ~Mpi() override { mpi_.finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  [[nodiscard]] unsigned rank() const override { return rank_; }
  [[nodiscard]] unsigned size() const override { return size_; }

  void allgatherv(std::span<const std::byte> own, std::span<const std::size_t> counts,
                  std::span<std::byte> all) override {
    counts_.clear();
    places_.clear();
    std::size_t place = 0;
    for (const std::size_t count : counts) {
      counts_.push_back(count_of(count));
      places_.push_back(count_of(place));
      place += count;
    }
    mpi_.allgatherv(own.data(), count_of(own.size()), MPI_BYTE, all.data(), counts_.data(), places_.data(), MPI_BYTE,
                    MPI_COMM_WORLD);
  }

  void bcast(std::span<std::byte> data, unsigned root) override {
    mpi_.bcast(data.data(), count_of(data.size()), MPI_BYTE, static_cast<int>(root), MPI_COMM_WORLD);
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    requests_.clear();
    for (const Incoming& incoming : receives) {
      mpi_.irecv(incoming.data.data(), count_of(incoming.data.size()), MPI_BYTE, static_cast<int>(incoming.from), 0,
                 MPI_COMM_WORLD, &requests_.emplace_back());
    }
    for (const Outgoing& outgoing : sends) {
      mpi_.isend(outgoing.data.data(), count_of(outgoing.data.size()), MPI_BYTE, static_cast<int>(outgoing.to), 0,
                 MPI_COMM_WORLD, &requests_.emplace_back());
    }
    mpi_.waitall(count_of(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  void barrier() override { mpi_.barrier(MPI_COMM_WORLD); }

  [[noreturn]] void abort(int status) override {
    std::fflush(nullptr);
    mpi_.abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  Functions mpi_;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  std::vector<int> counts_;
  std::vector<int> places_;
  std::vector<MPI_Request> requests_;
};

}  // namespace
}  // namespace gdr::cluster

extern "C" __attribute__((visibility("default"))) gdr::cluster::Communicator* gdr_mpi_communicator(int version,
                                                                                                   void* library,
                                                                                                   const char** why) {
  if (version != gdr::cluster::kPluginVersion) {
    *why = "the library belongs to another version of gdr";
    return nullptr;
  }
  gdr::cluster::Functions functions{};
  if (!functions.find(library)) {
    *why = "its MPI library lacks a function";
    return nullptr;
  }
  if (functions.init(nullptr, nullptr) != MPI_SUCCESS) {
    *why = "MPI_Init fails";
    return nullptr;
  }
  return new gdr::cluster::Mpi(functions);
}
