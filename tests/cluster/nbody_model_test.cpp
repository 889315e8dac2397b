#include "gdr/cluster/nbody_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gdr/assembler/assembler.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/emulator/board_time.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::cluster {
namespace {

using hostlib::BlockSteps;
using interconnect::infiniband_flat;

constexpr interconnect::Cable kCable{1.5e9, 1e-6};
constexpr double kParticles = 65536;

const isa::Program& kernel() {
  static const isa::Program program =
      assembler::assemble_file(base::data_file("kernels/gravity_jerk.vsm").string()).program.value();
  return program;
}

const Cluster& cluster() {
  static const Cluster loaded = load_cluster("grape-dr-64");
  return loaded;
}

BlockSteps blocks() { return {kParticles, {{1, 40}, {30, 400}, {700, 300}, {4000, 60}, {20000, 8}}}; }

NbodyModelTimes times(NbodyAlgorithm algorithm, Rank ranks, const interconnect::Topology& topology) {
  return nbody_times(cluster(), topology, kernel(), blocks(), {.algorithm = algorithm, .ranks = ranks});
}

constexpr NbodyAlgorithm kAll[] = {NbodyAlgorithm::copy, NbodyAlgorithm::j_parallel, NbodyAlgorithm::two_dimensional};

TEST(NbodyModel, OneRankHasTheTimeOfTheSingleBoard) {
  const emulator::BoardTime board(kernel(), cluster().board, 1, emulator::TransferMode::as_of_2009);
  for (const NbodyAlgorithm algorithm : kAll) {
    EXPECT_EQ(times(algorithm, 1, infiniband_flat(1, kCable)).seconds, hostlib::block_seconds(board, blocks()).total());
  }
}

TEST(NbodyModel, WhereMessagesTakeNoTimeTheCopyAlgorithmIsItsBoardsAndHosts) {
  const emulator::BoardTime board(kernel(), cluster().board, 1, emulator::TransferMode::as_of_2009);
  constexpr Rank kRanks = 16;
  double expected = 0;
  for (const hostlib::BlockCount& block : blocks().counts) {
    const auto own = static_cast<std::uint64_t>(std::ceil(block.size / kRanks));
    const auto n = static_cast<std::uint64_t>(kParticles);
    expected += block.blocks * (board.run_seconds(own, n).total() + board.integration_seconds(own, n) +
                                board.j_seconds(static_cast<std::uint64_t>(block.size)));
  }
  EXPECT_NEAR(times(NbodyAlgorithm::copy, kRanks, free_network(kRanks)).seconds, expected, 1e-9 * expected);
}

TEST(NbodyModel, TwiceTheBandwidthAtHalfTheLatencyHalvesTheNetworksShare) {
  for (const NbodyAlgorithm algorithm : kAll) {
    const double none = times(algorithm, 16, free_network(16)).seconds;
    const double slow = times(algorithm, 16, infiniband_flat(16, kCable)).seconds - none;
    const double fast =
        times(algorithm, 16, infiniband_flat(16, {2 * kCable.bytes_per_second, kCable.latency_seconds / 2})).seconds -
        none;
    EXPECT_GT(slow, 0) << name_of(algorithm);
    EXPECT_NEAR(fast, slow / 2, 1e-6 * slow) << name_of(algorithm);
  }
}

TEST(NbodyModel, PartsAddUpAndBoardsWorkNoLongerThanTheRunTakes) {
  for (const NbodyAlgorithm algorithm : kAll) {
    const NbodyModelTimes found = times(algorithm, 16, infiniband_flat(16, kCable));
    EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-9 * found.seconds);
    EXPECT_LE(found.board_busy, found.seconds);
  }
}

TEST(NbodyModel, LinksThatFlowsShareFairlyGiveNearlyTheSameTimes) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "built without SimGrid";
  const interconnect::Topology topology = infiniband_flat(16, kCable);
  for (const NbodyAlgorithm algorithm : kAll) {
    for (const double size : {3.0, 700.0, 20000.0}) {
      const RankGraph graph =
          nbody_block(cluster(), topology, kernel(), kParticles, size, {.algorithm = algorithm, .ranks = 16});
      const double ours = run_critical_path(graph.graph(), topology).seconds;
      const double theirs = run_s4u(graph.graph(), topology).seconds;
      // The parts that the diagonal sends down its columns leave together there and one after another here.
      const double bound = algorithm == NbodyAlgorithm::two_dimensional ? 0.03 : 0.01;
      EXPECT_NEAR(ours, theirs, bound * theirs) << name_of(algorithm) << " block of " << size;
    }
  }
}

TEST(NbodyModel, WordsOfTheTwoDimensionalAlgorithmFallAsTheRootOfTheRanks) {
  // Makino 2002: a rank exchanges of the order of N_block / sqrt(p) words a step.
  const auto bytes_of_rank = [](Rank ranks) {
    const NbodyModelTimes found = times(NbodyAlgorithm::two_dimensional, ranks, infiniband_flat(ranks, kCable));
    return found.bytes / ranks;
  };
  EXPECT_NEAR(bytes_of_rank(16) / bytes_of_rank(256), 4, 0.8);
  // While of the copy algorithm it receives the whole block, however many ranks there are.
  const double copy_16 = times(NbodyAlgorithm::copy, 16, infiniband_flat(16, kCable)).bytes / 16;
  const double copy_64 = times(NbodyAlgorithm::copy, 64, infiniband_flat(64, kCable)).bytes / 64;
  EXPECT_NEAR(copy_64 / copy_16, 1, 0.1);
}

TEST(NbodyModel, WhatCannotBeIsRefused) {
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::two_dimensional, 8, infiniband_flat(8, kCable))), Error);
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::copy, 8, infiniband_flat(7, kCable))), Error);
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::copy, 0, infiniband_flat(7, kCable))), Error);
  EXPECT_THROW(static_cast<void>(nbody_times(cluster(), infiniband_flat(4, kCable), kernel(), {3, {{1, 1}}},
                                             {.algorithm = NbodyAlgorithm::copy, .ranks = 4})),
               Error);
  const BlockSteps many{1e8, {{1000, 1}}};
  try {
    static_cast<void>(nbody_times(cluster(), infiniband_flat(4, kCable), kernel(), many,
                                  {.algorithm = NbodyAlgorithm::copy, .ranks = 4}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("100000000 particles do not fit"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(nbody_algorithm_named("ring")), Error);
}

}  // namespace
}  // namespace gdr::cluster
