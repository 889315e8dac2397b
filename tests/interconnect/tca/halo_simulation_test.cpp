// The event model beside SimGrid's flows: the same exchange, two ways of sharing paths that share no code.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/stencil.h"
#include "gdr/interconnect/tca_topology.h"

namespace gdr::interconnect {
namespace {

using Split = std::array<int, kHaloDimensions>;

class SimulatedHalo : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  }
  HaloSystem system = HaloSystem::load();
};

TEST_F(SimulatedHalo, PairsThatMeetTakeAsLongAsInTheEventModel) {
  system.cluster.hop = 0;  // a step of a schedule waits for its cable's latency, a chain's next put does not
  for (const char* size : {"S", "L"}) {
    const StencilProblem problem = stencil_problem(Stencil::himeno, size);
    for (const Split& split : {Split{2, 1, 1}, Split{4, 2, 1}, Split{2, 8, 1}, Split{8, 2, 1}, Split{1, 16, 1}}) {
      for (const HaloMethod method : {HaloMethod::tca, HaloMethod::mv2gdr, HaloMethod::hybrid}) {
        const HaloPlans plans = plan_halo(problem.shape(split), method, system);
        const HaloTime time = exchange_time(plans, system);
        ASSERT_FALSE(time.collided);
        EXPECT_NEAR(simulated_exchange(plans, system) / time.total, 1, 1e-3)
            << size << split[0] << split[1] << name_of(method);
      }
    }
  }
}

TEST_F(SimulatedHalo, FlowsThatMeetShareButLoseNothing) {
  // In the order of ranks, puts of several chips of four by four meet.
  std::vector<int> nodes(16);
  std::iota(nodes.begin(), nodes.end(), 0);
  const HaloShape shape = stencil_problem(Stencil::himeno, "M").shape({4, 4, 1});
  const HaloPlans plans = plan_halo(shape, HaloMethod::tca, system, nodes);
  const HaloTime time = exchange_time(plans, system);
  ASSERT_TRUE(time.collided);
  HaloSystem kind = system;
  kind.cluster.collision = 1;
  const double shared = exchange_time(plans, kind).total;
  EXPECT_LT(shared, time.total);
  EXPECT_LT(simulated_exchange(plans, system), time.total);
}

TEST_F(SimulatedHalo, FourSubClustersExchangeTogether) {
  const HaloPlans plans = plan_halo(stencil_problem(Stencil::himeno, "L").shape({8, 8, 1}), HaloMethod::hybrid, system);
  EXPECT_NEAR(simulated_exchange(plans, system) / exchange_time(plans, system).total, 1, 1e-3);
}

TEST(Platform, RingsRouteAsTheirRegistersDo) {
  const HaloSystem system = HaloSystem::load();
  const Topology ring = peach2_ring(system.sub_cluster, {3e9, 1e-7});
  for (NodeId from = 0; from < ring.nodes(); ++from) {
    for (NodeId to = 0; to < ring.nodes(); ++to) {
      if (from == to) continue;
      const auto hops = static_cast<std::size_t>(system.sub_cluster.hops(static_cast<int>(from), static_cast<int>(to)));
      EXPECT_EQ(ring.route(from, to).size(), hops + 2);  // and two host ports
    }
  }
}

TEST(Platform, TheClusterKeepsItsNetworksApart) {
  const Topology cluster = ha_pacs_tca(HaloSystem::load());
  EXPECT_EQ(cluster.nodes(), 128U);
  EXPECT_NO_THROW(static_cast<void>(cluster.route(0, 15)));
  EXPECT_THROW(static_cast<void>(cluster.route(0, 16)), Error);
  EXPECT_NO_THROW(static_cast<void>(cluster.route(64, 127)));
  EXPECT_THROW(static_cast<void>(cluster.route(0, 64)), Error);
}

}  // namespace
}  // namespace gdr::interconnect
