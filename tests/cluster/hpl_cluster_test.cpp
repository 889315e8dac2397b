#include "gdr/cluster/hpl_cluster.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "cluster_testing.h"
#include "gdr/base/error.h"
#include "gdr/cluster/nbody_model.h"

namespace gdr::cluster {
namespace {

using interconnect::infiniband_flat;

constexpr DgemmTransfer kTransfer{.overlap = true,
                                  .buffer_words = 0,
                                  .mode = emulator::TransferMode::as_of_2009,
                                  .small_depths = SmallDepths::fixed_unit};

HplClusterOptions options(ProcessGrid grid, std::uint64_t n, unsigned lookahead = 0, bool overlap_u = false) {
  return {.grid = grid,
          .n = n,
          .nb = 2048,
          .lookahead = lookahead,
          .overlap_u = overlap_u,
          .transfer = kTransfer,
          .rule = ProductRule::record};
}

HplClusterTimes times(const HplClusterOptions& wanted) {
  return hpl_times(cluster(), infiniband_flat(wanted.grid.rows * wanted.grid.columns, kInfiniBand), board(), wanted);
}

double of(const HplClusterTimes& found, HplStage stage) { return found.stages[static_cast<std::size_t>(stage)]; }

TEST(HplCluster, OneRankHasTheStagesOfOneNode) {
  for (const std::uint64_t n : {4096, 34816, 20000}) {
    const HplStages expected = hpl_with_board(cluster().host, board(), kTransfer, ProductRule::record, n, 2048);
    const HplClusterTimes found = times(options({1, 1}, n));
    EXPECT_NEAR(of(found, HplStage::panel), expected.panel, 1e-9 * expected.total()) << n;
    EXPECT_NEAR(of(found, HplStage::update), expected.update, 1e-9 * expected.total()) << n;
    EXPECT_NEAR(of(found, HplStage::swap), expected.swap, 1e-9 * expected.total()) << n;
    EXPECT_NEAR(of(found, HplStage::backsub), expected.backsub, 1e-9 * expected.total()) << n;
    EXPECT_EQ(of(found, HplStage::broadcast), 0);
    EXPECT_NEAR(found.seconds, expected.total(), 1e-9 * expected.total());
  }
}

TEST(HplCluster, NoWidthOfPanelsIsFasterThanTheOneTaken) {
  for (const std::uint64_t n : {100, 3000, 20000}) {
    for (const unsigned lookahead : {0U, 1U}) {
      HplClusterOptions wanted = options({2, 2}, n, lookahead, lookahead > 0);
      wanted.rule = ProductRule::faster;
      const interconnect::Topology network = infiniband_flat(4, kInfiniBand);
      const HplChoice found = fastest_hpl(cluster(), network, board(), wanted);
      wanted.nb = found.nb;
      EXPECT_EQ(times(wanted).seconds, found.times.seconds);
      for (const std::uint64_t nb : hpl_panel_widths()) {
        if (nb > n) continue;
        wanted.nb = nb;
        EXPECT_GE(times(wanted).seconds, found.times.seconds) << n << " " << nb;
      }
    }
  }
  EXPECT_THROW(
      static_cast<void>(fastest_hpl(cluster(), infiniband_flat(4, kInfiniBand), board(), options({2, 2}, 10'000'000))),
      Error);
}

TEST(HplCluster, StagesAndPartsAddUp) {
  for (const unsigned lookahead : {0U, 1U}) {
    for (const bool overlap_u : {false, true}) {
      const HplClusterTimes found = times(options({2, 4}, 50000, lookahead, overlap_u));
      EXPECT_NEAR(std::accumulate(found.stages.begin(), found.stages.end(), 0.0), found.seconds, 1e-9 * found.seconds);
      EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-9 * found.seconds);
      EXPECT_LE(found.board_busy, found.seconds);
    }
  }
}

TEST(HplCluster, NoGridIsFasterThanItsBoards) {
  for (const ProcessGrid grid : {ProcessGrid{1, 4}, ProcessGrid{2, 2}, ProcessGrid{4, 4}}) {
    const std::uint64_t n = 60000;
    const HplClusterTimes found = hpl_times(cluster(), free_network(16), board(), options(grid, n, 1, true));
    const double gflops = hpl_flops(static_cast<double>(n)) / found.seconds / 1e9;
    EXPECT_LT(gflops, grid.rows * grid.columns * (board().kernel_gflops() + cluster().host.dgemm_gflops));
  }
}

TEST(HplCluster, LookAheadHidesNarrowPanelsBehindUpdates) {
  HplClusterOptions plain = options({4, 4}, 131072);
  plain.nb = 512;
  HplClusterOptions ahead = plain;
  ahead.lookahead = 1;
  EXPECT_LT(times(ahead).seconds, times(plain).seconds);
  EXPECT_EQ(times(ahead).bytes, times(plain).bytes);
}

TEST(HplCluster, OverlapHidesTheExchangeOfRowsOnASlowNetwork) {
  const interconnect::Topology slow = infiniband_flat(16, {2e8, 1e-6});
  const auto seconds = [&](bool overlap_u) {
    return hpl_times(cluster(), slow, board(), options({4, 4}, 131072, 0, overlap_u)).seconds;
  };
  EXPECT_LT(seconds(true), seconds(false));
}

TEST(HplCluster, SharedPanelsTakeTheirShareOfTheTime) {
  // The host alone: its rates do not depend on sizes, so that only the triangles, which all solve, are more.
  const HplNode node(cluster().host, nullptr, {}, ProductRule::faster);
  const double whole = node.panel(100000, 2048).total();
  EXPECT_GT(node.panel(100000.0 / 8, 2048, 8).total(), whole / 8);
  EXPECT_LT(node.panel(100000.0 / 8, 2048, 8).total(), 1.2 * whole / 8);
  EXPECT_GT(node.panel(2048.0 / 8, 2048, 8).total(), 0);
}

TEST(HplCluster, AFasterNetworkIsNeverSlower) {
  for (const unsigned lookahead : {0U, 1U}) {
    const HplClusterOptions wanted = options({4, 4}, 65536, lookahead);
    const double free = hpl_times(cluster(), free_network(16), board(), wanted).seconds;
    const double fast = hpl_times(cluster(), infiniband_flat(16, {1.5e10, 1e-7}), board(), wanted).seconds;
    const double slow = hpl_times(cluster(), infiniband_flat(16, kInfiniBand), board(), wanted).seconds;
    EXPECT_LT(free, fast);
    EXPECT_LT(fast, slow);
  }
}

TEST(HplCluster, GridsAreNearSquares) {
  EXPECT_EQ(square_grid(64).rows, 8U);
  EXPECT_EQ(square_grid(32).rows, 4U);
  EXPECT_EQ(square_grid(32).columns, 8U);
  EXPECT_EQ(square_grid(7).rows, 1U);
  EXPECT_EQ(square_grid(1).columns, 1U);
}

TEST(HplCluster, WhatCannotBeIsRefused) {
  const auto refusal = [](const HplClusterOptions& wanted) {
    try {
      static_cast<void>(hpl_times(cluster(), infiniband_flat(4, kInfiniBand), board(), wanted));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal(options({2, 4}, 50000)).find("needs 8 nodes"), std::string::npos);
  EXPECT_NE(refusal(options({0, 4}, 50000)).find("0 x 4"), std::string::npos);
  EXPECT_NE(refusal(options({2, 2}, 1000)).find("nb = 2048"), std::string::npos);
  EXPECT_NE(refusal(options({2, 2}, 50000, 2)).find("lookahead"), std::string::npos);
  // 4 x 18 GB are 9e9 elements: 94868^2.
  EXPECT_NE(refusal(options({2, 2}, 94869)).find("n = 94868 at most"), std::string::npos);
  EXPECT_EQ(refusal(options({2, 2}, 94868)), "");
}

TEST(HplCluster, RelaysMakeARunOnAHubFasterAndNoRunSlower) {
  Cluster relaying = cluster();
  relaying.multipath = true;
  const interconnect::Cable link{1e8, 1e-7};
  for (const interconnect::Topology& network :
       {interconnect::optical_hub(16, link), interconnect::torus({4, 4}, link), infiniband_flat(16, link)}) {
    for (const ProcessGrid grid : {ProcessGrid{1, 2}, ProcessGrid{2, 4}, ProcessGrid{4, 4}}) {
      const HplClusterOptions wanted = options(grid, 16384, 1);
      const HplClusterTimes direct = hpl_times(cluster(), network, board(), wanted);
      const HplClusterTimes found = hpl_times(relaying, network, board(), wanted);
      EXPECT_LE(found.seconds, direct.seconds);
      EXPECT_NEAR(std::accumulate(found.stages.begin(), found.stages.end(), 0.0), found.seconds, 1e-9 * found.seconds);
      if (grid.rows == 4 && network.links().size() == 16U * 15) {
        EXPECT_LT(found.seconds, 0.8 * direct.seconds);
        EXPECT_GT(found.bytes, direct.bytes);
      }
    }
  }
}

TEST(HplCluster, TooManyPartsOfRelayedMessagesAreRefused) {
  Cluster relaying = cluster();
  relaying.multipath = true;
  const interconnect::Topology hub = interconnect::optical_hub(256, {1e9, 1e-7});
  HplClusterOptions wanted = options({16, 16}, 262144);
  wanted.nb = 256;
  try {
    static_cast<void>(hpl_times(relaying, hub, board(), wanted));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("parts of messages"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gdr::cluster
