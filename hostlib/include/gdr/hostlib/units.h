// The units in which astronomers give masses, lengths, times and speeds, and those of a whole system with G = 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// What a unit is of.
enum class UnitOf : std::uint8_t { mass, length, speed, time };
inline constexpr std::size_t kKindsOfUnits = 4;

/// A unit of one of them. Those of AMUSE's generic system, in which G = 1, have no size of their own.
struct Unit {
  std::string name;         // such as km/s, in the first of the spellings that units_named() takes, or 1.98892e+30 kg
  double size = 1.0;        // in m, s and m/s, of a mass G M in m^3/s^2; if generic, in AMUSE's generic unit
  bool is_generic = false;  // of AMUSE's system

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Units of mass, length and speed of a file.
struct Units {
  std::string name;      // such as msun,pc,km/s, in the first of the spellings that units_named() takes
  double mass = 0.0;     // its unit: G M in m^3/s^2
  double length = 0.0;   // its unit, m
  double speed = 1.0;    // its unit, in the unit of speed that makes G = 1 with those of mass and length
  double seconds = 0.0;  // of the unit of time that does
};

/// From `msun,pc,km/s`: masses msun, kg, g; lengths pc, kpc, au, m, km, cm; speeds LENGTH/TIME with times s, day, yr,
/// myr, gyr. Each may be spelled in the other ways that known_unit() knows. Throws gdr::Error naming what is unknown
/// and what there is.
[[nodiscard]] Units units_named(std::string_view text);
/// Of three units that are not generic.
[[nodiscard]] Units units_of(const Unit& mass, const Unit& length, const Unit& speed);

/// A unit as files spell it, in the first of its spellings: "MSun", "M_sun" and "solMass" are msun, "kms" and "km s^-1"
/// are km/s. Capitals count in single letters only: M is no metre. Other words are read as unit_from() does. None for a
/// word that is no known unit of this kind.
[[nodiscard]] std::optional<Unit> known_unit(UnitOf of, std::string_view word);

/// A unit as AMUSE writes one (amuse/units/core.py, December 2025), as text or for Python to evaluate: names with SI
/// prefixes, positive numbers, `*`, `/`, whole powers by `**`, parentheses, and bases such as
/// system.get('S.I.').base('mass'): "1e10 * MSun", "(km * (s**-1))". Throws gdr::Error with the place in the text, what
/// is refused there and what there may be.
[[nodiscard]] Unit unit_from(UnitOf of, std::string_view text);

/// What unit_from() and AMUSE read as the unit of mass, length, speed or time of a run in `units`, with G = 1; without
/// them AMUSE's generic unit.
[[nodiscard]] std::string unit_text(UnitOf of, const std::optional<Units>& units);

/// What `units` have for mass, length or speed.
[[nodiscard]] std::string_view unit_in(const Units& units, UnitOf of);

/// The factor that brings numbers in `unit` to `units` with G = 1, where speeds and times have the units that this
/// makes. Exactly 1 if the two are the same but for rounding. Not for a generic unit.
[[nodiscard]] double scale_between(UnitOf of, const Unit& unit, const Units& units);

/// Speeds in the unit that makes G = 1 with those of mass and length, which stay as they are.
void to_unit_gravity(Particles& particles, const Units& units);

}  // namespace gdr::hostlib
