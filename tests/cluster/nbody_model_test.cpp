#include "gdr/cluster/nbody_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "cluster_testing.h"
#include "gdr/base/error.h"
#include "gdr/emulator/board_time.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::cluster {
namespace {

using hostlib::BlockSteps;
using interconnect::infiniband_flat;

constexpr double kParticles = 65536;

BlockSteps blocks() { return {kParticles, {{1, 40}, {30, 400}, {700, 300}, {4000, 60}, {20000, 8}}}; }

NbodyModelTimes times(NbodyAlgorithm algorithm, Rank ranks, const interconnect::Topology& topology) {
  return nbody_times(cluster(), topology, kernel(), blocks(), {.algorithm = algorithm, .ranks = ranks});
}

/// Those whose ranks do one thing after another.
constexpr NbodyAlgorithm kInTurn[] = {NbodyAlgorithm::copy, NbodyAlgorithm::j_parallel,
                                      NbodyAlgorithm::two_dimensional};
constexpr NbodyAlgorithm kRings[] = {NbodyAlgorithm::systolic, NbodyAlgorithm::hyper_systolic};
constexpr NbodyAlgorithm kAll[] = {NbodyAlgorithm::copy, NbodyAlgorithm::j_parallel, NbodyAlgorithm::two_dimensional,
                                   NbodyAlgorithm::systolic, NbodyAlgorithm::hyper_systolic};

TEST(NbodyModel, OneRankHasTheTimeOfTheSingleBoard) {
  const emulator::BoardTime board(kernel(), cluster().board, 1, emulator::TransferMode::as_of_2009);
  for (const NbodyAlgorithm algorithm : kAll) {
    EXPECT_EQ(times(algorithm, 1, infiniband_flat(1, kInfiniBand)).seconds,
              hostlib::block_seconds(board, blocks()).total());
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

TEST(NbodyModel, ABlockTakesAsLongAfterOthersAsAlone) {
  const interconnect::Topology topology = infiniband_flat(16, kInfiniBand);
  for (const NbodyAlgorithm algorithm : kAll) {
    for (const bool overlap : {false, true}) {
      const NbodyModelOptions options{.algorithm = algorithm, .ranks = 16, .overlap = overlap};
      double seconds = 0;
      double bytes = 0;
      for (const hostlib::BlockCount& block : blocks().counts) {
        const NbodyModelTimes alone = nbody_times(cluster(), topology, kernel(), {kParticles, {block}}, options);
        seconds += alone.seconds;
        bytes += alone.bytes;
      }
      const NbodyModelTimes all = nbody_times(cluster(), topology, kernel(), blocks(), options);
      EXPECT_EQ(all.seconds, seconds) << name_of(algorithm);
      EXPECT_EQ(all.bytes, bytes) << name_of(algorithm);
    }
  }
}

TEST(NbodyModel, TwiceTheBandwidthAtHalfTheLatencyHalvesTheNetworksShare) {
  for (const NbodyAlgorithm algorithm : kInTurn) {
    const double none = times(algorithm, 16, free_network(16)).seconds;
    const double slow = times(algorithm, 16, infiniband_flat(16, kInfiniBand)).seconds - none;
    const double fast =
        times(algorithm, 16, infiniband_flat(16, {2 * kInfiniBand.bytes_per_second, kInfiniBand.latency_seconds / 2}))
            .seconds -
        none;
    EXPECT_GT(slow, 0) << name_of(algorithm);
    EXPECT_NEAR(fast, slow / 2, 1e-6 * slow) << name_of(algorithm);
  }
}

TEST(NbodyModel, PartsAddUpAndBoardsWorkNoLongerThanTheRunTakes) {
  for (const NbodyAlgorithm algorithm : kAll) {
    const NbodyModelTimes found = times(algorithm, 16, infiniband_flat(16, kInfiniBand));
    EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-9 * found.seconds);
    EXPECT_LE(found.board_busy, found.seconds);
  }
}

TEST(NbodyModel, LinksThatFlowsShareFairlyGiveNearlyTheSameTimes) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const interconnect::Topology topology = infiniband_flat(16, kInfiniBand);
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
    const NbodyModelTimes found = times(NbodyAlgorithm::two_dimensional, ranks, infiniband_flat(ranks, kInfiniBand));
    return found.bytes / ranks;
  };
  EXPECT_NEAR(bytes_of_rank(16) / bytes_of_rank(256), 4, 0.8);
  // While of the copy algorithm it receives the whole block, however many ranks there are.
  const double copy_16 = times(NbodyAlgorithm::copy, 16, infiniband_flat(16, kInfiniBand)).bytes / 16;
  const double copy_64 = times(NbodyAlgorithm::copy, 64, infiniband_flat(64, kInfiniBand)).bytes / 64;
  EXPECT_NEAR(copy_64 / copy_16, 1, 0.1);
}

/// A message between ranks of one node each.
struct Hop {
  interconnect::NodeId from = 0;
  interconnect::NodeId to = 0;
  double bytes = 0;
};

/// Of a block, but for the one number that says when it is.
std::vector<Hop> hops_of(NbodyAlgorithm algorithm, Rank ranks, double block) {
  const RankGraph graph = nbody_block(cluster(), infiniband_flat(ranks, kInfiniBand), kernel(), kParticles, block,
                                      {.algorithm = algorithm, .ranks = ranks});
  std::vector<Hop> hops;
  for (ActivityId id = 0; id < graph.graph().size(); ++id) {
    if (graph.graph().kind(id) != interconnect::ActivityGraph::Kind::message || graph.graph().amount(id) <= 8) continue;
    hops.push_back({graph.graph().from(id), graph.graph().to(id), graph.graph().amount(id)});
  }
  return hops;
}

/// What each rank has after every rank sent what it had: the next `ranks` of the hops.
std::vector<Rank> moved(const std::vector<Rank>& had, std::span<const Hop>& hops) {
  std::vector<Rank> have(had.size());
  for (const Hop& hop : hops.first(had.size())) have[hop.to] = had[hop.from];
  hops = hops.subspan(had.size());
  return have;
}

TEST(NbodyModel, RoundTheRingEachPairOfSharesMeetsOnceAndSumsComeHome) {
  for (const NbodyAlgorithm algorithm : kRings) {
    for (const Rank ranks : {2U, 6U, 7U, 12U, 16U, 36U}) {
      const SystolicShifts shifts = systolic_shifts(algorithm, ranks);
      const std::vector<Hop> all = hops_of(algorithm, ranks, 64.0 * ranks);
      ASSERT_EQ(all.size(), ranks * (2 * shifts.visits - 1 + shifts.held - 1));
      std::span<const Hop> hops(all);
      std::vector<Rank> own(ranks);
      std::iota(own.begin(), own.end(), 0);
      // The places of a share, its sums behind them, then, of the particles that took the step, those for the boards.
      std::vector<std::vector<Rank>> visitors{own};
      std::vector<Rank> sums = own;
      while (visitors.size() < shifts.visits) {
        visitors.push_back(moved(visitors.back(), hops));
        EXPECT_EQ(sums, visitors[visitors.size() - 2]);
        sums = moved(sums, hops);
      }
      EXPECT_EQ(moved(sums, hops), own);
      std::vector<std::vector<Rank>> held{own};
      while (!hops.empty()) held.push_back(moved(held.back(), hops));
      std::vector<int> met(std::size_t{ranks} * ranks);
      for (const std::vector<Rank>& i : visitors) {
        for (const std::vector<Rank>& j : held) {
          for (Rank rank = 0; rank < ranks; ++rank) ++met[i[rank] * ranks + j[rank]];
        }
      }
      EXPECT_EQ(std::ranges::count(met, 1), std::ssize(met)) << name_of(algorithm) << ranks;
    }
  }
}

TEST(NbodyModel, WordsRoundTheRingAreThoseOfRanksAndOfTheirRoot) {
  // Dorband et al. 2003: O(N p) and O(N sqrt p). Seven words of a place, seven of a sum, 160 bytes of a j-particle.
  const auto bytes_of = [](NbodyAlgorithm algorithm, Rank ranks) {
    double bytes = 0;
    for (const Hop& hop : hops_of(algorithm, ranks, 8192)) bytes += hop.bytes;
    return bytes;
  };
  EXPECT_EQ(bytes_of(NbodyAlgorithm::systolic, 64), 8192.0 * (63 * 56 + 64 * 56));
  EXPECT_EQ(bytes_of(NbodyAlgorithm::hyper_systolic, 64), 8192.0 * (7 * 56 + 8 * 56 + 7 * 160));
  EXPECT_EQ(bytes_of(NbodyAlgorithm::hyper_systolic, 7), bytes_of(NbodyAlgorithm::systolic, 7));  // a prime
}

TEST(NbodyModel, TheHyperSystolicAlgorithmWantsRoomForMoreParticles) {
  const BlockSteps many{2.5e8, {{1e6, 1}}};
  const auto seconds = [&](NbodyAlgorithm algorithm) {
    return nbody_times(cluster(), infiniband_flat(64, kInfiniBand), kernel(), many,
                       {.algorithm = algorithm, .ranks = 64})
        .seconds;
  };
  EXPECT_GT(seconds(NbodyAlgorithm::systolic), 0);
  EXPECT_THROW(static_cast<void>(seconds(NbodyAlgorithm::hyper_systolic)), Error);
}

TEST(NbodyModel, ABoardOfPipelinesTakesItsClocksItsBusAndItsHost) {
  // By hand, of GRAPE-6A: 100 particles are three runs of 48, 1,000 others 250 on each chip, eight clocks each.
  const PipelineBoard board = load_pipeline_board("grape-6a");
  EXPECT_NEAR(board.peak(), 130e9, 0.001 * 130e9);
  const PipelineNode node(board);
  const emulator::StageSeconds run = node.run_seconds(100, 1000);
  EXPECT_NEAR(run.i_send, 100 * 56 / 80e6, 1e-12);
  EXPECT_NEAR(run.compute, 3 * (10e-6 + 250 * 8 / 95e6) + 100 * 56 / 80e6, 1e-12);
  EXPECT_EQ(run.j_send + run.add + run.host, 0);
  EXPECT_NEAR(node.j_seconds(10), 10 * 72 / 80e6, 1e-15);
  EXPECT_NEAR(node.integration_seconds(10, 100), 7.5e-6, 1e-15);                 // in the cache
  EXPECT_NEAR(node.integration_seconds(10, 1'000'000'000'000), 16.5e-6, 1e-12);  // not
}

TEST(NbodyModel, ABoardOfGrape6HasItsPeakAndTakesItsClocks) {
  // By hand: 32 chips of 6 pipelines, each with 57 operations in a clock of 90 MHz; 3,200 particles are 100 on each
  // chip.
  const PipelineBoard board = load_pipeline_board("grape-6");
  EXPECT_NEAR(board.peak(), 32 * 6 * 57 * 90e6, 1);
  EXPECT_NEAR(PipelineNode(board).run_seconds(48, 3200).compute, 10e-6 + 100 * 8 / 90e6 + 48 * 56 / 80e6, 1e-12);
}

/// Of the peak of 32 GRAPE-6A (Harfst et al. 2007), j-particles shared out, with these blocks.
double grape_6a_efficiency(const PipelineBoard& board, const interconnect::Cable& cable, const BlockSteps& steps) {
  constexpr Rank kRanks = 32;
  const double seconds = nbody_times(Cluster{}, infiniband_flat(kRanks, cable), PipelineNode(board), steps,
                                     {.algorithm = NbodyAlgorithm::j_parallel, .ranks = kRanks})
                             .seconds;
  return steps.steps() * steps.n * board.flops / seconds / (kRanks * board.peak());
}

TEST(NbodyModel, Grape6aKeepsItsPipelinesBusyWhereBlocksAreLarge) {
  constexpr interconnect::Cable kSdr{0.8e9, 2.5e-6};
  const auto of_blocks = [](double size) { return BlockSteps{2e6, {{size, 1}}}; };
  const PipelineBoard board = load_pipeline_board("grape-6a");
  PipelineBoard slow_bus = board;
  slow_bus.bus_mb /= 2;
  PipelineBoard slow_host = board;
  slow_host.host_us *= 10;
  slow_host.miss_us *= 10;
  const interconnect::Cable slow_cable{kSdr.bytes_per_second / 4, kSdr.latency_seconds * 4};
  double before = 0;
  for (const double size : {16.0, 48.0, 480.0, 4800.0, 48000.0}) {
    const double efficiency = grape_6a_efficiency(board, kSdr, of_blocks(size));
    EXPECT_GT(efficiency, before);
    EXPECT_LT(efficiency, 1);
    EXPECT_LT(grape_6a_efficiency(slow_bus, kSdr, of_blocks(size)), efficiency);
    EXPECT_LT(grape_6a_efficiency(slow_host, kSdr, of_blocks(size)), efficiency);
    EXPECT_LT(grape_6a_efficiency(board, slow_cable, of_blocks(size)), efficiency);
    before = efficiency;
  }
}

NbodyModelTimes overlapped(NbodyAlgorithm algorithm, Rank ranks, const interconnect::Topology& topology,
                           const BlockSteps& steps) {
  return nbody_times(cluster(), topology, kernel(), steps, {.algorithm = algorithm, .ranks = ranks, .overlap = true});
}

TEST(NbodyModel, WhatFollowsTheFirstHalfIsHiddenBehindTheForcesOfTheSecond) {
  // Where messages take no time the first half's sums over chips and its integration alone are hidden.
  constexpr Rank kRanks = 16;
  constexpr std::uint64_t kOwn = 2048;  // whole runs of 128 in each half
  const auto n = static_cast<std::uint64_t>(kParticles);
  const BlockSteps one{kParticles, {{double{kRanks} * kOwn, 1}}};
  const emulator::BoardTime board(kernel(), cluster().board, 1, emulator::TransferMode::as_of_2009);
  const emulator::StageSeconds half = board.run_seconds(kOwn / 2, n);
  const double after_half = half.add + board.integration_seconds(kOwn / 2, n);
  ASSERT_LT(after_half, half.i_send + half.compute);
  const double expected = 2 * (half.i_send + half.compute) + after_half + board.j_seconds(kRanks * kOwn);
  EXPECT_NEAR(overlapped(NbodyAlgorithm::copy, kRanks, free_network(kRanks), one).seconds, expected, 1e-9 * expected);
}

TEST(NbodyModel, HalvesSendWhatTheWholeBlockSendsAndAreTakenWhereTheyPay) {
  const interconnect::Topology topology = infiniband_flat(16, kInfiniBand);
  for (const NbodyAlgorithm algorithm : kInTurn) {
    const BlockSteps large{kParticles, {{32768, 1}}};
    const NbodyModelTimes whole =
        nbody_times(cluster(), topology, kernel(), large, {.algorithm = algorithm, .ranks = 16});
    const NbodyModelTimes halves = overlapped(algorithm, 16, topology, large);
    EXPECT_LT(halves.seconds, whole.seconds) << name_of(algorithm);
    EXPECT_EQ(halves.bytes, whole.bytes) << name_of(algorithm);
    EXPECT_LE(halves.board_busy, halves.seconds) << name_of(algorithm);
    EXPECT_NEAR(std::accumulate(halves.parts.begin(), halves.parts.end(), 0.0), halves.seconds, 1e-9 * halves.seconds);
    const BlockSteps small{kParticles, {{30, 1}}};
    EXPECT_EQ(overlapped(algorithm, 16, topology, small).seconds,
              nbody_times(cluster(), topology, kernel(), small, {.algorithm = algorithm, .ranks = 16}).seconds);
  }
}

TEST(NbodyModel, WhatCannotBeIsRefused) {
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::systolic, 2048, infiniband_flat(2048, kInfiniBand))), Error);
  EXPECT_TRUE(takes_ranks(NbodyAlgorithm::hyper_systolic, 2048));
  EXPECT_FALSE(takes_ranks(NbodyAlgorithm::two_dimensional, 8));
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::two_dimensional, 8, infiniband_flat(8, kInfiniBand))), Error);
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::copy, 8, infiniband_flat(7, kInfiniBand))), Error);
  EXPECT_THROW(static_cast<void>(times(NbodyAlgorithm::copy, 0, infiniband_flat(7, kInfiniBand))), Error);
  EXPECT_THROW(static_cast<void>(nbody_times(cluster(), infiniband_flat(4, kInfiniBand), kernel(), {3, {{1, 1}}},
                                             {.algorithm = NbodyAlgorithm::copy, .ranks = 4})),
               Error);
  const BlockSteps many{1e8, {{1000, 1}}};
  try {
    static_cast<void>(nbody_times(cluster(), infiniband_flat(4, kInfiniBand), kernel(), many,
                                  {.algorithm = NbodyAlgorithm::copy, .ranks = 4}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("100000000 particles do not fit"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(nbody_algorithm_named("ring")), Error);
}

TEST(NbodyModel, RelaysMakeRunsOnAHubFasterAndNoRunSlower) {
  Cluster relaying = cluster();
  relaying.multipath = true;
  const interconnect::Cable link{1e8, 1e-7};
  for (const interconnect::Topology& topology :
       {interconnect::optical_hub(16, link), interconnect::torus({4, 4}, link), infiniband_flat(16, link)}) {
    for (const NbodyAlgorithm algorithm : kAll) {
      const NbodyModelOptions options{.algorithm = algorithm, .ranks = 16};
      const NbodyModelTimes found = nbody_times(relaying, topology, kernel(), blocks(), options);
      const double direct = times(algorithm, 16, topology).seconds;
      EXPECT_LE(found.seconds, direct) << name_of(algorithm);
      EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-9 * found.seconds);
      // The messages of these go to few other ranks.
      const bool is_sparse = algorithm == NbodyAlgorithm::two_dimensional || algorithm == NbodyAlgorithm::systolic ||
                             algorithm == NbodyAlgorithm::hyper_systolic;
      if (is_sparse && topology.links().size() == 16U * 15) {
        EXPECT_LT(found.seconds, direct);
      }
    }
  }
}

TEST(NbodyModel, RelayedBlocksHaveTheTimesOfSimulatedFlows) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  Cluster relaying = cluster();
  relaying.multipath = true;
  const interconnect::Topology hub = interconnect::optical_hub(16, {1e8, 1e-7});
  for (const NbodyAlgorithm algorithm : kRings) {
    const RankGraph graph =
        nbody_block(relaying, hub, kernel(), kParticles, 20000, {.algorithm = algorithm, .ranks = 16});
    const double ours = run_critical_path(graph.graph(), hub).seconds;
    EXPECT_NEAR(ours, run_s4u(graph.graph(), hub).seconds, 0.02 * ours) << name_of(algorithm);
  }
}

}  // namespace
}  // namespace gdr::cluster
