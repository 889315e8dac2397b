#include "gdr/hostlib/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

using ::testing::HasSubstr;

std::string name_of(UnitOf of, std::string_view word) {
  const auto unit = known_unit(of, word);
  return unit ? unit->name : "?";
}

std::string why_not(UnitOf of, std::string_view text) {
  try {
    (void)unit_from(of, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
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
    EXPECT_EQ(name_of(UnitOf::mass, mass), "msun") << mass;
  }
  for (const std::string_view length : {"pc", "PC", "parsec"}) EXPECT_EQ(name_of(UnitOf::length, length), "pc");
  for (const std::string_view speed :
       {"km/s", "km / s", "kms", "km s^-1", "km s-1", "km*s**-1", "km * s**-1", "km s^{-1}", "km/sec", "kms^-1"}) {
    EXPECT_EQ(name_of(UnitOf::speed, speed), "km/s") << speed;
  }
  EXPECT_EQ(name_of(UnitOf::speed, "pc/Myr"), "pc/myr");
  EXPECT_EQ(name_of(UnitOf::speed, "AU/d"), "au/day");
  for (const std::string_view other : {"", "M", "furlong", "pc", "1", "Mpc"}) {
    EXPECT_EQ(known_unit(UnitOf::mass, other), std::nullopt) << other;
    EXPECT_EQ(known_unit(UnitOf::speed, other), std::nullopt) << other;
  }
  EXPECT_EQ(known_unit(UnitOf::length, "M"), std::nullopt);
  EXPECT_EQ(name_of(UnitOf::length, "m"), "m");
  const Units units = units_named("M_sun,parsec,km s^-1");
  EXPECT_EQ(units.name, "msun,pc,km/s");
  EXPECT_EQ(units.speed, units_named("msun,pc,km/s").speed);
  EXPECT_EQ(unit_in(units, UnitOf::speed), "km/s");
}

// Sizes in SI: 1 AU = 149597870700 m, 1 pc = 648000/pi AU, a year of 365.25 days.
constexpr double kParsec = 3.0856775814913673e16;
constexpr double kKilogram = 6.6743e-11;  // G kg

TEST(Units, OfSpeedAreNoOtherLettersThatReadAlike) {
  for (const char* word : {"km s^-1", "km s-1", "km*s**-1", "km.s^-1", "kms-1", "$km s^{-1}$", "kms", "km/s"}) {
    EXPECT_EQ(name_of(UnitOf::speed, word), "km/s") << word;
  }
  // A product, and a thousandth of a metre: not metres in a million years.
  for (const char* word : {"km*s", "km s", "km.s", "km**s", "mm yr-1", "mm yr^-1"}) {
    EXPECT_EQ(name_of(UnitOf::speed, word), "?") << word;
  }
  const auto slow = known_unit(UnitOf::speed, "mm*yr**-1");
  ASSERT_TRUE(slow);
  EXPECT_NEAR(slow->size, 1e-3 / (365.25 * 86400), 1e-20);
}

TEST(UnitsOfAmuse, AreReadAsPythonEvaluatesThem) {
  const struct {
    UnitOf of;
    const char* text;
    double size;
  } kCases[] = {
      {UnitOf::mass, "system.get('S.I.').base('mass')", kKilogram},
      {UnitOf::mass, "(1.98892e+30 * system.get('S.I.').base('mass'))", 1.98892e30 * kKilogram},
      {UnitOf::mass, "1e10 * MSun", 1e10 * 1.3271244e20},
      {UnitOf::mass, "kg", kKilogram},
      {UnitOf::mass, "(2 * 3.5*kg)", 7 * kKilogram},
      {UnitOf::mass, "MSun * parsec / parsec", 1.3271244e20},
      {UnitOf::length, "(3.08567758128e+16 * system.get(\"S.I.\").base(\"length\"))", 3.08567758128e16},
      {UnitOf::length, "parsec", kParsec},
      {UnitOf::length, "Mpc", 1e6 * kParsec},
      {UnitOf::length, "mm", 1e-3},
      {UnitOf::length, "AU", 149597870700.0},
      {UnitOf::length, "(m**2)**1*m**-1", 1.0},
      {UnitOf::length, "km**2 / (10*m)**1.0", 1e5},
      {UnitOf::speed, "((1000.0 * system.get('S.I.').base('length')) * (system.get('S.I.').base('time')**-1))", 1e3},
      {UnitOf::speed, "(system.get('S.I.').base('length')/system.get('S.I.').base('time'))", 1.0},
      {UnitOf::speed, "(km * (s**-1))", 1e3},
      {UnitOf::speed, "kms", 1e3},
      {UnitOf::speed, "parsec / Myr", kParsec / (1e6 * 365.25 * 86400)},
      {UnitOf::time, "1e3 * kyr", 1e6 * 365.25 * 86400},
      {UnitOf::time, "60.0 * min", 3600},
  };
  for (const auto& [of, text, size] : kCases) {
    SCOPED_TRACE(text);
    const Unit unit = unit_from(of, text);
    EXPECT_NEAR(unit.size / size, 1, 1e-14);
    EXPECT_FALSE(unit.is_generic);
  }
  for (const char* const text : {"system.get('generic').base('length')", "nbody_system.length", "nbody length",
                                 "length", "length**2 / length", "length * time / time"}) {
    EXPECT_EQ(unit_from(UnitOf::length, text), (Unit{"generic", 1.0, true})) << text;
  }
  EXPECT_EQ(unit_from(UnitOf::mass, "10 * nbody mass").size, 10);
  EXPECT_EQ(unit_from(UnitOf::mass, "1.98840987e30 * kg").name, "1.98841e+30 kg");
  EXPECT_EQ(unit_from(UnitOf::speed, "(km * (s**-1))").name, "km/s");
}

TEST(UnitsOfAmuse, ThatAreNotUnderstoodAreRefusedWithTheirPlace) {
  const struct {
    UnitOf of;
    const char* text;
    const char* why;
  } kCases[] = {
      {UnitOf::mass, "", "at character 1: a unit must be here"},
      {UnitOf::mass, "2 * furlong",
       "at character 5: 'furlong' is no unit of mass, length or time that is known: it must be "
       "one of msun, kg, g, "},
      {UnitOf::length, "rad", "at character 1: 'rad' is no unit of mass, length or time"},
      {UnitOf::length, "ms", "'ms' is no unit"},  // AMUSE's metre a second, or a thousandth of a second
      {UnitOf::length, "K", "'K' is no unit"},
      {UnitOf::length, "system.get('S.I.').base('thermodynamic temperature')",
       "at character 1: 'thermodynamic temperature' must be one of mass, length, time"},
      {UnitOf::length, "system.get('cgs').base('length')", "the system must be 'S.I.' or 'generic', not 'cgs'"},
      {UnitOf::mass, "kg * m", "it is mass^1 length^1 time^0, not a mass"},
      {UnitOf::speed, "km", "it is mass^0 length^1 time^0, not a speed, length / time"},
      {UnitOf::time, "7", "it is mass^0 length^0 time^0, not a time"},
      {UnitOf::length, "m**0.5", "a power must be a whole number"},
      {UnitOf::length, "m**99", "a power must be a whole number from -9 to 9"},
      {UnitOf::length, "(m**9)**9", "a power of mass, length or time must be from -9 to 9"},
      {UnitOf::length, "(m", "at character 3: a parenthesis must end here"},
      {UnitOf::length, "m)", "at character 2: an end, *, / or ** must be here"},
      {UnitOf::length, "-1 * m", "at character 1: a number, the name of a unit or a parenthesis must be here"},
      {UnitOf::length, "0 * m", "a number must be positive and in the range of doubles"},
      {UnitOf::length, "1e999 * m", "a number must be positive"},
      {UnitOf::length, "1e300*1e300*m", "at character 14: the size of the unit must be from 1e-60 to 1e+60, in SI"},
      {UnitOf::mass, "1e-300 * mass", "the size of the unit must be from 1e-60"},
      {UnitOf::length, "m * length / m",
       "a unit of AMUSE's generic system and one of another system cannot be multiplied"},
      {UnitOf::length, "__import__('os').system('true')", "is no unit"},
      {UnitOf::length, "system.get('S.I.').bases", "at character 19: .base( must be here"},
      {UnitOf::length, "m \x1b[2J", "\\x1b"},
  };
  for (const auto& [of, text, why] : kCases) EXPECT_THAT(why_not(of, text), HasSubstr(why)) << text;
  EXPECT_THAT(why_not(UnitOf::length, std::string(100, '(') + "m" + std::string(100, ')')),
              HasSubstr("at character 33: there may be 32 parentheses"));
}

TEST(UnitsOfARun, AreReadBackWithFactorsOfExactlyOne) {
  for (const char* const name : {"msun,pc,km/s", "kg,m,m/s", "g,cm,cm/s", "msun,au,au/yr", "msun,kpc,pc/myr"}) {
    const Units units = units_named(name);
    for (const UnitOf of : {UnitOf::mass, UnitOf::length, UnitOf::speed, UnitOf::time}) {
      EXPECT_EQ(scale_between(of, unit_from(of, unit_text(of, units)), units), 1.0) << name;
      EXPECT_EQ(unit_from(of, unit_text(of, std::nullopt)), (Unit{"generic", 1.0, true}));
    }
  }
  EXPECT_EQ(unit_text(UnitOf::speed, std::nullopt),
            "(system.get('generic').base('length') * (system.get('generic').base('time')**-1))");
}

TEST(UnitsOfARun, OfAnySizeAreReadBack) {
  for (const char* const mass : {"1e-49 * kg", "1e60 * kg"}) {
    for (const char* const length : {"1e-60 * m", "1e60 * m"}) {
      const Units units =
          units_of(unit_from(UnitOf::mass, mass), unit_from(UnitOf::length, length), unit_from(UnitOf::speed, "kms"));
      for (const UnitOf of : {UnitOf::mass, UnitOf::length}) {
        EXPECT_EQ(scale_between(of, unit_from(of, unit_text(of, units)), units), 1.0) << mass << length;
      }
      EXPECT_TRUE(std::isnormal(units.seconds) && std::isnormal(units.speed)) << mass << length;
    }
  }
}

TEST(UnitsOfARun, DifferByTheirRatios) {
  const Units units = units_named("msun,pc,km/s");
  EXPECT_NEAR(scale_between(UnitOf::length, unit_from(UnitOf::length, "kpc"), units), 1e3, 1e-9);
  EXPECT_NEAR(scale_between(UnitOf::speed, unit_from(UnitOf::speed, "kms"), units), units.speed, 1e-12);
  EXPECT_NEAR(scale_between(UnitOf::time, unit_from(UnitOf::time, "Myr"), units), 1 / 14.91, 1e-4);
  EXPECT_NEAR(scale_between(UnitOf::mass, unit_from(UnitOf::mass, "1.98841e30 * kg"), units), 1, 1e-5);
}

}  // namespace
}  // namespace gdr::hostlib
