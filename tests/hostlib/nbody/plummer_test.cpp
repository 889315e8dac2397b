#include "gdr/hostlib/plummer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "largest.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::kPlummerRadius;

constexpr std::size_t kSample = 4096;
const double kRootSample = std::sqrt(static_cast<double>(kSample));
const Particles& sample() {
  static const Particles particles = make_plummer(kSample, 5);
  return particles;
}

TEST(Plummer, SeedOneHasTheBitsOfTheContract) {
  EXPECT_EQ(state_hash(make_plummer(1024, 1)), "ac2798d74ed76e35f0313a28d37c5be14dcefa6e7463f1d51a56ef99c266dc74");
}

TEST(Plummer, IsInHenonUnitsAndAtRest) {
  for (const std::size_t n : {2U, 3U, 256U}) {
    const Particles p = make_plummer(n, 11);
    ASSERT_EQ(p.size(), n);
    EXPECT_NO_THROW(validate(p));
    EXPECT_NEAR(total_mass(p), 1.0, 1e-14);
    EXPECT_NEAR(kinetic_energy(p), 0.25, 1e-14);
    EXPECT_NEAR(potential_energy(p, 0.0), -0.5, 1e-14);
    EXPECT_LT(norm(centre_of_mass(p)), 1e-14);
    EXPECT_LT(norm(momentum(p)), 1e-14);
  }
}

// Kolmogorov's bound at the 0.1 % level, 1.95 / sqrt(N), against the analytic mass profile cut at the sampled fraction.
TEST(Plummer, RadiiFollowTheMassProfile) {
  std::vector<double> radii;
  for (const Vec3& x : sample().position) radii.push_back(norm(x));
  std::sort(radii.begin(), radii.end());
  tests::Largest<double> distance;
  for (std::size_t k = 0; k < kSample; ++k) {
    const double s = radii[k] / std::hypot(radii[k], kPlummerRadius);
    const double expected = std::min(1.0, s * s * s / kPlummerMassFraction);
    const auto below = static_cast<double>(k) / static_cast<double>(kSample);
    distance.add(std::fabs(expected - below));
    distance.add(std::fabs(below + 1.0 / kSample - expected));
  }
  EXPECT_LT(distance.value(), 1.95 / kRootSample);
}

TEST(Plummer, HalfMassRadiusIsTheAnalyticOne) {
  const double analytic = kPlummerRadius / std::sqrt(std::pow(0.5, -2.0 / 3.0) - 1.0);
  const std::array half = {0.5};
  // Standard error of a median of 4096 radii here: about 0.01.
  EXPECT_NEAR(lagrangian_radii(sample(), half, {})[0], analytic, 0.04);
}

// For each mean four standard errors of an isotropic distribution: of cos 1/sqrt(3), of cos^2 sqrt(4/45).
TEST(Plummer, PositionsAndVelocitiesAreIsotropic) {
  const auto mean_of = [](auto&& value) {
    double sum = 0.0;
    for (std::size_t k = 0; k < kSample; ++k) sum += value(sample().position[k], sample().velocity[k]);
    return sum / static_cast<double>(kSample);
  };
  const double cos_bound = 4.0 / std::sqrt(3.0) / kRootSample;
  const double cos2_bound = 4.0 * std::sqrt(4.0 / 45.0) / kRootSample;
  const auto cosine = [](const Vec3& a, const Vec3& b) { return dot(a, b) / (norm(a) * norm(b)); };
  EXPECT_NEAR(mean_of([&](const Vec3& x, const Vec3& v) { return cosine(x, v); }), 0.0, cos_bound);
  EXPECT_NEAR(mean_of([&](const Vec3& x, const Vec3& v) { return std::pow(cosine(x, v), 2); }), 1.0 / 3.0, cos2_bound);
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
    EXPECT_NEAR(mean_of([&](const Vec3& x, const Vec3&) { return cosine(x, axis); }), 0.0, cos_bound);
    EXPECT_NEAR(mean_of([&](const Vec3& x, const Vec3&) { return std::pow(cosine(x, axis), 2); }), 1.0 / 3.0,
                cos2_bound);
    EXPECT_NEAR(mean_of([&](const Vec3&, const Vec3& v) { return cosine(v, axis); }), 0.0, cos_bound);
    EXPECT_NEAR(mean_of([&](const Vec3&, const Vec3& v) { return std::pow(cosine(v, axis), 2); }), 1.0 / 3.0,
                cos2_bound);
  }
}

// q^2 (1 - q^2)^(7/2) has <q^2> = 1/4 and <q^4> = 5/56 at every radius: standard error 0.0026 here; as much again for
// the rescaling of both energies of the sample.
TEST(Plummer, SpeedsAreAQuarterOfEscapeEnergyOnAverageInsideAndOutside) {
  const std::array half = {0.5};
  const double middle = lagrangian_radii(sample(), half, {})[0];
  std::array<double, 2> sum{};
  std::array<double, 2> count{};
  for (std::size_t k = 0; k < kSample; ++k) {
    const double r = norm(sample().position[k]);
    const double escape2 = 2.0 / std::hypot(r, kPlummerRadius);
    const std::size_t where = r > middle ? 1 : 0;
    sum[where] += dot(sample().velocity[k], sample().velocity[k]) / escape2;
    count[where] += 1.0;
    EXPECT_LT(dot(sample().velocity[k], sample().velocity[k]), 1.1 * escape2);
  }
  const double standard_error = std::sqrt(5.0 / 56.0 - 1.0 / 16.0) / std::sqrt(kSample / 2.0);
  EXPECT_NEAR(sum[0] / count[0], 0.25, 5.0 * standard_error);
  EXPECT_NEAR(sum[1] / count[1], 0.25, 5.0 * standard_error);
}

// Kurtosis of q^2 (1 - q^2)^(7/2), which no rescaling changes: <q^4> / <q^2>^2 = (5/56) / (1/4)^2. Relative standard
// error of one value, from the moments 1/4, 5/56, 5/128 and 5/256 of q^2 to q^8: 0.41.
TEST(Plummer, SpeedsHaveTheShapeOfTheDistributionFunction) {
  double count = 0.0;
  double second = 0.0;
  double fourth = 0.0;
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    const Particles p = make_plummer(kSample, seed);
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double q2 = dot(p.velocity[k], p.velocity[k]) * std::hypot(norm(p.position[k]), kPlummerRadius) / 2.0;
      count += 1.0;
      second += q2;
      fourth += q2 * q2;
    }
  }
  const double expected = (5.0 / 56.0) * 16.0;
  EXPECT_NEAR(fourth * count / (second * second), expected, 4.0 * 0.41 / std::sqrt(count) * expected);
}

TEST(Plummer, SeedsGiveDifferentSpheresAndTheSameSeedTheSame) {
  EXPECT_EQ(make_plummer(32, 1), make_plummer(32, 1));
  EXPECT_NE(make_plummer(32, 1), make_plummer(32, 2));
}

TEST(Plummer, RefusesNumbersOfParticlesThatItCannotHave) {
  EXPECT_EQ(error_of([] { (void)make_plummer(1, 1); }), "n = 1 is refused: plummer has from 2 to 4194304 particles");
  EXPECT_EQ(error_of([] { (void)make_plummer(std::numeric_limits<std::size_t>::max(), 1); }),
            "n = 18446744073709551615 is refused: plummer has from 2 to 4194304 particles");
}

}  // namespace
}  // namespace gdr::hostlib
