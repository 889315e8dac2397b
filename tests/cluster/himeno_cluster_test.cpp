#include "gdr/cluster/himeno_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "cluster_testing.h"
#include "gdr/base/error.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HimenoOptions options(const Extents& size, const Extents& split, bool overlap = false) {
  HimenoOptions options;
  options.size = size;
  options.split = split;
  options.overlap = overlap;
  return options;
}

std::string refusal_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HimenoCluster, ANodeTakesWhatItsMemoriesTake) {
  const HimenoOptions on_board = options({66, 66, 130}, {1, 1, 1});
  const double points = 64 * 64 * 128;
  // 6.5 long words a point enter a chip, one a clock; p goes back at 999.1 MB/s.
  const double expected = points / 4 * 6.5 / 400e6 + points * 8 / 999.1e6;
  EXPECT_NEAR(himeno_times(cluster(), free_network(1), on_board).seconds, expected, 1e-9 * expected);
  HimenoOptions on_host = on_board;
  on_host.place = HimenoPlace::host;
  const HimenoTimes host = himeno_times(cluster(), free_network(1), on_host);
  EXPECT_NEAR(host.seconds, points * 56 / 14260e6, 1e-9 * host.seconds);
  EXPECT_NEAR(host.gflops, 34 * points / host.seconds / 1e9, 1e-9 * host.gflops);
  EXPECT_EQ(host.bytes, 0);
}

TEST(HimenoCluster, WhatIsSlowestBinds) {
  const double points = 64 * 64 * 128;
  const auto seconds_with = [&](const auto& change) {
    Cluster changed = cluster();
    changed.board.host_write_2009_mb = 1e12;
    change(changed.board);
    return himeno_times(changed, free_network(1), options({66, 66, 130}, {1, 1, 1})).seconds * 4 / points;
  };
  using Board = emulator::MachineDescription;
  EXPECT_NEAR(seconds_with([](Board& board) { board.result_dma_mb = 100; }), 8 / 100e6, 1e-13);
  EXPECT_NEAR(seconds_with([](Board& board) { board.em_rate = 50; }), 6.5 / 50e6, 1e-13);
  EXPECT_NEAR(seconds_with([](Board& board) { board.odp_clocks = 40; }), 0.5 * 40 / 400e6, 1e-13);
}

/// Bytes by pair of ranks, each pair both ways alike in a grid that is shared evenly.
std::map<std::pair<interconnect::TaskId, interconnect::TaskId>, std::uint64_t> traffic_of(const HimenoOptions& of) {
  std::map<std::pair<interconnect::TaskId, interconnect::TaskId>, std::uint64_t> bytes;
  for (const interconnect::Transfer& transfer : himeno_traffic(of)) {
    bytes[{transfer.from, transfer.to}] += transfer.bytes;
  }
  return bytes;
}

TEST(HimenoCluster, HalosAreFacesAndEdgesOfTheBlocks) {
  // Blocks of 4 x 6 x 8 points.
  const auto at_once = traffic_of(options({10, 14, 18}, {2, 2, 2}, true));
  EXPECT_EQ(at_once.at({0, 1}), 4U * 6 * 8);  // along the first axis
  EXPECT_EQ(at_once.at({0, 2}), 4U * 4 * 8);
  EXPECT_EQ(at_once.at({0, 4}), 4U * 4 * 6);
  EXPECT_EQ(at_once.at({0, 3}), 4U * 8);  // the edge
  EXPECT_EQ(at_once.at({6, 3}), 4U * 6);
  EXPECT_FALSE(at_once.contains({0, 7}));  // a corner
  const auto by_axis = traffic_of(options({10, 14, 18}, {2, 2, 2}));
  EXPECT_EQ(by_axis.at({0, 1}), 4U * 8 * 10);
  EXPECT_FALSE(by_axis.contains({0, 3}));
}

TEST(HimenoCluster, AllThatIsSentTravelsAndTheResidualIsAgreedUpon) {
  for (const bool overlap : {false, true}) {
    const HimenoOptions of = options({34, 34, 66}, {2, 1, 2}, overlap);
    std::uint64_t halos = 0;
    for (const auto& [pair, bytes] : traffic_of(of)) halos += bytes;
    // Four ranks agree in two steps of 8 bytes each.
    EXPECT_EQ(himeno_graph(cluster(), of).bytes(), halos + 4 * 2 * 8);
  }
}

TEST(HimenoCluster, PartsAddUpAndHalosHideBehindPoints) {
  const interconnect::Topology network = platform_for(cluster(), 64).topology;
  const Extents size = himeno_size("XL");
  const HimenoTimes first = himeno_times(cluster(), network, options(size, {4, 4, 4}));
  const HimenoTimes beside = himeno_times(cluster(), network, options(size, {4, 4, 4}, true));
  const HimenoTimes free = himeno_times(cluster(), free_network(64), options(size, {4, 4, 4}, true));
  for (const HimenoTimes& times : {first, beside, free}) {
    EXPECT_NEAR(std::accumulate(times.parts.begin(), times.parts.end(), 0.0), times.seconds, 1e-9 * times.seconds);
    EXPECT_GE(times.seconds, times.compute);
  }
  EXPECT_LT(beside.seconds, first.seconds);
  EXPECT_LE(free.seconds, beside.seconds);
}

TEST(HimenoCluster, SimGridsFlowsTakeAsLong) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const interconnect::Topology network = platform_for(cluster(), 8).topology;
  for (const bool overlap : {false, true}) {
    const RankGraph graph = himeno_graph(cluster(), options(himeno_size("M"), {2, 2, 2}, overlap));
    const double path = run_critical_path(graph.graph(), network).seconds;
    EXPECT_NEAR(run_s4u(graph.graph(), network).seconds, path, 0.01 * path);
  }
}

TEST(HimenoCluster, RelaysMakeIterationsOnAHubFasterAndNoneSlower) {
  Cluster relaying = cluster();
  relaying.multipath = true;
  const interconnect::Cable link{1e8, 1e-7};
  for (const interconnect::Topology& network : {interconnect::optical_hub(16, link), interconnect::torus({4, 4}, link),
                                                interconnect::infiniband_flat(16, link)}) {
    SCOPED_TRACE(network.name());
    for (const bool overlap : {false, true}) {
      const HimenoOptions of = options(himeno_size("L"), {2, 2, 4}, overlap);
      const HimenoTimes direct = himeno_times(cluster(), network, of);
      const HimenoTimes found = himeno_times(relaying, network, of);
      EXPECT_LE(found.seconds, direct.seconds);
      EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-9 * found.seconds);
      // Axis by axis, each rank sends to one or two of the 15 others.
      if (network.links().size() == 16U * 15 && !overlap) {
        EXPECT_LT(found.seconds, direct.seconds);
      }
      const double seconds = run_critical_path(himeno_graph(cluster(), of, true).graph(), network).seconds;
      EXPECT_DOUBLE_EQ(found.seconds, std::min(seconds, direct.seconds));
    }
  }
}

TEST(HimenoCluster, SimGridsFlowsOverRelaysTakeAsLong) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const interconnect::Topology hub = interconnect::optical_hub(16, {1e8, 1e-7});
  for (const bool overlap : {false, true}) {
    const RankGraph graph = himeno_graph(cluster(), options(himeno_size("L"), {2, 2, 4}, overlap), true);
    const double path = run_critical_path(graph.graph(), hub).seconds;
    EXPECT_NEAR(run_s4u(graph.graph(), hub).seconds, path, 0.02 * path);
  }
}

TEST(HimenoCluster, TheSplitHasTheSmallestHalos) {
  const Extents size = himeno_size("L");
  const auto busiest = [&](const Extents& split) {
    std::map<interconnect::TaskId, std::uint64_t> sent;
    for (const interconnect::Transfer& transfer : himeno_traffic(options(size, split))) {
      sent[transfer.from] += transfer.bytes;
    }
    return std::ranges::max_element(sent, {}, [](const auto& entry) { return entry.second; })->second;
  };
  const Extents found = himeno_split(size, 64);
  EXPECT_EQ(found[0] * found[1] * found[2], 64U);
  for (const std::uint64_t a : {1, 2, 4, 8, 16, 32, 64}) {
    for (std::uint64_t b = 1; a * b <= 64; b *= 2) {
      // Points of L do not share out evenly, so halos differ by a plane.
      EXPECT_LE(static_cast<double>(busiest(found)), 1.02 * static_cast<double>(busiest({a, b, 64 / a / b})));
    }
  }
  EXPECT_THAT(himeno_split({5, 3, 3}, 3), ElementsAre(3, 1, 1));
}

TEST(HimenoCluster, NoSplitIsFasterThanTheOneTaken) {
  for (const std::string_view name : {"grape-dr-64", "grape-dr-64-torus", "grape-dr-64-hub"}) {
    const Cluster on = load_cluster(name);
    const interconnect::Topology network = platform_for(on, 64).topology;
    for (const HimenoPlace place : {HimenoPlace::board, HimenoPlace::host}) {
      for (const bool overlap : {false, true}) {
        HimenoOptions of = options(himeno_size("S"), {1, 1, 1}, overlap);
        of.place = place;
        const HimenoChoice found = fastest_himeno(on, network, of, 16);
        of.split = found.split;
        EXPECT_EQ(himeno_times(on, network, of).seconds, found.times.seconds);
        for (const std::uint64_t a : {1, 2, 4, 8, 16}) {
          for (std::uint64_t b = 1; a * b <= 16; b *= 2) {
            of.split = {a, b, 16 / a / b};
            EXPECT_GE(himeno_times(on, network, of).seconds, found.times.seconds) << name << " " << a << "x" << b;
          }
        }
      }
    }
  }
  EXPECT_THAT(refusal_of([] {
                static_cast<void>(fastest_himeno(cluster(), free_network(1), options(himeno_size("L"), {}), 1));
              }),
              HasSubstr("its boards hold 20648881"));
}

TEST(HimenoCluster, SizesHaveNamesOrExtents) {
  EXPECT_THAT(himeno_size("XL"), ElementsAre(512, 512, 1024));
  EXPECT_THAT(himeno_size("3x4x5"), ElementsAre(3, 4, 5));
  for (const std::string_view bad : {"", "XXL", "3x4", "3x4x", "3x4x5x", "3x4x5x6", "2x4x5", "0x4x5", "-3x4x5",
                                     "3x4x1048577", "3 x 4 x 5", "3x4x5 "}) {
    EXPECT_THAT(refusal_of([&] { static_cast<void>(himeno_size(bad)); }), HasSubstr("is refused")) << bad;
  }
}

TEST(HimenoCluster, WhatDoesNotFitIsRefusedWithWhatDoes) {
  EXPECT_THAT(refusal_of([] { static_cast<void>(himeno_graph(cluster(), options(himeno_size("L"), {1, 1, 1}))); }),
              HasSubstr("its boards hold 20648881"));
  HimenoOptions on_host = options({1 << 11, 1 << 11, 1 << 10}, {1, 1, 1});
  on_host.place = HimenoPlace::host;
  EXPECT_THAT(refusal_of([&] { static_cast<void>(himeno_graph(cluster(), on_host)); }), HasSubstr("of 18 GB holds"));
  EXPECT_THAT(refusal_of([] { static_cast<void>(himeno_graph(cluster(), options({5, 5, 5}, {4, 1, 1}))); }),
              HasSubstr("axis 0 has 3 points to share"));
  EXPECT_THAT(refusal_of([] { static_cast<void>(himeno_split({3, 3, 3}, 2)); }), HasSubstr("2 ranks are refused"));
  EXPECT_THAT(
      refusal_of([] { static_cast<void>(himeno_times(cluster(), free_network(2), options({34, 34, 66}, {1, 1, 4}))); }),
      HasSubstr("4 nodes are refused"));
}

}  // namespace
}  // namespace gdr::cluster
