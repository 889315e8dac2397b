// libg5 as a tree code sees it, against sums in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "gp5util.h"

extern "C" {
void g5_set_eta_(double*);
int g5_get_number_of_cards_();
void g5_calculate_force_on_x_(double (*)[3], double (*)[3], double*, int*);
void g5_calculate_force_on_xe_(double (*)[3], double*, double (*)[3], double*, int*);
void g5_set_xei_(int*, double (*)[3], double*);
void g5_set_eps_(int*, double*);
void g5_openmc_(int*);
void g5_set_xjmc_(int*, int*, int*, double (*)[3]);
void g5_set_mjmc_(int*, int*, int*, double*);
void g5_set_nmc_(int*, int*);
void g5_set_eps_to_allmc_(int*, double*);
void g5_calculate_force_on_xmc_(int*, double (*)[3], double (*)[3], double*, int*);
void g5_closemc_(int*);
}

namespace {

using Vector = std::array<double, 3>;

double (*rows(std::vector<Vector>& vectors))[3] { return reinterpret_cast<double(*)[3]>(vectors.data()); }

struct Cloud {
  std::vector<Vector> x;
  std::vector<double> m;
};

Cloud cloud(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Cloud cloud{std::vector<Vector>(n), std::vector<double>(n)};
  for (Vector& x : cloud.x) {
    for (double& component : x) component = normal(random);
  }
  for (double& m : cloud.m) m = 0.5 + std::abs(normal(random));
  return cloud;
}

struct Force {
  Vector a{};
  double p = 0;
};

/// Sum in double; pairs at r = 0 count in the softened potential alone.
Force summed(const Vector& x, const Cloud& sources, double eps) {
  Force force;
  for (std::size_t j = 0; j < sources.x.size(); ++j) {
    Vector d{};
    double r2 = eps * eps;
    for (int k = 0; k < 3; ++k) {
      d[k] = sources.x[j][k] - x[k];
      r2 += d[k] * d[k];
    }
    if (r2 == 0) continue;
    const double r = std::sqrt(r2);
    for (int k = 0; k < 3; ++k) force.a[k] += sources.m[j] * d[k] / (r2 * r);
    force.p += sources.m[j] / r;
  }
  return force;
}

class Grape5 : public testing::Test {
 protected:
  Grape5() { g5_open(); }
  ~Grape5() override { g5_close(); }

  static void expect_forces(const std::vector<Vector>& a, const std::vector<double>& p, const Cloud& targets,
                            const Cloud& sources, double eps) {
    for (std::size_t n = 0; n < targets.x.size(); ++n) {
      const Force exact = summed(targets.x[n], sources, eps);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[n][k], exact.a[k], 2e-6 * std::abs(exact.p)) << n;
      EXPECT_NEAR(p[n], exact.p, 1e-6 * std::abs(exact.p)) << n;
    }
  }
};

TEST_F(Grape5, GivesForcesWithThePotentialPositive) {
  Cloud sources = cloud(500, 1);
  g5_set_range(-10, 10, 1e-3);
  for (const double eps : {0.0, 0.05}) {
    g5_set_eps_to_all(eps);
    g5_set_n(500);
    g5_set_xmj(0, 500, rows(sources.x), sources.m.data());
    std::vector<Vector> a(500);
    std::vector<double> p(500);
    g5_calculate_force_on_x(rows(sources.x), rows(a), p.data(), 500);  // the particles themselves among the sources
    expect_forces(a, p, sources, sources, eps);
  }
}

TEST_F(Grape5, HasOneCardAndTellsThatNothingIsCutOff) {
  int cards[2] = {7, 7};
  g5_set_cards(cards);
  g5_get_cards(cards);
  EXPECT_EQ(cards[0], 1);
  EXPECT_EQ(cards[1], 7);
  EXPECT_EQ(g5_get_number_of_cards(), 1);
  EXPECT_EQ(g5_get_number_of_cards_(), 1);
  testing::internal::CaptureStderr();
  g5_set_eta(0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  double eta = 0.5;
  g5_set_eta(eta);
  g5_set_eta_(&eta);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "libg5: g5_set_eta has no effect: forces have no cutoff and reach to any distance\n");
}

TEST_F(Grape5, HalvesAndFortranGiveTheSameBits) {
  Cloud sources = cloud(100, 2);
  g5_set_eps_to_all(0.01);
  g5_set_n(100);
  g5_set_xmj(0, 100, rows(sources.x), sources.m.data());
  std::vector<Vector> a(100);
  std::vector<double> p(100);
  g5_calculate_force_on_x(rows(sources.x), rows(a), p.data(), 100);
  std::vector<Vector> other(100);
  std::vector<double> other_p(100);
  g5_set_xi(100, rows(sources.x));
  g5_run();
  g5_get_force(100, rows(other), other_p.data());
  EXPECT_EQ(a, other);
  EXPECT_EQ(p, other_p);
  int n = 100;
  g5_calculate_force_on_x_(rows(sources.x), rows(other), other_p.data(), &n);
  EXPECT_EQ(a, other);
}

TEST_F(Grape5, PositionsAndMassesAreWrittenOneByOne) {
  Cloud sources = cloud(30, 6);
  g5_set_eps_to_all(0.01);
  g5_set_n(30);
  g5_set_mj(0, 30, sources.m.data());
  g5_set_xj(0, 30, rows(sources.x));
  Cloud targets = cloud(5, 4);
  std::vector<Vector> a(5);
  std::vector<double> p(5);
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  expect_forces(a, p, targets, sources, 0.01);
  // Each keeps what the other one wrote; the rest of the memory keeps both.
  sources.m[7] = 3;
  sources.x[20] = {1, 2, 3};
  g5_set_mj(7, 1, &sources.m[7]);
  g5_set_xj(20, 1, rows(sources.x) + 20);
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  expect_forces(a, p, targets, sources, 0.01);
  // A refused mass is not made good by a position.
  double wrong = std::numeric_limits<double>::quiet_NaN();
  testing::internal::CaptureStderr();
  g5_set_mj(3, 1, &wrong);
  g5_set_xj(3, 1, rows(sources.x) + 3);
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(std::isnan(p[0]));
  g5_set_mj(3, 1, &sources.m[3]);
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  expect_forces(a, p, targets, sources, 0.01);
}

TEST_F(Grape5, ASofteningOfOneDeviceHoldsUntilTheNextOfAll) {
  Cloud sources = cloud(30, 7);
  Cloud targets = cloud(5, 4);
  std::vector<Vector> a(5);
  std::vector<double> p(5);
  int device = 9, begin = 0, n = 30, few = 5;
  double eps = 0.5;
  g5_openmc_(&device);
  g5_set_eps_to_all(0.01);
  g5_set_nmc_(&device, &n);
  g5_set_xjmc_(&device, &begin, &n, rows(sources.x));
  g5_set_mjmc_(&device, &begin, &n, sources.m.data());
  const auto expect = [&](double softening) {
    g5_calculate_force_on_xmc_(&device, rows(targets.x), rows(a), p.data(), &few);
    expect_forces(a, p, targets, sources, softening);
  };
  expect(0.01);
  g5_set_eps_to_allmc_(&device, &eps);
  expect(0.5);
  g5_set_n(30);
  g5_set_xmj(0, 30, rows(sources.x), sources.m.data());
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  expect_forces(a, p, targets, sources, 0.01);  // of device 0
  g5_set_eps_to_all(0.02);
  expect(0.02);
  g5_closemc_(&device);
  g5_set_nMC(device, 0);  // a new device, which holds nothing
  g5_calculate_force_on_xMC(device, rows(targets.x), rows(a), p.data(), 5);
  EXPECT_EQ(p[0], 0);
}

TEST_F(Grape5, AddressesArePlacesInMemory) {
  Cloud sources = cloud(30, 3);
  g5_set_eps_to_all(0.01);
  g5_set_xmj(0, 10, rows(sources.x), sources.m.data());
  g5_set_xmj(10, 20, rows(sources.x) + 10, sources.m.data() + 10);
  g5_set_n(30);
  Cloud targets = cloud(5, 4);
  std::vector<Vector> a(5);
  std::vector<double> p(5);
  g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 5);
  expect_forces(a, p, targets, sources, 0.01);
  EXPECT_GE(g5_get_jmemsize(), 65536);
  EXPECT_EQ(g5_get_number_of_pipelines(), 128);
}

TEST_F(Grape5, DevicesWorkForThreadsOfTheirOwn) {
  g5_set_eps_to_all(0.02);
  std::vector<std::thread> threads;
  for (int device = 0; device < 4; ++device) {
    threads.emplace_back([device] {
      Cloud sources = cloud(200, 10 + static_cast<unsigned>(device));
      Cloud targets = cloud(40, 20);
      for (int turn = 0; turn < 3; ++turn) {
        g5_set_nMC(device, 200);
        g5_set_xmjMC(device, 0, 200, rows(sources.x), sources.m.data());
        std::vector<Vector> a(40);
        std::vector<double> p(40);
        g5_calculate_force_on_xMC(device, rows(targets.x), rows(a), p.data(), 40);
        expect_forces(a, p, targets, sources, 0.02);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Grape5, WhatIsWrongGivesNoNumbers) {
  Cloud sources = cloud(2, 5);
  g5_set_eps_to_all(0.01);
  g5_set_n(2);
  g5_set_xmj(0, 2, rows(sources.x), sources.m.data());
  std::vector<Vector> x{{std::numeric_limits<double>::infinity(), 0, 0}};
  std::vector<Vector> a(1);
  std::vector<double> p(1);
  g5_calculate_force_on_x(rows(x), rows(a), p.data(), 1);
  EXPECT_TRUE(std::isnan(a[0][0]) && std::isnan(p[0]));
  g5_calculate_force_on_xMC(64, rows(sources.x), rows(a), p.data(), 1);
  EXPECT_TRUE(std::isnan(a[0][2]));
  g5_calculate_force_on_x(rows(sources.x), rows(a), p.data(), 1);
  EXPECT_FALSE(std::isnan(a[0][0]));
}

// Functions of GRAPE-5 return nothing, so no force may come from what was there before something refused.
TEST_F(Grape5, NothingIsComputedWithWhatWasThereBeforeSomethingRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Cloud sources = cloud(4, 6);
  Cloud targets = cloud(1, 7);
  std::vector<Vector> a(1);
  std::vector<double> p(1);
  const auto is_computed = [&] {
    g5_calculate_force_on_x(rows(targets.x), rows(a), p.data(), 1);
    return !std::isnan(a[0][0]) && !std::isnan(p[0]);
  };
  g5_set_eps_to_all(0.01);
  g5_set_n(3);
  g5_set_xmj(0, 4, rows(sources.x), sources.m.data());
  ASSERT_TRUE(is_computed());

  Cloud broken = sources;
  broken.m[1] = kNan;
  g5_set_xmj(0, 4, rows(broken.x), broken.m.data());
  EXPECT_FALSE(is_computed());
  g5_set_xmj(0, 2, rows(sources.x), sources.m.data());
  EXPECT_FALSE(is_computed()) << "the particle at address 2 was never set again";
  g5_set_xmj(2, 1, rows(sources.x) + 2, sources.m.data() + 2);
  EXPECT_TRUE(is_computed()) << "nobody asks for the particle at address 3";
  g5_set_n(4);
  EXPECT_FALSE(is_computed());
  g5_set_xmj(3, 1, rows(sources.x) + 3, sources.m.data() + 3);
  EXPECT_TRUE(is_computed());

  for (const int n : {-1, g5_get_jmemsize() + 1}) {
    g5_set_n(n);
    EXPECT_FALSE(is_computed()) << n;
  }
  g5_set_n(4);
  g5_set_xmj(g5_get_jmemsize(), 1, rows(sources.x), sources.m.data());  // a place that there is not
  EXPECT_TRUE(is_computed());
  expect_forces(a, p, targets, sources, 0.01);
  for (const double eps : {kNan, std::numeric_limits<double>::infinity()}) {
    g5_set_eps_to_all(eps);
    EXPECT_FALSE(is_computed()) << eps;
  }
  g5_set_eps_to_all(0.01);
  EXPECT_TRUE(is_computed());

  // In halves: the run before must not stand in for the one that was refused.
  std::vector<Vector> nowhere{{0, kNan, 0}};
  g5_set_xi(1, rows(nowhere));
  g5_run();
  g5_get_force(1, rows(a), p.data());
  EXPECT_TRUE(std::isnan(a[0][0]) && std::isnan(p[0]));
}

TEST_F(Grape5, ForcesWithoutARunAreNoNumbers) {
  std::vector<Vector> a(1);
  std::vector<double> p(1);
  g5_close();  // of a device without a past
  g5_open();
  g5_get_force(1, rows(a), p.data());
  EXPECT_TRUE(std::isnan(a[0][0]) && std::isnan(p[0]));
}

TEST_F(Grape5, OpenTwiceKeepsWhatTheBoardHolds) {
  Cloud sources = cloud(100, 8);
  std::vector<Vector> a(100);
  std::vector<double> p(100);
  const auto forces = [&] {
    g5_set_xi(100, rows(sources.x));
    g5_run();
    g5_get_force(100, rows(a), p.data());
    return a;
  };
  g5_set_eps_to_all(0.01);
  g5_set_n(100);
  g5_set_xmj(0, 100, rows(sources.x), sources.m.data());
  const std::vector<Vector> expected = forces();
  g5_open();
  EXPECT_EQ(forces(), expected);
  g5_close();  // once is enough
  forces();
  EXPECT_EQ(a[0][0], 0) << "a board opened anew holds no particles";
}

class SofteningOfEach : public Grape5 {
 protected:
  static constexpr int kTargets = 150;
  SofteningOfEach() {
    g5_set_eps_to_all(kOfAll);
    for (const int device : {0, 1}) {
      g5_set_nMC(device, 300);
      g5_set_xmjMC(device, 0, 300, rows(sources_.x), sources_.m.data());
    }
    for (int n = 0; n < kTargets; ++n) eps_.push_back(n % 10 == 0 ? 0 : 0.01 * (1 + n % 7));
    for (const double eps : eps_) eps2_.push_back(eps * eps);
  }

  /// Of the last results, against sums in double; the first `own` have a softening of their own.
  void expect_softened(int own) {
    for (int n = 0; n < kTargets; ++n) {
      expect_forces({a_[n]}, {p_[n]}, {{targets_.x[n]}, {1}}, sources_, n < own ? eps_[n] : kOfAll);
    }
    std::fill(p_.begin(), p_.end(), 0);
  }

  static constexpr double kOfAll = 0.3;
  Cloud sources_ = cloud(300, 30);
  Cloud targets_ = cloud(kTargets, 31);
  std::vector<double> eps_;
  std::vector<double> eps2_;
  std::vector<Vector> a_ = std::vector<Vector>(kTargets);
  std::vector<double> p_ = std::vector<double>(kTargets);
};

TEST_F(SofteningOfEach, StandsInTheForces) {
  g5_calculate_force_on_xe(rows(targets_.x), eps2_.data(), rows(a_), p_.data(), kTargets);
  expect_softened(kTargets);
  g5_calculate_force_on_xeMC(1, rows(targets_.x), eps2_.data(), rows(a_), p_.data(), kTargets);
  expect_softened(kTargets);
  g5_set_xei(kTargets, rows(targets_.x), eps2_.data());
  g5_run();
  g5_get_force(kTargets, rows(a_), p_.data());
  expect_softened(kTargets);
  g5_set_xeiMC(1, kTargets, rows(targets_.x), eps2_.data());
  g5_runMC(1);
  g5_get_forceMC(1, kTargets, rows(a_), p_.data());
  expect_softened(kTargets);
  int n = kTargets;
  g5_calculate_force_on_xe_(rows(targets_.x), eps2_.data(), rows(a_), p_.data(), &n);
  expect_softened(kTargets);
  g5_set_xei_(&n, rows(targets_.x), eps2_.data());
  g5_run();
  g5_get_force(kTargets, rows(a_), p_.data());
  expect_softened(kTargets);
}

TEST_F(SofteningOfEach, IsThatOfAllWhereNoneIsSet) {
  g5_set_xi(kTargets, rows(targets_.x));
  g5_set_eps(100, eps_.data());
  g5_run();
  g5_get_force(kTargets, rows(a_), p_.data());
  expect_softened(100);
  int few = 3;
  g5_set_eps_(&few, eps_.data());
  g5_run();
  g5_get_force(kTargets, rows(a_), p_.data());
  expect_softened(3);
  g5_set_xiMC(1, kTargets, rows(targets_.x));
  g5_set_epsMC(1, kTargets, eps_.data());
  g5_runMC(1);
  g5_get_forceMC(1, kTargets, rows(a_), p_.data());
  expect_softened(kTargets);
  g5_calculate_force_on_x(rows(targets_.x), rows(a_), p_.data(), kTargets);  // other i-particles have none of their own
  expect_softened(0);
}

TEST_F(SofteningOfEach, GivesNoNumbersIfOneIsRefused) {
  for (const double wrong :
       {-1e-4, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> eps2 = eps2_;
    eps2[77] = wrong;
    g5_calculate_force_on_xe(rows(targets_.x), eps2.data(), rows(a_), p_.data(), kTargets);
    EXPECT_TRUE(std::isnan(a_[0][0]) && std::isnan(p_[149])) << wrong;
  }
  g5_set_xi(2, rows(targets_.x));
  g5_set_eps(3, eps_.data());  // of one more than there are
  g5_run();
  g5_get_force(2, rows(a_), p_.data());
  EXPECT_TRUE(std::isnan(p_[0]) && std::isnan(p_[1]));
  g5_set_eps(2, eps_.data());
  g5_run();
  g5_get_force(2, rows(a_), p_.data());
  EXPECT_FALSE(std::isnan(p_[0]) || std::isnan(p_[1]));
}

TEST_F(Grape5, NullOutputsAreNotWrittenAndNullInputsAreRefused) {
  Cloud sources = cloud(5, 10);
  Cloud targets = cloud(2, 11);
  std::vector<Vector> a(2);
  std::vector<double> p(2);
  std::vector<double> eps2{0.01, 0.01};
  const auto computes = [&] {
    g5_run();
    g5_get_force(2, rows(a), p.data());
    return !std::isnan(a[0][0]) && !std::isnan(p[0]);
  };
  g5_set_n(5);
  g5_set_eps_to_all(0.1);
  g5_set_xmj(0, 5, rows(sources.x), sources.m.data());
  g5_set_xi(2, rows(targets.x));
  ASSERT_TRUE(computes());
  const std::vector<Vector> a_before = a;
  const std::vector<double> p_before = p;
  g5_get_force(2, nullptr, p.data());
  g5_get_force(2, rows(a), nullptr);
  EXPECT_EQ(a, a_before);
  EXPECT_EQ(p, p_before);
  g5_set_xi(2, nullptr);
  EXPECT_FALSE(computes());
  g5_get_force(2, nullptr, nullptr);
  g5_set_xei(2, rows(targets.x), nullptr);
  EXPECT_FALSE(computes());
  g5_set_xei(2, rows(targets.x), eps2.data());
  EXPECT_TRUE(computes());
  g5_set_xmj(0, 5, nullptr, sources.m.data());
  EXPECT_FALSE(computes());
  g5_set_xmj(0, 5, rows(sources.x), nullptr);
  EXPECT_FALSE(computes());
  g5_set_xmj(0, 5, rows(sources.x), sources.m.data());
  EXPECT_TRUE(computes());
}

TEST_F(Grape5, ArraysMayChangeWhileTheBoardWorks) {
  Cloud sources = cloud(1000, 8);
  Cloud targets = cloud(200, 9);
  const Cloud kept_sources = sources;
  const Cloud kept_targets = targets;
  g5_set_eps_to_all(0.01);
  g5_set_n(1000);
  g5_set_xmj(0, 1000, rows(sources.x), sources.m.data());
  g5_set_xi(200, rows(targets.x));
  g5_run();
  for (Cloud* cloud : {&sources, &targets}) std::ranges::fill(cloud->x, Vector{});
  std::vector<Vector> a(200);
  std::vector<double> p(200);
  g5_get_force(200, rows(a), p.data());
  expect_forces(a, p, kept_targets, kept_sources, 0.01);
}

}  // namespace
