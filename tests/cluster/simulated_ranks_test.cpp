#include "gdr/cluster/simulated_ranks.h"

#include <fmt/format.h>
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
#include "recorder.h"

namespace gdr::cluster {
namespace {

constexpr interconnect::Cable kCable{1.5e9, 1e-6};

struct Size {
  std::size_t particles = 48;
  double t_end = 0.03125;
  bool overlap = false;
};

/// The digest of a short run's particles as numbers, then the seconds of the rank by its own clock: compute, send,
/// receive, network, wait.
std::vector<double> run(Communicator& communicator, const std::string& split, unsigned boards = 1,
                        const Size& size = {}) {
  DeviceOptions options;
  options.threads = 1;
  options.boards = boards;
  Device device(options);
  Split how = split_named(split, communicator.size());
  how.overlap = size.overlap;
  NbodyRanks ranks(communicator, how, load_cluster("grape-dr-64"));
  const auto backend = ranks.share(device, hostlib::kernel_program("gravity_jerk"));
  hostlib::HermiteIntegrator integrator(*backend, hostlib::make_plummer(size.particles, 1), {0.1, 0.01});
  integrator.evolve(size.t_end);
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

interconnect::ProgramResult simulated(unsigned ranks, const std::string& split, const interconnect::Topology& topology,
                                      const Size& size = {}) {
  return run_simulated_ranks("N-body", ranks, topology,
                             [&](Communicator& communicator) { return run(communicator, split, 1, size); });
}

TEST(SimulatedRanks, CopiesHaveTheBitsOfOneProcessForAnyNumberOfRanks) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const std::string alone = hash_of(run(*single_process(), "i"));
  for (const unsigned ranks : {1U, 2U, 3U, 4U, 8U, 16U}) {
    const interconnect::ProgramResult found = simulated(ranks, "i", interconnect::infiniband_flat(ranks, kCable));
    for (const std::vector<double>& numbers : found.numbers) EXPECT_EQ(hash_of(numbers), alone) << ranks;
  }
}

TEST(SimulatedRanks, SharesOfParticlesHaveTheBitsOfAsManyBoards) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const std::string two = hash_of(run(*single_process(), "i", 2));
  for (const auto& [split, ranks] : {std::pair("j", 2U), std::pair("2d", 4U)}) {
    EXPECT_EQ(hash_of(simulated(ranks, split, interconnect::infiniband_flat(4, kCable)).numbers.back()), two) << split;
  }
}

TEST(SimulatedRanks, BlocksInHalvesHaveTheSameBitsInLessTime) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const interconnect::Topology topology = platform_for(load_cluster("grape-dr-64"), 1).topology;
  for (const auto& [split, ranks] : {std::pair("i", 2U), std::pair("i", 3U), std::pair("j", 2U), std::pair("2d", 4U)}) {
    // An odd number, and shares of more than one run of a board.
    constexpr Size kWhole{1001, 0.001953125};
    const interconnect::ProgramResult whole = simulated(ranks, split, topology, kWhole);
    const interconnect::ProgramResult halves =
        simulated(ranks, split, topology, {kWhole.particles, kWhole.t_end, true});
    for (const std::vector<double>& numbers : halves.numbers) {
      EXPECT_EQ(hash_of(numbers), hash_of(whole.numbers.front())) << split << ranks;
    }
    EXPECT_LT(halves.seconds, whole.seconds) << split << ranks;
    // By its own clock a rank integrates while its board computes, so that it needs less time for integration and
    // messages together, and does nothing else more or less. Which of the two the critical path shows is open.
    const auto of_whole = whole.numbers.front().end() - kClocks;
    const auto of_halves = halves.numbers.front().end() - kClocks;
    EXPECT_LE(of_halves[0], of_whole[0] * (1 + 1e-9));
    for (const int part : {1, 2, 4}) EXPECT_NEAR(of_halves[part], of_whole[part], 1e-9 * of_whole[0]) << part;
    EXPECT_LT(of_halves[0] + of_halves[3], of_whole[0] + of_whole[3]) << split << ranks;
    RecordProperty(fmt::format("{}_{}", split, ranks),
                   fmt::format("{:.6g} s, in halves {:.6g} s, network {:.6g} and {:.6g} s", whole.seconds,
                               halves.seconds, of_whole[3], of_halves[3]));
  }
}

TEST(SimulatedRanks, OnAFreeNetworkTheSlowestRankDecides) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const interconnect::ProgramResult found = simulated(4, "i", free_network(4));
  for (const std::vector<double>& numbers : found.numbers) {
    // Sums and messages between the ranks are no part of what boards and hosts are busy with here.
    const auto clocks = numbers.end() - kClocks;
    const double busy = clocks[0] + clocks[1] + clocks[2] + clocks[4];
    EXPECT_NEAR(found.seconds, busy, 1e-6 * busy);
  }
  EXPECT_GT(simulated(4, "i", interconnect::infiniband_flat(4, kCable)).seconds, found.seconds);
}

TEST(SimulatedRanks, TheSameProgramTakesTheSameTimeAsActivitiesInS4u) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  struct Program {
    std::string split;
    unsigned ranks = 1;
    Size size;
  };
  constexpr Size kLarge{1024, 0.00390625};
  constexpr Size kHalves{1024, 0.00390625, true};
  const std::vector<Program> programs{{"i", 4, {}},      {"i", 16, {}},     {"j", 4, {}},     {"2d", 4, {}},
                                      {"2d", 16, {}},    {"i", 4, kLarge},  {"j", 4, kLarge}, {"2d", 4, kLarge},
                                      {"i", 4, kHalves}, {"2d", 4, kHalves}};
  const Cluster cluster = load_cluster("grape-dr-64");
  const interconnect::Topology topology = platform_for(cluster, 1).topology;
  for (const Program& program : programs) {
    const interconnect::ProgramResult smpi =
        run_simulated_ranks("N-body", program.ranks, topology, [&](Communicator& communicator) {
          tests::Recorder recorder(communicator);
          static_cast<void>(run(recorder, program.split, 1, program.size));
          return recorder.calls();
        });
    const auto s4u = [&](const interconnect::Topology& network, double envelope_bytes) {
      const RankGraph graph = tests::recorded(cluster, {smpi.numbers.begin(), smpi.numbers.end()}, envelope_bytes);
      return run_s4u(graph.graph(), network).seconds;
    };
    constexpr double kOfSmpi = 16;
    const std::string name = fmt::format("{}_{}_{}{}", program.split, program.ranks, program.size.particles,
                                         program.size.overlap ? "_halves" : "");
    const double alone = s4u(topology, 0);
    const double in_envelopes = s4u(topology, kOfSmpi);
    EXPECT_NEAR(alone, smpi.seconds, 0.01 * smpi.seconds) << name;
    EXPECT_NEAR(in_envelopes, smpi.seconds, 0.001 * smpi.seconds) << name;
    const double without_network = s4u(free_network(program.ranks), 0);
    EXPECT_LT(without_network, 0.99 * alone) << name;
    RecordProperty(name, fmt::format("SMPI {:.7g} s, S4U {:.7g} s, in envelopes {:.7g} s, without a network {:.7g} s",
                                     smpi.seconds, alone, in_envelopes, without_network));
  }
}

TEST(SimulatedRanks, WhatARankThrowsEndsAllWithItsWords) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
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
