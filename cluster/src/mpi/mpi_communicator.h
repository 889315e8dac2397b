// A communicator over MPI. Compiled twice: against the mpi.h of an MPI library for libgdr_mpi.so, and against SimGrid's
// for simulated ranks.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/cluster/communicator.h"

namespace gdr::cluster {

inline int count_of(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (bytes <= kMost) return static_cast<int>(bytes);
  throw Error(fmt::format("a message of {} bytes is refused: MPI counts to {}", bytes, kMost));
}

/// MPI is not called by name, since a program may have loaded both an MPI library and SimGrid, which has functions of
/// the same names.
struct Functions {
  decltype(&MPI_Comm_rank) comm_rank;
  decltype(&MPI_Comm_size) comm_size;
  decltype(&MPI_Allgatherv) allgatherv;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Irecv) irecv;
  decltype(&MPI_Isend) isend;
  decltype(&MPI_Waitall) waitall;
  decltype(&MPI_Barrier) barrier;
  decltype(&MPI_Abort) abort;
};

class Mpi : public Communicator {
 public:
  /// MPI must have been started, and must outlive this object.
  explicit Mpi(const Functions& functions) : mpi_(functions) {
    int number = 0;
    mpi_.comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<unsigned>(number);
    mpi_.comm_size(MPI_COMM_WORLD, &number);
    size_ = static_cast<unsigned>(number);
  }
  ~Mpi() override = default;
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

  void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    requests_.clear();
    // Messages of a rank to itself are copied, since a simulated network has no route from a node to itself.
    for (const Incoming& incoming : receives) {
      if (incoming.from != rank_) continue;
      const auto own = std::ranges::find(sends, rank_, &Outgoing::to);
      std::ranges::copy(own->data, incoming.data.begin());
    }
    for (const Incoming& incoming : receives) {
      if (incoming.from == rank_) continue;
      mpi_.irecv(incoming.data.data(), count_of(incoming.data.size()), MPI_BYTE, static_cast<int>(incoming.from), 0,
                 MPI_COMM_WORLD, &requests_.emplace_back());
    }
    for (const Outgoing& outgoing : sends) {
      if (outgoing.to == rank_) continue;
      mpi_.isend(outgoing.data.data(), count_of(outgoing.data.size()), MPI_BYTE, static_cast<int>(outgoing.to), 0,
                 MPI_COMM_WORLD, &requests_.emplace_back());
    }
  }

  void end_exchange() override {
    mpi_.waitall(count_of(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
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

}  // namespace gdr::cluster
