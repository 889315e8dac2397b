#include "gdr/hostlib/particles.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gdr/base/digest.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::binary;
using testing::error_of;

constexpr double kRounding = 1e-15;

Particles two() {
  Particles p;
  p.push_back(7, 2.0, {3.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  p.push_back(3, 1.0, {0.0, 4.0, 0.0}, {0.0, 0.0, -2.0});
  return p;
}

TEST(Particles, KeplerOrbitHasTheEnergyOfItsSemiMajorAxis) {
  for (const double e : {0.0, 0.5, 0.9}) EXPECT_NEAR(energy(binary(e), 0.0).total(), -0.25 / 2.0, kRounding);
}

TEST(Particles, EnergiesOfTwoBodiesAreClosedForms) {
  const Energy sharp = energy(two(), 0.0);
  EXPECT_DOUBLE_EQ(sharp.kinetic, 0.5 * 2.0 * 1.0 + 0.5 * 1.0 * 4.0);
  EXPECT_DOUBLE_EQ(sharp.potential, -2.0 * 1.0 / 5.0);
  // Without the motion of the centre of mass: reduced mass 2/3, relative velocity (0, 1, 2).
  EXPECT_DOUBLE_EQ(sharp.internal_kinetic, 0.5 * 2.0 / 3.0 * 5.0);
  EXPECT_DOUBLE_EQ(sharp.virial_ratio(), 5.0 / 3.0 / 0.4);
  EXPECT_DOUBLE_EQ(potential_energy(two(), 12.0), -2.0 / 13.0);
}

TEST(Particles, CoincidentUnsoftenedPairAddsNothing) {
  Particles p = two();
  p.position[1] = p.position[0];
  EXPECT_EQ(potential_energy(p, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(potential_energy(p, 0.5), -4.0);
}

TEST(Particles, MomentaAndCentreOfMassOfTwoBodies) {
  EXPECT_EQ(centre_of_mass(two()), (Vec3{6.0, 4.0, 0.0} * (1.0 / 3.0)));
  EXPECT_EQ(momentum(two()), (Vec3{0.0, 2.0, -2.0}));
  EXPECT_EQ(angular_momentum(two()), (Vec3{-8.0, 0.0, 6.0}));
}

TEST(Particles, LagrangianRadiiCountMassFromTheCentre) {
  Particles p;
  for (int k = 4; k >= 1; --k) p.push_back(k, 0.25, {1.0 + k, 0.0, 0.0}, {});
  const std::array fractions = {1.0, 0.25, 0.26, 0.5};
  EXPECT_EQ(lagrangian_radii(p, fractions, {1.0, 0.0, 0.0}), (std::vector<double>{4.0, 1.0, 2.0, 2.0}));
  const std::array outside = {0.0};
  EXPECT_NE(error_of([&] { (void)lagrangian_radii(p, outside, {}); }).find("fraction 0 "), std::string::npos);
  EXPECT_NE(error_of([&] { (void)lagrangian_radii({}, fractions, {}); }).find("no particles"), std::string::npos);
}

/// Particles at the distances 1, 2, 3, ... from the origin.
Particles in_a_row(const std::vector<double>& masses) {
  Particles p;
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const auto id = static_cast<std::int64_t>(k);
    p.push_back(id, masses[k], {0.0, 0.0, static_cast<double>(k + 1)}, {});
  }
  return p;
}

TEST(Particles, LagrangianRadiiOfEqualMassesAreThoseOfAWholeNumberOfThem) {
  std::vector<double> fractions;
  for (int percent = 1; percent <= 100; ++percent) fractions.push_back(percent / 100.0);
  for (const double scale : {1.0, 1 / 3.0, 1e-300, 1e300}) {
    for (int n = 1; n <= 1000; n += n < 130 ? 1 : 29) {
      const std::vector<double> radii = lagrangian_radii(in_a_row(std::vector<double>(n, scale / n)), fractions, {});
      for (int percent = 1; percent <= 100; ++percent) {
        ASSERT_EQ(radii[percent - 1], (percent * n + 99) / 100) << n << " particles, " << percent << " %";
      }
    }
  }
}

TEST(Particles, LagrangianRadiiOfOtherMassesLeaveRoundingsOut) {
  // Sums of these decimals are 0.1, 0.3, 0.6, 1.
  const std::array fractions = {0.1, 0.3, 0.6, 0.3 + 1e-14, 0.6 - 1e-14};
  EXPECT_EQ(lagrangian_radii(in_a_row({0.1, 0.2, 0.3, 0.4}), fractions, {}), (std::vector<double>{1, 2, 3, 3, 3}));
  // A million masses of a tenth beside one of 0.9 million.
  std::vector<double> masses(1000000, 0.1);
  masses.push_back(900000);
  EXPECT_EQ(lagrangian_radii(in_a_row(masses), std::array{0.05, 0.1, 0.1 + 1e-12}, {}),
            (std::vector<double>{500000, 1000000, 1000001}));
}

TEST(Particles, ThoseInOnePlaceAreFoundWithTheFirstOneThere) {
  Particles p;
  const Vec3 here{1.0, -2.0, 0.0};
  p.push_back(5, 1.0, here, {1.0, 0.0, 0.0});
  p.push_back(9, 1.0, {1.0, -2.0, 1e-300}, {1.0, 0.0, 0.0});
  p.push_back(2, 2.0, {1.0, -2.0, -0.0}, {1.0, 0.0, 0.0});
  p.push_back(3, 1.0, {}, {});
  p.push_back(1, 1.0, here, {});
  const std::vector<OnePlace> expected{{0, 2, true}, {0, 4, false}};
  EXPECT_EQ(in_one_place(p), expected);
  EXPECT_TRUE(in_one_place(two()).empty());
  EXPECT_TRUE(in_one_place({}).empty());
}

TEST(Particles, ValidationNamesWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error_with = [](auto&& change) {
    Particles p = two();
    change(p);
    return error_of([&] { validate(p); });
  };
  EXPECT_NO_THROW(validate(two()));
  EXPECT_NE(error_with([](Particles& p) { p.mass[0] = -1.0; }).find("particle 7: mass -1"), std::string::npos);
  EXPECT_NE(error_with([&](Particles& p) { p.mass[1] = nan; }).find("particle 3: mass nan"), std::string::npos);
  EXPECT_NE(error_with([&](Particles& p) { p.position[1].y = nan; }).find("particle 3: position"), std::string::npos);
  EXPECT_NE(error_with([&](Particles& p) { p.velocity[0].z = 1 / 0.0; }).find("7: velocity"), std::string::npos);
  EXPECT_NE(error_with([](Particles& p) { p.id[1] = 7; }).find("id 7"), std::string::npos);
  EXPECT_NE(error_with([](Particles& p) { p.mass.pop_back(); }).find("1 masses"), std::string::npos);
}

TEST(StateHash, IsSha256OverLittleEndianRecordsInIdOrder) {
  const Particles p = two();
  std::vector<std::byte> bytes;
  const auto add = [&](std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(word >> shift));
  };
  for (const std::size_t k : {1, 0}) {
    add(static_cast<std::uint64_t>(p.id[k]));
    for (const double value : {p.mass[k], p.position[k].x, p.position[k].y, p.position[k].z, p.velocity[k].x,
                               p.velocity[k].y, p.velocity[k].z}) {
      add(std::bit_cast<std::uint64_t>(value));
    }
  }
  EXPECT_EQ(state_hash(p), base::sha256_hex(bytes));
}

TEST(StateHash, DependsOnEveryNumberButNotOnTheOrder) {
  const std::string hash = state_hash(two());
  Particles swapped;
  swapped.push_back(3, 1.0, {0.0, 4.0, 0.0}, {0.0, 0.0, -2.0});
  swapped.push_back(7, 2.0, {3.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  EXPECT_EQ(state_hash(swapped), hash);

  const auto changed = [&](auto&& change) {
    Particles p = two();
    change(p);
    return state_hash(p) != hash;
  };
  const auto nudge = [](double& value) { value = std::nextafter(value, 9.0); };
  EXPECT_TRUE(changed([](Particles& p) { p.id[1] = -3; }));
  EXPECT_TRUE(changed([&](Particles& p) { nudge(p.mass[0]); }));
  EXPECT_TRUE(changed([&](Particles& p) { nudge(p.position[1].x); }));
  EXPECT_TRUE(changed([&](Particles& p) { nudge(p.position[0].y); }));
  EXPECT_TRUE(changed([&](Particles& p) { nudge(p.velocity[1].z); }));
}

}  // namespace
}  // namespace gdr::hostlib
