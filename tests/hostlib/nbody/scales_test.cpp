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

TEST(Units, OfAstronomersHaveTheirConstantOfGravity) {
  // G = 4.30091e-3 pc (km/s)^2 / Msun.
  const Units units = units_named("msun,pc,km/s");
  EXPECT_NEAR(units.speed, 1 / std::sqrt(4.30091e-3), 1e-4);
  EXPECT_NEAR(units.seconds / (1e6 * 365.25 * 86400), 14.91, 0.005);
  // An orbit at 1 au about the sun takes 2 pi units, a year.
  EXPECT_NEAR(units_named("msun,au,au/yr").seconds * 2 * std::acos(-1.0) / (365.25 * 86400), 1, 1e-4);
  EXPECT_NEAR(units_named("msun,au,au/yr").speed, 1 / (2 * std::acos(-1.0)), 1e-5);
  EXPECT_NEAR(units_named("kg,m,m/s").speed, 1 / std::sqrt(6.6743e-11), 1e-3);
}

TEST(Units, ThatAreUnknownAreRefusedWithThoseThereAre) {
  const auto refusal = [](std::string_view text) {
    try {
      (void)units_named(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("msun,pc"), "'msun,pc' is refused: units are MASS,LENGTH,SPEED, such as msun,pc,km/s");
  EXPECT_EQ(refusal("lbs,pc,km/s"), "'lbs' is no unit of mass: it must be one of msun, kg, g");
  EXPECT_EQ(refusal("msun,ly,km/s"), "'ly' is no unit of length: it must be one of pc, kpc, au, m, km, cm");
  EXPECT_EQ(refusal("msun,pc,km/h"), "'h' is no unit of time in a speed: it must be one of s, day, yr, myr, gyr");
}

TEST(Units, AreFoundInTheSpellingsOfFiles) {
  for (const std::string_view mass : {"Msun", "MSun", "M_sun", "MSUN", "solMass", "Msol"}) {
    EXPECT_EQ(known_unit(UnitOf::mass, mass), "msun") << mass;
  }
  for (const std::string_view length : {"pc", "PC", "parsec"}) EXPECT_EQ(known_unit(UnitOf::length, length), "pc");
  for (const std::string_view speed :
       {"km/s", "km / s", "kms", "km s^-1", "km s-1", "km*s**-1", "km * s**-1", "km s^{-1}", "km/sec", "kms^-1"}) {
    EXPECT_EQ(known_unit(UnitOf::speed, speed), "km/s") << speed;
  }
  EXPECT_EQ(known_unit(UnitOf::speed, "pc/Myr"), "pc/myr");
  EXPECT_EQ(known_unit(UnitOf::speed, "AU/d"), "au/day");
  for (const std::string_view other : {"", "M", "furlong", "pc", "1", "Mpc"}) {
    EXPECT_EQ(known_unit(UnitOf::mass, other), std::nullopt) << other;
    EXPECT_EQ(known_unit(UnitOf::speed, other), std::nullopt) << other;
  }
  EXPECT_EQ(known_unit(UnitOf::length, "M"), std::nullopt);
  EXPECT_EQ(known_unit(UnitOf::length, "m"), "m");
  const Units units = units_named("M_sun,parsec,km s^-1");
  EXPECT_EQ(units.name, "msun,pc,km/s");
  EXPECT_EQ(units.speed, units_named("msun,pc,km/s").speed);
  EXPECT_EQ(unit_in(units, UnitOf::speed), "km/s");
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
  scale_to_henon(other);
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
