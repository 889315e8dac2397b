// Known problems on the board that take seconds: an eccentric binary and Plummer spheres of 64 and 128.
#include "board_problems.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"
#include "slowed_down.h"

namespace gdr::hostlib::testing {
namespace {

using tests::kSlowedDown;

// Ten periods of e = 0.9.
double binary_energy_error(const char* kernel, double eta) {
  BoardSystem system(binary(0.9), {eta, 0.0}, kernel);
  const double error = std::fabs(system.energy_error(system.at(kSlowedDown ? 12.625 : 62.875)));
  tell("binary, e = 0.9, ten periods", (kernel + std::string(", eta ") + std::to_string(eta)).c_str(), error);
  return error;
}

TEST(BinaryOnBoard, KeepsItsEnergyAtFourthOrderInLongProducts) {
  const char* const kernel = "gravity_jerk_long";
  const double e20 = binary_energy_error(kernel, 0.2);
  const double e10 = binary_energy_error(kernel, 0.1);
  const double e05 = binary_energy_error(kernel, 0.05);
  EXPECT_LE(e20, 2e-4);
  EXPECT_LE(e10, 5e-6);
  EXPECT_LE(e05, 2e-7);
  EXPECT_GE(e20, 12.0 * e10);
  EXPECT_GE(e10, 12.0 * e05);
}

// Short words add some 1e-6 of noise, which hides what a smaller eta than 0.1 would gain.
TEST(BinaryOnBoard, KeepsItsEnergyInShortWordsDownToTheirNoise) {
  if (kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  const double e20 = binary_energy_error("gravity_jerk", 0.2);
  const double e10 = binary_energy_error("gravity_jerk", 0.1);
  EXPECT_LE(e20, 2e-4);
  EXPECT_LE(e10, 5e-6);
  EXPECT_GE(e20, 12.0 * e10);
  EXPECT_LE(binary_energy_error("gravity_jerk", 0.05), 5e-6);
}

class SphereOnBoard : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint64_t>> {};

TEST_P(SphereOnBoard, KeepsEnergyMomentaAndEquilibrium) {
  const auto [n, seed] = GetParam();
  const double t_end = kSlowedDown ? 0.125 : 1.0;
  const Particles start = make_plummer(n, seed);
  BoardSystem system(start, {0.1, 0.01});
  const Particles end = system.at(t_end);
  DirectForce direct;
  HermiteIntegrator exact(direct, start, {0.1, 0.01});
  exact.evolve(t_end);
  const double q = energy(end, 0.01).virial_ratio();
  const double momentum_error = norm(momentum(end) - momentum(start));
  const double angular_error = norm(angular_momentum(end) - angular_momentum(start));
  const std::string name = "Plummer sphere of " + std::to_string(n) + ", seed " + std::to_string(seed);
  tell(name.c_str(), "dE/E", system.energy_error(end));
  tell(name.c_str(), "dP", momentum_error);
  tell(name.c_str(), "dL", angular_error);
  tell(name.c_str(), "dQ", q - energy(start, 0.01).virial_ratio());
  EXPECT_LE(std::fabs(system.energy_error(end)), 2e-7);
  EXPECT_LE(momentum_error, 1e-6);
  EXPECT_LE(angular_error, 1e-6);
  // Small spheres breathe; they do so on the board as in doubles.
  EXPECT_NEAR(q, energy(exact.particles_at(t_end), 0.01).virial_ratio(), 1e-5);
  if (n >= 256) {
    EXPECT_NEAR(q, energy(start, 0.01).virial_ratio(), 0.03);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SphereOnBoard,
                         ::testing::Combine(::testing::Values(64U, 128U, 256U),
                                            ::testing::Range(std::uint64_t{1}, std::uint64_t{kSlowedDown ? 2 : 5})),
                         [](const auto& sphere) {
                           return "N" + std::to_string(std::get<0>(sphere.param)) + "Seed" +
                                  std::to_string(std::get<1>(sphere.param));
                         });

TEST(SphereOnBoardOf64, LosesLessEnergyWithHalfTheSteps) {
  if (kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  constexpr double t_end = 1;
  std::array<double, 2> error{};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Particles start = make_plummer(64, seed);
    for (std::size_t k = 0; k < error.size(); ++k) {
      BoardSystem system(start, {k == 0 ? 0.1 : 0.05, 0.01});
      error[k] += std::fabs(system.energy_error(system.at(t_end)));
    }
  }
  tell("Plummer spheres of 64, four seeds", "sum of |dE/E|, eta 0.1", error[0]);
  tell("Plummer spheres of 64, four seeds", "sum of |dE/E|, eta 0.05", error[1]);
  EXPECT_GE(error[0], 4.0 * error[1]);
}

// A particle twice in a sphere without softening. The board predicts j with other words than the host predicts i, so
// only particles that are left out of each other's sums are at a distance of exactly 0 at all times.
class TwinsOnBoard : public ::testing::TestWithParam<std::string> {};

TEST_P(TwinsOnBoard, DoNotFeelEachOther) {
  const double t_end = kSlowedDown ? 0.0625 : 0.25;
  Particles start = make_plummer(32, 1);
  for (const std::size_t k : {0U, 20U, 0U}) {
    start.push_back(static_cast<std::int64_t>(start.size()), start.mass[k], start.position[k], start.velocity[k]);
  }
  for (const double eps : {0.0, 1e-12}) {
    BoardSystem system(start, {0.1, eps}, GetParam());
    DirectForce direct;
    HermiteIntegrator exact(direct, start, {0.1, eps});
    exact.evolve(t_end);
    const Particles end = system.at(t_end);
    for (const auto& [twin, of] : {std::pair{32U, 0U}, {33U, 20U}, {34U, 0U}}) {
      EXPECT_EQ(end.position[twin], end.position[of]);
      EXPECT_EQ(end.velocity[twin], end.velocity[of]);
    }
    // Noise of short words: sums of a sphere that stays the same to some 1e-7.
    EXPECT_LE(std::fabs(system.energy_error(end)), 1e-6);
    EXPECT_NEAR(static_cast<double>(system.counters().steps) / static_cast<double>(exact.counters().steps), 1.0, 0.02);
    const Particles reference = exact.particles_at(t_end);
    for (std::size_t k = 0; k < end.size(); ++k) {
      EXPECT_LE(norm(end.position[k] - reference.position[k]), 1e-6) << "particle " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TwinsOnBoard,
                         ::testing::Values("gravity_jerk", "gravity_jerk_long", "gravity_jerk_2009"),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace gdr::hostlib::testing
