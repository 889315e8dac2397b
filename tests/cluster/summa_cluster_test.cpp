#include "gdr/cluster/summa_cluster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cluster_testing.h"
#include "gdr/base/error.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::cluster {
namespace {

using interconnect::make_summa;
using interconnect::optical_hub;
using interconnect::SummaAlgorithm;
using interconnect::SummaLayout;
using interconnect::SummaPlan;

constexpr interconnect::Cable kWavelength{1e8, 1e-6};

SummaPlan plan(Rank nodes, std::uint64_t n, SummaAlgorithm algorithm, SummaLayout layout = SummaLayout::square) {
  return make_summa({.nodes = nodes, .n = n, .algorithm = algorithm, .layout = layout});
}

SummaClusterTimes times(const SummaPlan& of, const interconnect::Topology& network, bool overlap) {
  return summa_times(cluster(), network, board(), of, {.transfer = {}, .factors = {}, .overlap = overlap});
}

double product(double size) {
  return HplNode(cluster().host, &board(), {}, ProductRule::faster).product(size, size, size).total();
}

TEST(SummaCluster, OnAFreeNetworkProductsAloneTakeTime) {
  for (const bool overlap : {false, true}) {
    for (const SummaAlgorithm algorithm :
         {SummaAlgorithm::ca0, SummaAlgorithm::ca1, SummaAlgorithm::ca2, SummaAlgorithm::ca3, SummaAlgorithm::ca4}) {
      // Blocks of 1,024 are the boards', of 256 the hosts'.
      for (const std::uint64_t n : {4096U, 1024U}) {
        const SummaClusterTimes found = times(plan(16, n, algorithm), free_network(16), overlap);
        const double expected = 4 * product(static_cast<double>(n) / 4);
        EXPECT_NEAR(found.seconds, expected, 1e-9 * expected);
        EXPECT_NEAR(found.products, expected, 1e-9 * expected);
      }
    }
  }
}

TEST(SummaCluster, PartsAddUpAndOverlapTakesNoLonger) {
  for (const SummaLayout layout : {SummaLayout::square, SummaLayout::cube}) {
    const SummaPlan of = plan(layout == SummaLayout::square ? 16 : 8, 4096, SummaAlgorithm::ca3, layout);
    const interconnect::Topology network = optical_hub(of.options.nodes, kWavelength);
    const SummaClusterTimes beside = times(of, network, true);
    const SummaClusterTimes in_turn = times(of, network, false);
    EXPECT_NEAR(std::accumulate(beside.parts.begin(), beside.parts.end(), 0.0), beside.seconds, 1e-9 * beside.seconds);
    EXPECT_LE(beside.seconds, in_turn.seconds * (1 + 1e-9));
    EXPECT_GE(beside.seconds, beside.products);
    EXPECT_EQ(beside.bytes, static_cast<double>(traffic(of.schedule).bytes));
  }
}

TEST(SummaCluster, OneAfterAnotherAddsProductsToWhatMessagesTakeOnSimGrid) {
  if (!interconnect::has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  for (const SummaAlgorithm algorithm : {SummaAlgorithm::ca1, SummaAlgorithm::ca4}) {
    const SummaPlan of = plan(16, 4096, algorithm);
    const interconnect::Topology network = optical_hub(16, kWavelength);
    const double messages = interconnect::run_s4u(of.schedule, network).seconds;
    const SummaClusterTimes found = times(of, network, false);
    EXPECT_NEAR(found.seconds, messages + found.products, 0.01 * found.seconds);
    const double factor =
        interconnect::run_s4u(
            summa_graph(cluster(), board(), of, {.transfer = {}, .factors = {}, .overlap = true}).graph(), network)
            .seconds /
        times(of, network, true).seconds;
    EXPECT_NEAR(factor, 1, 0.01);
  }
}

TEST(SummaCluster, MatricesBeyondTheNodesMemoryAreRefusedWithTheLargest) {
  // CA1 keeps five blocks a node: 5 n^2 / 64 words in 18 GB.
  const auto most = static_cast<std::uint64_t>(std::sqrt(18e9 / 8 / 5 * 64));
  try {
    static_cast<void>(summa_graph(cluster(), board(), plan(64, most + 64, SummaAlgorithm::ca1), {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(most)), std::string::npos) << error.what();
  }
  const SummaPlan fits = plan(64, most / 8 * 8, SummaAlgorithm::ca1);
  EXPECT_NO_THROW(static_cast<void>(summa_graph(cluster(), board(), fits, {})));
}

TEST(SummaCluster, OneRankHasTheTimeOfOneProduct) {
  for (const std::uint64_t n : {1U, 256U, 8192U}) {
    const SummaClusterTimes found = summa_times_of_one_rank(cluster(), board(), n, {});
    EXPECT_EQ(found.seconds, product(static_cast<double>(n)));
    EXPECT_EQ(found.products, found.seconds);
    EXPECT_EQ(found.bytes, 0);
    EXPECT_NEAR(std::accumulate(found.parts.begin(), found.parts.end(), 0.0), found.seconds, 1e-12 * found.seconds);
  }
  EXPECT_THROW(static_cast<void>(summa_times_of_one_rank(cluster(), board(), 0, {})), Error);
  EXPECT_THROW(static_cast<void>(summa_times_of_one_rank(cluster(), board(), 1'000'000, {})), Error);
}

}  // namespace
}  // namespace gdr::cluster
