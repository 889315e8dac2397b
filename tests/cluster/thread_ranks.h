// Ranks that are threads of the test: a communicator without MPI and without a simulation.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "gdr/cluster/communicator.h"

namespace gdr::tests {

/// Calls `program` on each of `ranks` threads with its communicator. An exception of a rank ends the test program.
inline void run_on_threads(unsigned ranks, const std::function<void(cluster::Communicator&)>& program) {
  using Bytes = std::vector<std::byte>;
  struct Shared {
    std::barrier<> all;
    std::vector<std::vector<Bytes>> mail;  // [from][to]
  };
  class Rank final : public cluster::Communicator {
   public:
    Rank(Shared& shared, unsigned rank) : shared_(shared), rank_(rank) {}
    [[nodiscard]] unsigned rank() const override { return rank_; }
    [[nodiscard]] unsigned size() const override { return static_cast<unsigned>(shared_.mail.size()); }
    void allgatherv(std::span<const std::byte> own, std::span<const std::size_t> /*counts*/,
                    std::span<std::byte> all) override {
      shared_.mail[rank_][rank_].assign(own.begin(), own.end());
      barrier();
      for (unsigned from = 0; from < size(); ++from) {
        const Bytes& sent = shared_.mail[from][from];
        std::ranges::copy(sent, all.begin());
        all = all.subspan(sent.size());
      }
      barrier();
    }
    void bcast(std::span<std::byte> data, unsigned root) override {
      if (rank_ == root) shared_.mail[root][root].assign(data.begin(), data.end());
      barrier();
      std::ranges::copy(shared_.mail[root][root], data.begin());
      barrier();
    }
    void begin_exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
      for (const Outgoing& send : sends) shared_.mail[rank_][send.to].assign(send.data.begin(), send.data.end());
      receives_.assign(receives.begin(), receives.end());
    }
    void end_exchange() override {
      barrier();
      for (const Incoming& receive : receives_) {
        std::ranges::copy(shared_.mail[receive.from][rank_], receive.data.begin());
      }
      barrier();
    }
    void barrier() override { shared_.all.arrive_and_wait(); }
    [[noreturn]] void abort(int status) override { std::_Exit(status); }

   private:
    Shared& shared_;
    unsigned rank_;
    std::vector<Incoming> receives_;
  };
  Shared shared{std::barrier<>(ranks), std::vector<std::vector<Bytes>>(ranks, std::vector<Bytes>(ranks))};
  std::vector<std::jthread> threads;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&shared, &program, rank] {
      Rank own(shared, rank);
      program(own);
    });
  }
}

}  // namespace gdr::tests
