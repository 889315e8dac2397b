// SUMMA: every algorithm computes the product, and uses the network as the paper says.
#include "gdr/interconnect/summa.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/summa_closed_form.h"

namespace gdr::interconnect {
namespace {

using Algorithm = SummaAlgorithm;

/// Small whole numbers, so that every order of summation gives the same double.
std::vector<double> whole_numbers(std::uint64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> matrix(n * n);
  for (double& element : matrix) element = static_cast<double>(random() % 201) - 100;
  return matrix;
}

std::vector<double> serial_product(std::uint64_t n, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c(n * n);
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

void expect_product(const SummaOptions& options) {
  const std::vector<double> a = whole_numbers(options.n, 1);
  const std::vector<double> b = whole_numbers(options.n, 2);
  const SummaPlan plan = make_summa(options);
  EXPECT_EQ(run_summa_blocks(plan, a, b), serial_product(options.n, a, b))
      << "nodes " << options.nodes << " CA" << static_cast<int>(options.algorithm) << " n " << options.n;
}

constexpr Algorithm kAll[] = {Algorithm::ca0, Algorithm::ca1, Algorithm::ca2, Algorithm::ca3, Algorithm::ca4};

TEST(Summa, EveryAlgorithmComputesTheSerialProduct) {
  for (const Rank nodes : {4U, 9U, 16U, 64U}) {
    for (const Algorithm algorithm : kAll) expect_product({.nodes = nodes, .n = 48, .algorithm = algorithm});
  }
}

TEST(Summa, TreesOfEveryRadixComputeTheSerialProduct) {
  for (const std::uint32_t radix : {2U, 3U, 4U, 8U}) {
    expect_product({.nodes = 64, .n = 48, .algorithm = Algorithm::ca0, .tree_radix = radix});
  }
  EXPECT_THROW(static_cast<void>(make_summa({.nodes = 64, .n = 48, .tree_radix = 1})), Error);
  EXPECT_EQ(load_tree_radix("mvapich2"), 4U);
}

TEST(Summa, TheCubesComputeTheSerialProduct) {
  for (const Rank nodes : {8U, 27U, 64U}) {
    for (const Algorithm algorithm : {Algorithm::ca1, Algorithm::ca3}) {
      expect_product({.nodes = nodes, .n = 36, .algorithm = algorithm, .layout = SummaLayout::cube});
    }
  }
}

TEST(Summa, SizesThatDoNotDivideArePadded) {
  for (const Algorithm algorithm : kAll) {
    for (const std::uint64_t n : {1ULL, 7ULL, 25ULL}) expect_product({.nodes = 9, .n = n, .algorithm = algorithm});
  }
  expect_product({.nodes = 27, .n = 13, .algorithm = Algorithm::ca3, .layout = SummaLayout::cube});
}

TEST(Summa, RelaysWithinRowsAndColumnsComputeTheSerialProduct) {
  for (const Rank nodes : {4U, 9U, 64U}) expect_product({.nodes = nodes, .n = 32, .by_rows_and_columns = true});
}

TEST(Summa, CA4UsesEveryDirectedLinkOfTheHubTwiceTheRootOfNTimes) {
  for (const Rank side : {2U, 3U, 4U, 8U}) {
    const Rank nodes = side * side;
    const SummaPlan plan = make_summa({.nodes = nodes, .n = 64 * side});
    for (const LinkLoad& load : link_loads(plan.schedule, optical_hub(nodes, {1e9, 0}))) {
      EXPECT_EQ(load.messages, 2 * side);
    }
  }
}

TEST(Summa, CA4StaysInRowsAndColumnsOfTheTwoDimensionalHub) {
  const SummaPlan plan = make_summa({.nodes = 16, .n = 64, .by_rows_and_columns = true});
  const Topology hub = optical_hub_2d(4, 4, {1e9, 0});
  for (const LinkLoad& load : link_loads(plan.schedule, hub)) EXPECT_EQ(load.messages, 4);  // sqrt(N), table 8
  for (Rank rank = 0; rank < 16; ++rank) {
    for (const Step& step : plan.schedule.ranks[rank]) {
      for (const Message& message : step.sends) EXPECT_EQ(hub.route(rank, message.peer).size(), 1);
    }
  }
}

TEST(Summa, ArithmeticIsTheProductsWhateverTheAlgorithm) {
  constexpr double kN = 96;
  for (const Algorithm algorithm : kAll) {
    EXPECT_EQ(traffic(make_summa({.nodes = 16, .n = 96, .algorithm = algorithm}).schedule).flops, 2 * kN * kN * kN);
  }
  EXPECT_EQ(
      traffic(make_summa({.nodes = 8, .n = 96, .algorithm = Algorithm::ca1, .layout = SummaLayout::cube}).schedule)
          .flops,
      2 * kN * kN * kN);
}

TEST(Summa, TheHubTakesTheTimesOfTable3) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  constexpr Rank kNodes = 16;
  constexpr std::uint64_t kN = 1024;
  constexpr double kNodeBandwidth = 16e9;
  const Topology hub = optical_hub(kNodes, {kNodeBandwidth / kNodes, 0});
  for (const Algorithm algorithm : {Algorithm::ca1, Algorithm::ca2, Algorithm::ca3, Algorithm::ca4}) {
    const SummaPlan plan = make_summa({.nodes = kNodes, .n = kN, .algorithm = algorithm});
    const SummaTheory theory =
        summa_theory(algorithm, SummaLayout::square, kNodes, static_cast<double>(kN), kNodeBandwidth);
    EXPECT_NEAR(run_s4u(plan.schedule, hub).seconds / theory.seconds, 1, 1e-3) << static_cast<int>(algorithm);
  }
  constexpr Rank kCube = 27;
  const Topology cube_hub = optical_hub(kCube, {27e9 / kCube, 0});
  for (const Algorithm algorithm : {Algorithm::ca1, Algorithm::ca3}) {
    const SummaPlan plan = make_summa({.nodes = kCube, .n = 648, .algorithm = algorithm, .layout = SummaLayout::cube});
    const SummaTheory theory = summa_theory(algorithm, SummaLayout::cube, kCube, 648, 27e9);
    EXPECT_NEAR(run_s4u(plan.schedule, cube_hub).seconds / theory.seconds, 1, 1e-3) << static_cast<int>(algorithm);
  }
}

TEST(Summa, TheHubTakesTheTimesOfTable3AtOtherSizesToo) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  struct Size {
    Rank nodes;
    std::uint64_t n;  // whose blocks divide into as many parts as there are nodes
    std::vector<Algorithm> algorithms;
  };
  const std::vector<Algorithm> lone{Algorithm::ca1, Algorithm::ca2};
  const std::vector<Algorithm> relayed{Algorithm::ca1, Algorithm::ca2, Algorithm::ca3, Algorithm::ca4};
  const Size sizes[] = {{16, 8192, relayed}, {36, 1152, relayed}, {36, 4608, lone},
                        {64, 1024, lone},    {64, 4096, lone},    {64, 8192, lone}};
  for (const auto& [nodes, n, algorithms] : sizes) {
    const double bandwidth = 1e9 * nodes;
    const Topology hub = optical_hub(nodes, {bandwidth / nodes, 0});
    for (const Algorithm algorithm : algorithms) {
      const SummaPlan plan = make_summa({.nodes = nodes, .n = n, .algorithm = algorithm});
      const double theory =
          summa_theory(algorithm, SummaLayout::square, nodes, static_cast<double>(n), bandwidth).seconds;
      EXPECT_NEAR(run_s4u(plan.schedule, hub).seconds / theory, 1, 1e-3)
          << nodes << " nodes, n " << n << ", CA" << static_cast<int>(algorithm);
    }
  }
}

TEST(Summa, TwiceTheBandwidthAndHalfTheLatencyHalveEveryTimeExactly) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  constexpr Cable kSlow{4e9, 1e-7};
  constexpr Cable kFast{8e9, 0.5e-7};
  using Network = Topology (*)(Rank, Cable);
  const Network networks[] = {
      [](Rank nodes, Cable cable) { return optical_hub(nodes, cable); },
      [](Rank nodes, Cable cable) {
        const auto side = static_cast<Rank>(std::lround(std::sqrt(nodes)));
        return torus_by_shortest_paths({side, side}, cable);
      },
      [](Rank nodes, Cable cable) {
        return fat_tree({.leaves = nodes / 4, .nodes_per_leaf = 4, .spines = 2, .cables = 2, .link = cable});
      }};
  SimulationOptions options;
  options.factors = load_flow_factors("smpi-factors");
  for (const Network network : networks) {
    const auto halves = [&](Rank nodes, std::uint64_t n, Algorithm algorithm) {
      const Schedule schedule = make_summa({.nodes = nodes, .n = n, .algorithm = algorithm}).schedule;
      const SimulationResult slow = run_s4u(schedule, network(nodes, kSlow), options);
      const SimulationResult fast = run_s4u(schedule, network(nodes, kFast), options);
      for (Rank rank = 0; rank < nodes; ++rank) {
        EXPECT_EQ(slow.rank_seconds[rank], 2 * fast.rank_seconds[rank])
            << network(nodes, kSlow).name() << ", n " << n << ", CA" << static_cast<int>(algorithm);
      }
    };
    for (const Algorithm algorithm : kAll) halves(16, 1024, algorithm);
    for (const Algorithm algorithm : {Algorithm::ca0, Algorithm::ca1, Algorithm::ca2}) {
      halves(36, 1152, algorithm);
      halves(64, 8192, algorithm);
    }
  }
}

TEST(Summa, NominalArithmeticAddsTheSameTimeToEveryRank) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const Topology hub = optical_hub(16, {1e9, 1e-7});
  SimulationOptions nominal;
  nominal.flops_per_second = 1e11;
  for (const Algorithm algorithm : {Algorithm::ca1, Algorithm::ca2, Algorithm::ca3, Algorithm::ca4}) {
    const Schedule schedule = make_summa({.nodes = 16, .n = 512, .algorithm = algorithm}).schedule;
    const double arithmetic = 2 * 512.0 * 512 * 512 / 16 / nominal.flops_per_second;
    EXPECT_NEAR((run_s4u(schedule, hub, nominal).seconds - run_s4u(schedule, hub).seconds) / arithmetic, 1, 1e-3);
  }
}

TEST(Summa, ClosedFormsNeedNoSchedule) {
  std::vector<SummaOptions> all;
  for (const Algorithm algorithm : kAll) {
    for (const Rank nodes : {4U, 9U, 16U, 64U}) {
      for (const bool a_with_b : {true, false}) {
        all.push_back({.nodes = nodes, .n = 50, .algorithm = algorithm, .a_with_b = a_with_b});
      }
    }
  }
  all.push_back({.nodes = 16, .n = 50, .by_rows_and_columns = true});
  for (const Algorithm algorithm : {Algorithm::ca1, Algorithm::ca3}) {
    all.push_back({.nodes = 27, .n = 50, .algorithm = algorithm, .layout = SummaLayout::cube});
  }
  constexpr double kSpeed = 1e9;
  for (const SummaOptions& options : all) {
    const SummaPlan plan = make_summa(options);
    for (const Topology& topology :
         {torus({4, 4, 4}, {1e9, 1e-6}), optical_hub(64, {1e8, 2e-7}), optical_hub_2d(8, 8, {1e8, 2e-7}),
          torus_by_both_ways({8, 8}, {1e9, 1e-6}), infiniband_flat(64, {3e9, 1e-6})}) {
      const SummaClosedForm counted = summa_closed_form(options, topology, kSpeed);
      const ClosedForm made = run_closed_form(plan.schedule, topology, kSpeed);
      EXPECT_EQ(counted.times.lockstep_seconds, made.lockstep_seconds) << static_cast<int>(options.algorithm);
      EXPECT_EQ(counted.times.link_bound_seconds, made.link_bound_seconds);
      EXPECT_EQ(counted.padded_n, plan.padded_n);
      const Traffic of_plan = traffic(plan.schedule);
      EXPECT_EQ(counted.traffic.messages, of_plan.messages);
      EXPECT_EQ(counted.traffic.bytes, of_plan.bytes);
      EXPECT_NEAR(counted.traffic.flops / of_plan.flops, 1, 1e-12);
      const std::vector<LinkLoad> loads = link_loads(plan.schedule, topology);
      for (std::size_t link = 0; link < loads.size(); ++link) {
        EXPECT_EQ(counted.loads[link].bytes, loads[link].bytes);
        EXPECT_EQ(counted.loads[link].messages, loads[link].messages);
      }
    }
  }
}

TEST(Summa, ClosedFormsOfManyNodesFollowTheTheory) {
  // Without latency CA4 on a hub takes M s / b (table 3), up to parts that a block of 256 x 256 words does not divide
  // in.
  constexpr Rank kNodes = 1024;
  constexpr std::uint64_t kN = 8192;
  const SummaClosedForm form = summa_closed_form({.nodes = kNodes, .n = kN}, optical_hub(kNodes, {1e8, 0}));
  const SummaTheory theory = summa_theory(Algorithm::ca4, SummaLayout::square, kNodes, kN, 1e8 * kNodes);
  EXPECT_NEAR(form.times.lockstep_seconds / theory.seconds, 1, 0.04);
  EXPECT_THROW(static_cast<void>(make_summa({.nodes = kNodes, .n = kN})), Error);
  EXPECT_THROW(static_cast<void>(summa_closed_form({.nodes = 16, .n = 64}, optical_hub(9, {1e8, 0}))), Error);
}

// A run is refused before its schedule is made, from these numbers.
TEST(Summa, SizesAreThoseOfTheSchedule) {
  std::vector<SummaOptions> all;
  for (const Algorithm algorithm : kAll) all.push_back({.nodes = 64, .n = 64, .algorithm = algorithm});
  all.push_back({.nodes = 64, .n = 64, .by_rows_and_columns = true});
  all.push_back({.nodes = 64, .n = 64, .algorithm = Algorithm::ca1, .layout = SummaLayout::cube});
  all.push_back({.nodes = 64, .n = 64, .algorithm = Algorithm::ca3, .layout = SummaLayout::cube});
  for (const SummaOptions& options : all) {
    const Schedule schedule = make_summa(options).schedule;
    std::vector<double> of_steps;
    for (const auto& steps : schedule.ranks) {
      of_steps.resize(std::max(of_steps.size(), steps.size()));
      for (std::size_t step = 0; step < steps.size(); ++step) {
        of_steps[step] += static_cast<double>(steps[step].sends.size());
      }
    }
    const SummaSize size = summa_size(options);
    const double messages = static_cast<double>(traffic(schedule).messages) / size.messages;
    const double together = std::ranges::max(of_steps) / size.together;
    // The size includes messages of ranks to themselves, and counts a tree's messages as if they were one step.
    EXPECT_LE(messages, 1) << static_cast<int>(options.algorithm);
    EXPECT_GE(messages, 0.7) << static_cast<int>(options.algorithm);
    EXPECT_LE(together, 1) << static_cast<int>(options.algorithm);
    EXPECT_GE(together, 1.0 / 3) << static_cast<int>(options.algorithm);
  }
}

TEST(Summa, TheReferenceIsCa1OnAHub) {
  for (const Rank nodes : {4U, 9U, 64U}) {
    const Cable wavelength{1e8, 3e-7};
    const Schedule schedule = make_summa({.nodes = nodes, .n = 100, .algorithm = Algorithm::ca1}).schedule;
    EXPECT_DOUBLE_EQ(ca1_on_hub_seconds(nodes, 100, wavelength, 1e9),
                     run_closed_form(schedule, optical_hub(nodes, wavelength), 1e9).lockstep_seconds);
  }
}

TEST(Summa, PiecesSurvivePacking) {
  const Piece piece{.matrix = Matrix::c, .row = 17, .column = 8191, .layer = 5, .part = 4095, .parts = 4096};
  EXPECT_EQ(unpack(pack(piece)), piece);
}

TEST(Summa, GridsThatAreNoneAreRefusedWithTheReason) {
  const auto told = [](const SummaOptions& options) -> std::string {
    try {
      static_cast<void>(make_summa(options));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told({.nodes = 8, .n = 16}), "nodes for a square: 8 is refused: it must be a square, such as 4 or 9");
  EXPECT_EQ(told({.nodes = 16, .n = 16, .algorithm = Algorithm::ca1, .layout = SummaLayout::cube}),
            "nodes for a cube: 16 is refused: it must be a cube, such as 8 or 27");
  EXPECT_EQ(told({.nodes = 1, .n = 16}), "nodes: 1 is refused: there must be at least two along a side");
  EXPECT_EQ(told({.nodes = 16, .n = 0}), "n: 0 is refused: it must be at least 1");
  EXPECT_NE(told({.nodes = 8, .n = 16, .algorithm = Algorithm::ca4, .layout = SummaLayout::cube}), "");
  EXPECT_NE(told({.nodes = 9, .n = 16, .algorithm = Algorithm::ca1, .by_rows_and_columns = true}), "");
}

TEST(Summa, ARankWithoutAPieceSaysSo) {
  const SummaPlan plan = make_summa({.nodes = 4, .n = 8});
  const std::vector<double> matrix(64);
  const SummaRank rank(plan, 0, matrix, matrix);
  EXPECT_THROW(static_cast<void>(rank.outgoing({1, 32, pack({.matrix = Matrix::a, .row = 1, .column = 1})})), Error);
}

}  // namespace
}  // namespace gdr::interconnect
