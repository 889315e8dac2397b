#include "gdr/hostlib/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::kPlummerRadius;

Particles unequal_sphere(std::size_t n) {
  Particles p = make_plummer(n, 9);
  for (std::size_t k = 0; k < n; ++k) p.mass[k] *= 1.0 + static_cast<double>(k % 5);
  return p;
}

// Casertano & Hut's definition, sorting all distances.
Core core_by_definition(const Particles& p) {
  std::vector<double> density;
  for (std::size_t i = 0; i < p.size(); ++i) {
    std::vector<std::pair<double, double>> others;
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (j != i) others.emplace_back(norm(p.position[j] - p.position[i]), p.mass[j]);
    }
    std::sort(others.begin(), others.end());
    double mass = 0.0;
    for (std::size_t k = 0; k < 5; ++k) mass += others[k].second;
    density.push_back(mass / std::pow(others[5].first, 3));
  }
  Core core;
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += density[i];
    core.centre += density[i] * p.position[i];
  }
  core.centre *= 1.0 / sum;
  for (std::size_t i = 0; i < p.size(); ++i) core.radius += density[i] * norm(p.position[i] - core.centre) / sum;
  return core;
}

TEST(Core, IsThatOfTheDefinition) {
  for (const std::size_t n : {7U, 8U, 100U, 500U}) {
    const Particles p = unequal_sphere(n);
    const Core expected = core_by_definition(p);
    const Core core = core_of(p).value();
    EXPECT_NEAR(core.radius, expected.radius, 1e-13);
    EXPECT_LT(norm(core.centre - expected.centre), 1e-13);
  }
}

// The density radius of a Plummer sphere is the quotient of the integrals of rho^2 r^3 and rho^2 r^2, (1/24) / (5 pi /
// 256) scale radii. Standard error of the estimate with 16384 particles: about 1 %.
TEST(Core, RadiusOfAPlummerSphereIsTheAnalyticOne) {
  const Core core = core_of(make_plummer(16384, 2)).value();
  const double analytic = 256.0 / (120.0 * std::numbers::pi) * kPlummerRadius;
  EXPECT_NEAR(core.radius / analytic, 1.0, 0.04);
  EXPECT_LT(norm(core.centre), 0.04);
}

TEST(Core, MovesWithTheClusterAndNotWithOneThatFliesAway) {
  Particles p = make_plummer(500, 3);
  const Core before = core_of(p).value();
  const Vec3 far{100.0, -50.0, 3.0};
  p.position[7] += 1e4 * far;
  EXPECT_LT(norm(core_of(p).value().centre - before.centre), 0.05);
  EXPECT_GT(norm(centre_of_mass(p)), 1000.0);
  for (Vec3& x : p.position) x += far;
  EXPECT_LT(norm(core_of(p).value().centre - far - before.centre), 0.05);
}

TEST(Core, ThereIsNoneWithoutDensity) {
  EXPECT_FALSE(core_of(make_plummer(6, 1)));
  EXPECT_TRUE(core_of(make_plummer(7, 1)));
  Particles p = make_plummer(20, 1);
  std::fill(p.mass.begin(), p.mass.end(), 0.0);
  EXPECT_FALSE(core_of(p));
  p = make_plummer(20, 1);
  for (std::size_t k = 0; k < 7; ++k) p.position[k] = {1.0, 1.0, 1.0};
  EXPECT_FALSE(core_of(p));
}

TEST(BlockSizes, AreBinnedByPowersOfTwo) {
  HermiteCounters counters;
  counters.block_sizes = {0, 3, 1, 2, 5, 0};  // five particles
  EXPECT_EQ(block_size_histogram(counters), (std::vector<BlockSizeBin>{{1, 1, 3}, {2, 3, 3}, {4, 5, 5}}));
  EXPECT_TRUE(block_size_histogram({}).empty());
}

TEST(BackendPotential, IsTheParticlesEnergyAtTimesThatAllReach) {
  DirectForce force;
  const Particles start = unequal_sphere(100);
  HermiteIntegrator integrator(force, start, {});
  EXPECT_NEAR(integrator.backend_potential_energy(), potential_energy(start, 0.01), 1e-14);
  integrator.evolve(0.25);
  ASSERT_EQ(integrator.predicted_at(0.25), 0U);
  // What the corrector moved after the force: the error of the predictor, far below the step's own.
  const double expected = potential_energy(integrator.particles_at(0.25), 0.01);
  EXPECT_NEAR(integrator.backend_potential_energy() / expected, 1.0, 1e-7);
}

TEST(Samples, ComeBackFromTheirCsvWithEveryBit) {
  Sample sample;
  sample.t = 0.1;
  sample.energy = {1.0 / 3.0, -2.0 / 3.0};
  sample.counters.interactions = 9007199254740993U;
  sample.radii[2] = std::nextafter(1.0, 2.0);
  const std::vector<double> values = sample_values(sample);
  ASSERT_EQ(values.size(), sample_columns().size());
  const std::string text = sample_csv_header() + sample_csv_line(values) + sample_csv_line(values);
  const std::vector<std::vector<double>> rows = samples_from_csv(text, "log.csv");
  ASSERT_EQ(rows.size(), 2U);
  for (std::size_t n = 0; n < values.size(); ++n) {
    EXPECT_TRUE(rows[1][n] == values[n] || (std::isnan(rows[1][n]) && std::isnan(values[n]))) << sample_columns()[n];
  }
  sample.energy = {1.0, 0.0};  // an infinite virial ratio has no place in the log
  EXPECT_NE(sample_csv_line(sample_values(sample)).find("0.1,1,,,"), std::string::npos);
}

TEST(Samples, AForeignLogIsRefusedWithItsLine) {
  const std::string header = sample_csv_header();
  const auto refusal = [](const std::string& text) {
    return error_of([&] { (void)samples_from_csv(text, "log.csv"); });
  };
  EXPECT_NE(refusal("t,energy\n1,2\n").find("log.csv:1"), std::string::npos);
  EXPECT_NE(refusal(header + "1,2\n").find("log.csv:2: 2 fields"), std::string::npos);
  EXPECT_NE(refusal(header + sample_csv_line(sample_values({})) + "1,x\n").find("log.csv:3: 'x'"), std::string::npos);
}

}  // namespace
}  // namespace gdr::hostlib
