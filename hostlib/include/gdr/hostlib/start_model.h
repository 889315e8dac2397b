// Initial conditions of an N-body run: spheres, two spheres that merge, few-body problems from the literature.
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
/// The kind of this name. Throws gdr::Error, which lists the names, if there is none.
[[nodiscard]] StartKind start_kind(std::string_view name);

struct StartModel {
  StartKind kind = StartKind::plummer;
  std::size_t particles = 0;  // 0: the kind's own number, for kinds that have a fixed one
  std::uint64_t seed = 1;     // of the spheres' random numbers
  double w0 = 6.0;            // king: central potential in units of sigma^2, 0.1 to 16
  double separation = 4.0;    // merger: initial distance of the centres, before the scaling
  double pericentre = 0.5;    // merger: of the parabolic orbit of two points with the spheres' masses; 0: head-on
  double eccentricity = 0.9;  // binary: 0 <= e < 1
};

/// The largest number of particles of a model.
inline constexpr std::size_t kMostStartParticles = 4194304;
/// Throws gdr::Error if a model of this kind does not depend on `parameter`: "seed", "w0", "separation", "pericentre"
/// or "eccentricity".
void require_parameter_of(StartKind kind, std::string_view parameter);

/// Number of particles of a kind for which it is fixed; 0 for the other kinds.
[[nodiscard]] std::size_t fixed_particles(StartKind kind);
/// Smallest number of particles of a kind.
[[nodiscard]] std::size_t least_particles(StartKind kind);

/// Throws gdr::Error, which names the range, if a model of this kind cannot have so many particles. 0 are those that a
/// kind has if their number is fixed.
void require_particles_of(StartKind kind, std::size_t particles);

/// Text such as `king 1024, W0 6, seed 1`: the kind and everything that its particles depend on.
[[nodiscard]] std::string describe(const StartModel& model);

/// The particles of a model, with G = 1, ids 0, 1, ..., and the centre of mass at rest at the origin. All models except
/// `pythagorean` have total mass 1 and energy -1/4 without softening (Henon units; Heggie & Mathieu 1986), and all
/// except `pythagorean` have equal masses.
///
/// | kind | particles |
/// |---|---|
/// | plummer | make_plummer() |
/// | king | King's model of central potential w0 (King 1966), virial ratio T/|W| = 1/2 |
/// | uniform | uniform density; velocities distributed uniformly in a ball; virial ratio 1/2 |
/// | cold | the same sphere at rest, radius 12/5 except for the noise of few particles; collapses in 4.13 |
/// | merger | two Plummer spheres (ids 0..ceil(n/2)-1 and the rest) on a parabolic orbit in the x-y plane |
/// | binary | two masses of 1/2, semi-major axis 1/2, period 2.22, at apocentre on the x axis |
/// | pythagorean | masses 3, 4, 5 at rest at (1, 3), (-2, -1), (1, -1) (Burrau 1913; Szebehely & Peters 1967) |
///
/// Random numbers are drawn as in make_plummer(), and only + - * / and the square root are used, so that a model gives
/// the same bits on every machine. O(n^2) because of the scaling. Throws gdr::Error for a parameter out of range, which
/// the message names.
[[nodiscard]] Particles make_start(const StartModel& model);

}  // namespace gdr::hostlib
