// Clusters of libg6, the order of calls, and what a program may get wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "g6_api.h"
#include "g6_testing.h"

namespace gdr::g6_testing {
namespace {

TEST_F(Grape6, ClustersAreApart) {
  g6_open(0);
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  double x[3] = {2, 0, 0};
  EXPECT_EQ(g6_set_j_particle_mxonly(0, 0, 1, 1.0, x), 0);
  g6_set_ti(0, 0);
  g6_set_ti(kCluster, 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);
  g6_close(0);
}

TEST_F(Grape6, FunctionsForAllCardsAreThoseOfClusterZero) {
  std::vector<Particle> particles = cloud(60, 12);
  ASSERT_EQ(g6_open_all(), 0);
  EXPECT_EQ(g6_getnjmax_all(), g6_getnjmax(0));
  for (int n = 0; n < 60; ++n) {
    Particle& p = particles[static_cast<std::size_t>(n)];
    send(n, p);
    ASSERT_EQ(g6_set_j_particle_all(n, p.index, p.t, 0, p.mass, p.snap_by_18.data(), p.jerk_by_6.data(),
                                    p.a_by_2.data(), p.v.data(), p.x.data()),
              0);
  }
  EXPECT_EQ(g6_set_ti(kCluster, 0.25), 0);
  EXPECT_EQ(g6_set_ti_all(0.25), 0);
  const std::vector<Particle> targets(particles.begin(), particles.begin() + 5);
  const Answer expected = forces(targets, 60, 0.01, true);
  std::vector<int> index;
  std::vector<Vector> x;
  std::vector<Vector> v;
  for (const Particle& p : targets) {
    index.push_back(p.index);
    x.push_back(p.x);
    v.push_back(p.v);
  }
  int nj = 60;
  int ni = 5;
  double eps2 = 0.01;
  std::vector<double> h2(5, 1.0);
  Answer all{std::vector<Vector>(5), std::vector<Vector>(5), std::vector<double>(5), std::vector<int>(5), 0};
  g6calc_firsthalf_all(nj, ni, index.data(), rows(x), rows(v), rows(all.acc), rows(all.jerk), all.pot.data(), eps2,
                       h2.data());
  EXPECT_EQ(g6calc_lasthalf2_all(nj, ni, index.data(), rows(x), rows(v), eps2, h2.data(), rows(all.acc), rows(all.jerk),
                                 all.pot.data(), all.nearest.data()),
            0);
  EXPECT_EQ(all.acc, expected.acc);
  EXPECT_EQ(all.jerk, expected.jerk);
  EXPECT_EQ(all.pot, expected.pot);
  EXPECT_EQ(all.nearest, expected.nearest);
  int length = 0;
  std::vector<int> list(60);
  EXPECT_EQ(g6_read_neighbour_list_all(), 0);
  EXPECT_EQ(g6_get_neighbour_list_all(0, 60, &length, list.data()), 0);
  EXPECT_GT(length, 0);
  std::vector<Vector> by_reference(5);
  g6calc_firsthalf_all_(&nj, &ni, index.data(), rows(x), rows(v), rows(all.acc), rows(all.jerk), all.pot.data(), &eps2,
                        h2.data());
  EXPECT_EQ(g6calc_lasthalf_all_(&nj, &ni, index.data(), rows(x), rows(v), &eps2, h2.data(), rows(by_reference),
                                 rows(all.jerk), all.pot.data()),
            0);
  EXPECT_EQ(by_reference, expected.acc);
  EXPECT_EQ(g6_set_njp_all(0), 0);
  EXPECT_EQ(g6_close_all(), 0);
}

TEST_F(Grape6, MemoryIsEmptyAfterCloseAndOpen) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_close(kCluster);
  g6_open(kCluster);
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(forces({{.index = 7}}, 1, 0).pot[0], 0);
}

// Enough pairs for a run in the background.
TEST_F(Grape6, MemoryIsEmptyAlsoAfterAClusterIsClosedWhoseRunIsUnderWay) {
  const std::vector<Particle> all = cloud(1024, 5);
  send(all);
  g6_set_ti(kCluster, 0);
  auto [index, x, v] = arrays_of(all);
  std::vector<double> h2(all.size());
  g6calc_firsthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), rows(x), rows(x), h2.data(), 1e-4, h2.data());
  EXPECT_EQ(g6_close(kCluster), 0);
  g6_open(kCluster);
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(forces({{.index = 7}}, 1, 0).pot[0], 0);
}

TEST_F(Grape6, NumbersOfPipelinesNeedNoOpenBoard) {
  EXPECT_EQ(g6_npipes(), 48);
  EXPECT_EQ(g6_npipes_(), 48);
  EXPECT_EQ(g6_npipes__(), 48);
  EXPECT_GT(g6_getnjmax(kCluster), 1000000);
}

TEST_F(Grape6, WhatIsWrongGivesAStatusAndNoNumbers) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Vector x{1, kNan, 0};
  Vector zero{};
  const auto set_j = [&](int address, double* position) {
    return g6_set_j_particle(kCluster, address, 1, 0, 0, 1, zero.data(), zero.data(), zero.data(), zero.data(),
                             position);
  };
  EXPECT_EQ(set_j(0, x.data()), -1);
  EXPECT_EQ(set_j(-1, zero.data()), -1);
  EXPECT_EQ(set_j(g6_getnjmax(kCluster), zero.data()), -1);
  EXPECT_EQ(g6_set_ti(kCluster, kNan), -1);
  g6_open(16);
  EXPECT_EQ(g6_set_ti(17, 0), -1);  // which nobody opened, and two others are open
  g6_close(16);
  g6_set_ti(kCluster, 0);
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  const Answer bad = forces({{.index = 7, .x = x}}, 1, 0, true);
  EXPECT_EQ(bad.status, -1);
  EXPECT_TRUE(std::isnan(bad.acc[0][0]) && std::isnan(bad.jerk[0][2]) && std::isnan(bad.pot[0]));
  EXPECT_EQ(bad.nearest[0], -1);
  EXPECT_EQ(forces({{.index = 7}}, g6_getnjmax(kCluster) + 1, 0).status, -1);
  EXPECT_EQ(forces({{.index = 7}}, 1, -1).status, -1);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);  // and goes on
}

// Codes of the time look at no status of these functions, so no force may come from what was there before.
TEST_F(Grape6, NothingIsComputedWithWhatWasThereBeforeSomethingRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Particle good{.index = 1, .mass = 1, .x = {1, 0, 0}};
  const auto is_computed = [&](int nj) {
    const Answer answer = forces({{.index = 7}}, nj, 0);
    EXPECT_EQ(answer.status == 0, !std::isnan(answer.pot[0]));
    return answer.status == 0;
  };
  send({good, good});
  g6_set_ti(kCluster, 0);
  ASSERT_TRUE(is_computed(2));
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (int field = 0; field < 7; ++field) {  // x, v, acceleration, jerk, snap, mass, time
      SCOPED_TRACE(field);
      std::array<Vector, 5> vectors{Vector{1, 0, 0}};
      std::array<double, 2> numbers{1, 0};
      (field < 5 ? vectors[field][field % 3] : numbers[field - 5]) = bad;
      EXPECT_EQ(g6_set_j_particle(kCluster, 1, 1, numbers[1], 0, numbers[0], vectors[4].data(), vectors[3].data(),
                                  vectors[2].data(), vectors[1].data(), vectors[0].data()),
                -1);
      EXPECT_FALSE(is_computed(2));
      EXPECT_TRUE(is_computed(1)) << "nobody asks for the particle at address 1";
      std::vector<Vector> x(2);
      std::vector<Vector> v(2);
      EXPECT_EQ(g6_get_predicted_j_particles(kCluster, 2, rows(x), rows(v)), -1);
      send({good, good});
      EXPECT_TRUE(is_computed(2));
    }
    EXPECT_EQ(g6_set_ti(kCluster, bad), -1);
    EXPECT_FALSE(is_computed(1));
    g6_set_ti(kCluster, 0);
    EXPECT_TRUE(is_computed(1));
  }
  EXPECT_EQ(g6_set_njp(kCluster, g6_getnjmax(kCluster) + 1), -1);
  EXPECT_EQ(g6_set_njp(kCluster, -1), -1);
}

TEST_F(Grape6, AClusterThatIsOpenAlreadyKeepsItsParticles) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(g6_open(kCluster), 0);
  EXPECT_EQ(g6_open(kCluster), 0);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("cluster 3 is open already"));
  EXPECT_EQ(std::ranges::count(told, '\n'), 1) << told;
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);
}

// As of a caller that opens a card by its number and goes on with that of its process.
TEST_F(Grape6, EveryNumberMeansTheClusterThatAloneIsOpen) {
  testing::internal::CaptureStderr();
  Vector x{2, 0, 0};
  EXPECT_EQ(g6_set_ti(0, 0), 0);
  EXPECT_EQ(g6_set_j_particle_mxonly(32539, 0, 1, 3.0, x.data()), 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1.5, 1e-6);
  g6_open(0);  // from here on 0 is 0
  EXPECT_EQ(g6_set_ti(0, 0), 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1.5, 1e-6);
  EXPECT_EQ(g6_close(0), 0);
  EXPECT_EQ(g6_close(-5), 0);  // the one of the fixture
  EXPECT_EQ(g6_set_ti(kCluster, 0), -1);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("cluster 0 is not open; the one that is, 3, is taken for it"));
}

TEST_F(Grape6, NullForANumberOfAClusterIsZero) {
  g6_close(kCluster);
  int zero = 0;
  int seven = 7;
  double t = 0;
  double mass = 3;
  Vector x{2, 0, 0};
  g6_open_(nullptr);
  EXPECT_EQ(g6_set_ti_(nullptr, &t), 0);
  EXPECT_EQ(g6_set_j_particle_mxonly_(nullptr, &zero, &seven, &mass, x.data()), 0);
  EXPECT_NEAR(forces({{.index = 1}}, 1, 0).pot[0], -1.5, 1e-6);
  g6_close_(nullptr);
  EXPECT_EQ(g6_set_ti(kCluster, 0), -1);
}

TEST_F(Grape6, NullForAnArrayIsRefusedWhereItIsReadAndLeftOutWhereItIsWritten) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(g6_set_j_particle_mxonly(kCluster, 0, 1, 1.0, nullptr), -1);
  std::vector<Vector> zero(1);
  std::vector<Vector> acc(1);
  std::vector<double> number(1);
  std::vector<int> index{7};
  const auto second_half = [&](double* pot) {
    return g6calc_lasthalf(kCluster, 1, 1, index.data(), rows(zero), rows(zero), 0, nullptr, rows(acc), nullptr, pot);
  };
  g6calc_firsthalf(kCluster, 1, 1, index.data(), nullptr, rows(zero), nullptr, nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(second_half(number.data()), -1);
  EXPECT_TRUE(std::isnan(number[0]) && std::isnan(acc[0][0]));
  g6calc_firsthalf(kCluster, 1, 1, index.data(), rows(zero), rows(zero), nullptr, nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(second_half(nullptr), 0);
  EXPECT_NEAR(acc[0][0], 1, 1e-6);
}

TEST_F(Grape6, ArraysMayChangeBetweenTheHalves) {
  const std::vector<Particle> all = cloud(1024, 5);
  send(all);
  g6_set_ti(kCluster, 0);
  const Answer expected = forces(all, 1024, 1e-4);
  auto [index, x, v] = arrays_of(all);
  std::vector<double> h2(all.size());
  Answer found{
      std::vector<Vector>(all.size()), std::vector<Vector>(all.size()), std::vector<double>(all.size()), {}, 0};
  g6calc_firsthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), rows(found.acc), rows(found.jerk),
                   found.pot.data(), 1e-4, h2.data());
  std::ranges::fill(index, 1);
  std::ranges::fill(x, Vector{});
  std::ranges::fill(v, Vector{});
  EXPECT_EQ(g6calc_lasthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), 1e-4, h2.data(), rows(found.acc),
                            rows(found.jerk), found.pot.data()),
            0);
  EXPECT_EQ(found.acc, expected.acc);
  EXPECT_EQ(found.jerk, expected.jerk);
  EXPECT_EQ(found.pot, expected.pot);
}

TEST_F(Grape6, ASecondHalfWithoutAFirstGivesNoNumbers) {
  g6_reset(kCluster);
  std::vector<Vector> x(1);
  std::vector<double> number(1);
  std::vector<int> index(1);
  EXPECT_EQ(g6calc_lasthalf(kCluster, 1, 1, index.data(), rows(x), rows(x), 0, number.data(), rows(x), rows(x),
                            number.data()),
            -1);
  EXPECT_TRUE(std::isnan(number[0]));
  EXPECT_EQ(g6_read_neighbour_list(kCluster), -1);
}

TEST_F(Grape6, AForkedChildOpensABoardOfItsOwn) {
  send(cloud(512, 1));
  g6_set_ti(kCluster, 0);
  static_cast<void>(forces(cloud(256, 1), 512, 1e-4));
  const pid_t child = fork();
  if (child == 0) {
    // What the parent opened is not the child's; what it opens itself works.
    if (g6_set_ti(kCluster, 0) != -1) _exit(1);
    g6_open(kCluster);
    double x[3] = {1, 0, 0};
    if (g6_set_j_particle_mxonly(kCluster, 0, 1, 1.0, x) != 0) _exit(2);
    g6_set_ti(kCluster, 0);
    const double pot = forces({{.index = 7}}, 1, 0).pot[0];
    _exit(std::abs(pot + 1) < 1e-6 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gdr::g6_testing
