// Functions with which start models draw their particles: random numbers with defined bits, directions, scaling. They
// use only + - * / and the square root on IEEE doubles, so that a seed gives the same particles on every machine.
#pragma once

#include <cstdint>
#include <random>

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// Uniform random numbers in (0, 1] with defined bits. Those of std::uniform_real_distribution depend on the library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : generator_(seed) {}
  double operator()() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::mt19937_64 generator_;
};

/// Cube root of f in (0, 1].
[[nodiscard]] double cube_root(double f);

/// A vector of this length with a random, isotropic direction.
[[nodiscard]] Vec3 isotropic(Uniform& u, double length);

/// Subtracts mean position and mean velocity of particles of equal mass 1/n; `one_by_n` is 1/n.
void move_to_rest(Particles& particles, double one_by_n);

/// Scales velocities and positions so that T = `kinetic` and, without softening, W = `potential`. Particles at rest
/// stay at rest. O(n^2).
void scale_to(Particles& particles, double kinetic, double potential);

}  // namespace gdr::hostlib
