// Initial conditions of an N-body run: spheres, two spheres that merge, few-body problems of the literature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

enum class StartKind : std::uint8_t { plummer, king, uniform, cold, merger, binary, pythagorean };

/// Names of all kinds, in the order of the enumeration.
[[nodiscard]] std::vector<std::string> start_kind_names();
[[nodiscard]] std::string_view name_of(StartKind kind);
/// Throws gdr::Error naming the kinds if there is none of this name.
[[nodiscard]] StartKind start_kind(std::string_view name);

struct StartModel {
  StartKind kind = StartKind::plummer;
  std::size_t particles = 0;  // 0: as many as the kind has, for those of a fixed number
  std::uint64_t seed = 1;     // of the spheres
  double w0 = 6.0;            // king: central potential in units of sigma^2, 0.1 to 16
  double separation = 4.0;    // merger: distance of the centres at the start, before the scaling
  double pericentre = 0.5;    // merger: of the parabolic orbit of two points with the spheres' masses; 0: head-on
  double eccentricity = 0.9;  // binary: 0 <= e < 1
};

/// How many particles the kind always has; 0 if that is free.
[[nodiscard]] std::size_t fixed_particles(StartKind kind);

/// `king 1024, W0 6, seed 1`: kind and all that its particles depend on.
[[nodiscard]] std::string describe(const StartModel& model);

/// The particles, with G = 1, ids 0, 1, ..., centre of mass at rest in the origin. All but `pythagorean` have total
/// mass 1 and energy -1/4 without softening (Henon's units; Heggie & Mathieu 1986) and all but the two last equal
/// masses.
///
/// | kind | particles |
/// |---|---|
/// | plummer | make_plummer() |
/// | king | King's model of central potential w0 (King 1966), virial ratio T/|W| = 1/2 |
/// | uniform | uniform density; velocities spread evenly over a ball; virial ratio 1/2 |
/// | cold | the same sphere at rest, radius 12/5 but for the noise of few particles; collapses in 4.13 |
/// | merger | two Plummer spheres (ids 0..ceil(n/2)-1 and the rest) on a parabolic orbit in the x-y plane |
/// | binary | two masses of 1/2, semi-major axis 1/2, period 2.22, at apocentre on the x axis |
/// | pythagorean | masses 3, 4, 5 at rest at (1, 3), (-2, -1), (1, -1) (Burrau 1913; Szebehely & Peters 1967) |
///
/// The random numbers are those of make_plummer(), and only + - * / and the square root are used: a model gives the
/// same bits on every machine. O(n^2) because of the scaling. Throws gdr::Error for a parameter out of range, naming
/// it.
[[nodiscard]] Particles make_start(const StartModel& model);

}  // namespace gdr::hostlib
