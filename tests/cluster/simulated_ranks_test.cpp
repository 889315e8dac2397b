#include "gdr/cluster/simulated_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "gdr/base/error.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/cluster/nbody_ranks.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/plummer.h"

namespace gdr::cluster {
namespace {

constexpr interconnect::Cable kCable{1.5e9, 1e-6};

/// The digest of a short run's particles as numbers, then the seconds of the rank by its own clock: compute, send,
/// receive, network, wait.
std::vector<double> run(Communicator& communicator, const std::string& split, unsigned boards = 1) {
  DeviceOptions options;
  options.threads = 1;
  options.boards = boards;
  Device device(options);
  NbodyRanks ranks(communicator, split_named(split, communicator.size()), load_cluster("grape-dr-64"));
  const auto backend = ranks.share(device, hostlib::kernel_program("gravity_jerk"));
  hostlib::HermiteIntegrator integrator(*backend, hostlib::make_plummer(48, 1), {0.1, 0.01});
  integrator.evolve(0.03125);
  std::vector<double> numbers;
  for (const char letter : state_hash(integrator.particles_at(integrator.time()))) numbers.push_back(letter);
  const RankSeconds seconds = ranks.seconds()[communicator.rank()];
  for (const double part : {seconds.compute, seconds.send, seconds.receive, seconds.network, seconds.wait}) {
    numbers.push_back(part);
  }
  return numbers;
}
constexpr std::ptrdiff_t kClocks = 5;

std::string hash_of(const std::vector<double>& numbers) {
  std::string hash;
  std::for_each(numbers.begin(), numbers.end() - kClocks, [&](double letter) { hash += static_cast<char>(letter); });
  return hash;
}

interconnect::ProgramResult simulated(unsigned ranks, const std::string& split,
                                      const interconnect::Topology& topology) {
  return run_simulated_ranks("N-body", ranks, topology,
                             [&](Communicator& communicator) { return run(communicator, split); });
}

TEST(SimulatedRanks, CopiesHaveTheBitsOfOneProcessForAnyNumberOfRanks) {
  if (!interconnect::has_simgrid()) GTEST_SKIP();
  const std::string alone = hash_of(run(*single_process(), "i"));
  for (const unsigned ranks : {1U, 2U, 3U, 4U, 8U, 16U}) {
    const interconnect::ProgramResult found = simulated(ranks, "i", interconnect::infiniband_flat(ranks, kCable));
    for (const std::vector<double>& numbers : found.numbers) EXPECT_EQ(hash_of(numbers), alone) << ranks;
  }
}

TEST(SimulatedRanks, SharesOfParticlesHaveTheBitsOfAsManyBoards) {
  if (!interconnect::has_simgrid()) GTEST_SKIP();
  const std::string two = hash_of(run(*single_process(), "i", 2));
  for (const auto& [split, ranks] : {std::pair("j", 2U), std::pair("2d", 4U)}) {
    EXPECT_EQ(hash_of(simulated(ranks, split, interconnect::infiniband_flat(4, kCable)).numbers.back()), two) << split;
  }
}

TEST(SimulatedRanks, OnAFreeNetworkTheSlowestRankDecides) {
  if (!interconnect::has_simgrid()) GTEST_SKIP();
  const interconnect::ProgramResult found = simulated(4, "i", free_network(4));
  for (const std::vector<double>& numbers : found.numbers) {
    // Sums and messages between the ranks are no part of what boards and hosts are busy with here.
    const auto clocks = numbers.end() - kClocks;
    const double busy = clocks[0] + clocks[1] + clocks[2] + clocks[4];
    EXPECT_NEAR(found.seconds, busy, 1e-6 * busy);
  }
  EXPECT_GT(simulated(4, "i", interconnect::infiniband_flat(4, kCable)).seconds, found.seconds);
}

TEST(SimulatedRanks, WhatARankThrowsEndsAllWithItsWords) {
  if (!interconnect::has_simgrid()) GTEST_SKIP();
  const interconnect::Topology topology = interconnect::infiniband_flat(3, kCable);
  const auto failing = [](Communicator& communicator) -> std::vector<double> {
    if (communicator.rank() == 1) throw Error("rank 1 does not like it");
    communicator.barrier();
    return {};
  };
  try {
    static_cast<void>(run_simulated_ranks("test", 3, topology, failing));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 1 does not like it");
  }
  EXPECT_THROW(static_cast<void>(run_simulated_ranks("test", 4, topology, failing)), Error);
}

}  // namespace
}  // namespace gdr::cluster
