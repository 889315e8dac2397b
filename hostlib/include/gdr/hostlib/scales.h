// The scales of a stellar system.
#pragma once

#include <optional>

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

/// Scales to mass 1 and virial radius 1 without softening, with the centre of mass at rest at the origin; the virial
/// ratio stays as it is, so an equilibrium has the energy -1/4. Returns the factor by which times are multiplied.
/// Throws gdr::Error for particles without mass or potential energy.
double scale_to_henon(Particles& particles);

}  // namespace gdr::hostlib
