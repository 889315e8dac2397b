// The scales of a stellar system, and the units in which astronomers give one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// Sizes and times by which the rest of a system is judged, G = 1. What does not exist is none: without mass, without
/// potential energy, and a relaxation time of fewer than 20 particles.
struct Scales {
  double mass = 0.0;                       // M
  std::optional<double> virial_radius;     // M^2 / (2 |W|)
  std::optional<double> virial_ratio;      // T / |W|, without the motion of the centre of mass
  std::optional<double> half_mass_radius;  // about the centre of mass
  std::optional<double> crossing_time;     // 2 sqrt(2) sqrt(r_v^3 / M), of a system in equilibrium
  std::optional<double> relaxation_time;   // 0.138 N sqrt(r_h^3 / M) / ln(0.11 N)
};

/// `energy` is that of the particles. The times are those of Heggie & Mathieu (1986) and Spitzer (1987, equation 2-63)
/// with the 0.11 of Giersz & Heggie (1994).
[[nodiscard]] Scales scales_of(const Particles& particles, const Energy& energy);

/// What a unit is of.
enum class UnitOf : std::uint8_t { mass, length, speed };

/// Units of mass, length and speed of a file.
struct Units {
  std::string name;      // such as msun,pc,km/s, in the first of the spellings that units_named() takes
  double speed = 1.0;    // its unit, in the unit of speed that makes G = 1 with those of mass and length
  double seconds = 0.0;  // of the unit of time that does
};

/// From `msun,pc,km/s`: masses msun, kg, g; lengths pc, kpc, au, m, km, cm; speeds LENGTH/TIME with times s, day, yr,
/// myr, gyr. Each may be spelled in the other ways that known_unit() knows. Throws gdr::Error naming what is unknown
/// and what there is.
[[nodiscard]] Units units_named(std::string_view text);

/// A unit as files spell it, in the first of its spellings: "MSun", "M_sun" and "solMass" are msun, "kms" and "km s^-1"
/// are km/s. Capitals count in single letters only: M is no metre. None for a word that is no known unit of this kind.
[[nodiscard]] std::optional<std::string> known_unit(UnitOf of, std::string_view word);

/// What `units` have for this.
[[nodiscard]] std::string_view unit_in(const Units& units, UnitOf of);

/// Speeds in the unit that makes G = 1 with those of mass and length, which stay as they are.
void to_unit_gravity(Particles& particles, const Units& units);

/// Scales to mass 1 and virial radius 1 without softening, with the centre of mass at rest at the origin; the virial
/// ratio stays as it is, so an equilibrium has the energy -1/4. Throws gdr::Error for particles without mass or
/// potential energy.
void scale_to_henon(Particles& particles);

}  // namespace gdr::hostlib
