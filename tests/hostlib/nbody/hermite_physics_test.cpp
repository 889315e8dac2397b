// What the integrator must get right whatever its inner workings: conserved quantities, orders, known orbits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::binary;

struct Outcome {
  Particles end;
  double energy_error;  // (E(t) - E(0)) / |E(0)|
};

Outcome run(const Particles& start, const HermiteOptions& options, double t_end) {
  DirectForce force;
  HermiteIntegrator integrator(force, start, options);
  integrator.evolve(t_end);
  Particles end = integrator.particles_at(t_end);
  const double before = energy(start, options.eps).total();
  const double after = energy(end, options.eps).total();
  return {std::move(end), (after - before) / std::fabs(before)};
}

double half_mass_radius(const Particles& p) {
  const std::array half = {0.5};
  return lagrangian_radii(p, half, centre_of_mass(p))[0];
}

class PlummerSphere : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PlummerSphere, KeepsEnergyMomentaAndSizeOverOneTimeUnit) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const Particles start = make_plummer(GetParam(), seed);
    const Outcome r = run(start, {0.1, 0.01}, 1.0);
    EXPECT_LE(std::fabs(r.energy_error), 2e-7);
    EXPECT_LE(norm(momentum(r.end)), 1e-6);
    EXPECT_LE(norm(angular_momentum(r.end) - angular_momentum(start)), 1e-6);
    // A third of a crossing time in equilibrium; r50 of N = 64 scatters by 10 %. A repelling force, which conserves an
    // energy as well, would blow the sphere up to 1.5 times its size.
    EXPECT_NEAR(half_mass_radius(r.end) / half_mass_radius(start), 1.0, 0.2);
    EXPECT_NEAR(energy(r.end, 0.01).virial_ratio(), 0.5, 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PlummerSphere, ::testing::Values(64U, 128U));

TEST(Hermite, HalvingEtaLowersTheEnergyErrorOfASphere) {
  std::array<double, 2> error{};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Particles start = make_plummer(64, seed);
    error[0] += std::fabs(run(start, {0.1, 0.01}, 1.0).energy_error);
    error[1] += std::fabs(run(start, {0.05, 0.01}, 1.0).energy_error);
  }
  EXPECT_GE(error[0], 4.0 * error[1]);
}

// Ten periods of e = 0.9. A fourth-order scheme gains 2^4 in a halving; the bars on size and ratio leave room for the
// powers of two that steps are rounded to.
TEST(Hermite, EccentricBinaryConvergesAtFourthOrder) {
  const Particles start = binary(0.9);
  const double t_end = 62.875;
  const double e20 = std::fabs(run(start, {0.2, 0.0}, t_end).energy_error);
  const double e10 = std::fabs(run(start, {0.1, 0.0}, t_end).energy_error);
  const double e05 = std::fabs(run(start, {0.05, 0.0}, t_end).energy_error);
  EXPECT_LE(e20, 2e-4);
  EXPECT_LE(e10, 5e-6);
  EXPECT_LE(e05, 2e-7);
  EXPECT_GE(e20, 12.0 * e10);
  EXPECT_GE(e10, 12.0 * e05);
}

TEST(Hermite, CircularOrbitReturnsAfterAPeriod) {
  const Particles start = binary(0.0);
  const double t_end = 2.0 * std::numbers::pi;
  const Outcome r = run(start, {0.02, 0.0}, t_end);
  EXPECT_LT(norm(r.end.position[0] - start.position[0]), 1e-6);
  EXPECT_LT(norm(r.end.velocity[0] - start.velocity[0]), 1e-6);
}

// Two bodies at rest at distance d fall along r = d (1 + cos E) / 2, t = sqrt(d^3 / 8M) (E + sin E).
TEST(Hermite, PairAtRestFallsTogetherOnKeplersOrbit) {
  Particles start;
  start.push_back(0, 0.75, {1.0, 0.0, 0.0}, {});
  start.push_back(1, 0.25, {-1.0, 0.0, 0.0}, {});
  const double anomaly = 2.0;
  const double t = anomaly + std::sin(anomaly);  // d = 2, M = 1
  const Outcome r = run(start, {0.02, 0.0}, t);
  EXPECT_NEAR(norm(r.end.position[0] - r.end.position[1]), 1.0 + std::cos(anomaly), 1e-6);
  EXPECT_NEAR(norm(centre_of_mass(r.end) - centre_of_mass(start)), 0.0, 1e-12);
}

// Pythagorean problem (Burrau 1913; Szebehely & Peters 1967). Positions are converged values from runs with eta =
// 0.005, good to the digits given.
TEST(Hermite, PythagoreanProblemIsFollowedThroughItsCloseEncounters) {
  Particles start;
  start.push_back(3, 3.0, {1.0, 3.0, 0.0}, {});
  start.push_back(4, 4.0, {-2.0, -1.0, 0.0}, {});
  start.push_back(5, 5.0, {1.0, -1.0, 0.0}, {});
  DirectForce force;
  HermiteIntegrator integrator(force, start, {0.02, 0.0});
  const double before = energy(start, 0.0).total();
  const auto positions_at = [&](double t) {
    integrator.evolve(t);
    const Particles p = integrator.particles_at(t);
    EXPECT_LE(std::fabs(energy(p, 0.0).total() - before) / std::fabs(before), 1e-7);
    return p.position;
  };
  const std::vector<Vec3> at10 = positions_at(10.0);
  EXPECT_LT(norm(at10[0] - Vec3{0.77848, 0.14139, 0.0}), 1e-5);
  EXPECT_LT(norm(at10[1] - Vec3{-2.02509, 0.09722, 0.0}), 1e-5);
  EXPECT_LT(norm(at10[2] - Vec3{1.15299, -0.16261, 0.0}), 1e-5);
  EXPECT_LT(norm(positions_at(20.0)[0] - Vec3{3.00429, 0.51193, 0.0}), 1e-4);
  EXPECT_LT(norm(positions_at(40.0)[0] - Vec3{-0.62200, 1.85832, 0.0}), 2e-3);
}

// Shells of a uniform sphere (R = M = 1) at rest fall as one: r / r0 = (1 + cos E) / 2 with t = (E + sin E) / sqrt(8),
// until they cross at 1.11. A sample of 256 scatters by some percent and its lumps hold the collapse up a little.
TEST(Hermite, ColdSphereCollapsesInItsFreeFallTime) {
  std::mt19937_64 generator(2);
  const auto uniform = [&] { return 2.0 * static_cast<double>(generator() >> 11) * 0x1p-53 - 1.0; };
  Particles start;
  while (start.size() < 256) {
    const Vec3 x{uniform(), uniform(), uniform()};
    if (dot(x, x) <= 1.0) start.push_back(static_cast<std::int64_t>(start.size()), 1.0 / 256.0, x, {});
  }
  const Outcome r = run(start, {0.1, 0.01}, 1.0);
  double low = 0.0;
  double high = std::numbers::pi;
  while (high - low > 1e-12) {  // E + sin E grows with E
    const double middle = 0.5 * (low + high);
    (middle + std::sin(middle) < std::sqrt(8.0) ? low : high) = middle;
  }
  const double anomaly = low;
  const double shrunk = (1.0 + std::cos(anomaly)) / 2.0;
  EXPECT_NEAR(half_mass_radius(r.end) / half_mass_radius(start), shrunk, 0.25 * shrunk);
  EXPECT_LE(std::fabs(r.energy_error), 1e-5);
}

// Powers of time up to the third are what a fourth-order Hermite step integrates exactly; the snap at the end of the
// step is the second derivative there.
TEST(Hermite, AccelerationCubicInTimeIsIntegratedExactly) {
  class Cubic final : public ForceBackend {
   public:
    void set_j_count(std::size_t) override {}
    void set_j_particles(std::span<const std::size_t>, std::span<const JParticle>) override {}
    void set_time(double t) override { t_ = t; }
    std::vector<Force> evaluate(std::span<const IParticle>, double) override {
      return {{{1.0 + t_, t_ * t_ / 2.0, t_ * t_ * t_ / 6.0}, {1.0, t_, t_ * t_ / 2.0}, -1.0}};
    }

   private:
    double t_ = 0.0;
  } force;
  Particles start;
  start.push_back(0, 1.0, {}, {});
  HermiteIntegrator integrator(force, start, {});
  const double t = 2.0;
  integrator.evolve(t);
  ASSERT_EQ(integrator.predicted_at(t), 0U);
  const HermiteBody& b = integrator.state().bodies[0];
  const auto power = [&](int n) { return std::pow(t, n) / std::tgamma(n + 1.0); };
  EXPECT_LT(norm(b.x - Vec3{power(2) + power(3), power(4), power(5)}), 1e-13);
  EXPECT_LT(norm(b.v - Vec3{power(1) + power(2), power(3), power(4)}), 1e-13);
  EXPECT_LT(norm(b.snap - Vec3{0.0, 1.0, t}), 1e-9);  // a difference of forces over dt^2
}

TEST(Hermite, LoneParticleMovesStraightOn) {
  Particles start;
  start.push_back(9, 1.0, {1.0, 2.0, 3.0}, {0.5, -1.0, 0.25});
  DirectForce force;
  HermiteIntegrator integrator(force, start, {});
  integrator.evolve(2.0);
  EXPECT_EQ(integrator.particles_at(2.0).position[0], (Vec3{2.0, 0.0, 3.5}));
  EXPECT_EQ(integrator.counters().block_steps, 16U);
}

}  // namespace
}  // namespace gdr::hostlib
