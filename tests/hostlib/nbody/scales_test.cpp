// The scales of systems whose scales are known, and the units of astronomers.
#include <gtest/gtest.h>

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/scales.h"

namespace gdr::hostlib {
namespace {

TEST(Scales, OfAPlummerSphereAreHenons) {
  const Particles p = make_plummer(1024, 1);
  const Scales scales = scales_of(p, energy(p, 0.0));
  EXPECT_NEAR(scales.mass, 1, 1e-12);
  EXPECT_NEAR(scales.virial_radius.value(), 1, 1e-12);
  EXPECT_NEAR(scales.virial_ratio.value(), 0.5, 1e-12);
  EXPECT_NEAR(scales.crossing_time.value(), 2 * std::sqrt(2), 1e-11);
  EXPECT_NEAR(scales.half_mass_radius.value(), 0.77, 0.05);  // 1.305 scale radii of 3 pi / 16
  const double r_h = *scales.half_mass_radius;
  EXPECT_NEAR(scales.relaxation_time.value(), 0.138 * 1024 * std::pow(r_h, 1.5) / std::log(0.11 * 1024), 1e-9);
}

TEST(Scales, ThatDoNotExistAreNone) {
  Particles one;
  one.push_back(0, 2, {0, 0, 0}, {1, 0, 0});
  const Scales scales = scales_of(one, energy(one, 0.0));
  EXPECT_EQ(scales.mass, 2);
  EXPECT_FALSE(scales.virial_radius || scales.virial_ratio || scales.crossing_time || scales.relaxation_time);
  Particles tracer;
  tracer.push_back(0, 0, {0, 0, 0}, {1, 0, 0});
  EXPECT_FALSE(scales_of(tracer, energy(tracer, 0.0)).half_mass_radius);
}

TEST(HenonsUnits, AreReachedFromOthers) {
  const Particles p = make_plummer(64, 5);
  Particles other = p;
  const Units units = units_named("msun,pc,km/s");
  for (std::size_t k = 0; k < p.size(); ++k) {
    other.mass[k] *= 2000;
    other.position[k] = other.position[k] * 3.0 + Vec3{100, 0, 0};
    // sqrt(G M / r_v) in km/s
    other.velocity[k] = other.velocity[k] * (std::sqrt(2000.0 / 3.0) / units.speed) + Vec3{0, 20, 0};
  }
  to_unit_gravity(other, units);
  const double of_time = scale_to_henon(other);
  EXPECT_NEAR(of_time, std::sqrt(2000.0 / 27.0), 1e-11);
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_NEAR(other.mass[k], p.mass[k], 1e-14);
    EXPECT_NEAR(other.position[k].x, p.position[k].x, 1e-11);
    EXPECT_NEAR(other.velocity[k].y, p.velocity[k].y, 1e-11);
  }
  EXPECT_NEAR(energy(other, 0.0).total(), -0.25, 1e-10);
  Particles alone;
  alone.push_back(0, 1, {0, 0, 0}, {0, 0, 0});
  EXPECT_THROW(scale_to_henon(alone), Error);
}

}  // namespace
}  // namespace gdr::hostlib
