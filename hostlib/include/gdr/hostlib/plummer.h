// Initial conditions: the Plummer sphere, with the same bits for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// Fraction of the sphere's mass that is sampled. The outermost thousandth would place particles arbitrarily far out.
inline constexpr double kPlummerMassFraction = 0.999;

/// Plummer sphere of `n` particles of mass 1/n in Henon units (G = M = 1, E = -1/4), ids 0..n-1, after Aarseth,
/// Henon & Wielen (1974). The following recipe is fixed bit for bit; only + - * / and sqrt on IEEE doubles are used.
///
/// Random numbers: x from std::mt19937_64 seeded with `seed`; u = (double(x >> 11) + 0.5) * 2^-53, in (0, 1].
/// Per particle, in index order, and within it in this order:
///  1. mass fraction f = 0.999 u; y = cube root of f by Newton's iteration y <- (2 y + f / (y y)) / 3 from y = 1 until
///     the next value is no longer smaller (then the present one is taken); radius r = y / sqrt(1 - y y).
///  2. direction: a, b, c = 2 u - 1 drawn in the order x, y, z until 0 < s = a a + b b + c c <= 1; position
///     (a, b, c) * (r / sqrt(s)).
///  3. speed in units of the escape speed: q = u, then g = u, until g / 10 < q q w w w sqrt(w), w = 1 - q q; speed
///     q * sqrt(2 / sqrt(1 + r r)).
///  4. direction as in 2, giving the velocity.
/// Then, sums in index order: mean position and velocity (sum times 1/n) are subtracted; velocities are multiplied by
/// sqrt(0.25 / T) and positions by -W / 0.5, T and W being kinetic_energy() and potential_energy() with eps = 0, so
/// that T = 1/4 and W = -1/2 to rounding. O(n^2) because of W.
///
/// Throws gdr::Error for n below 2, which have no potential energy, and above kMostStartParticles.
[[nodiscard]] Particles make_plummer(std::size_t n, std::uint64_t seed);

}  // namespace gdr::hostlib
