// A bound pair that the host advances by itself, by algorithmic regularisation (Mikkola & Tanikawa 1999). To the
// integrator and the force engine it is one body in its centre of mass; docs/nbody/nbody.md says who feels it as two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

struct RegularisedPair {
  std::size_t centre = 0;   // index of the body of the first star, which stands for the pair
  std::size_t ghost = 0;    // index of the body of the second star, > centre; it has no mass and takes no step
  double first_mass = 0.0;  // > 0
  double second_mass = 0.0;
  std::int64_t t = 0;    // in ticks, of r, v and binding
  Vec3 r;                // place of the second star minus that of the first
  Vec3 v;                // their relative velocity
  double binding = 0.0;  // M / |r| - v^2 / 2, of a unit of reduced mass; M the mass of both
  double size = 0.0;     // apocentre a (1 + e) when the radii of perturbers were chosen
  // Bodies that may become perturbers until the time `listed_until` (in ticks), ascending.
  std::vector<std::size_t> neighbours;
  std::int64_t listed_until = 0;

  [[nodiscard]] double mass() const { return first_mass + second_mass; }

  friend bool operator==(const RegularisedPair&, const RegularisedPair&) = default;
};

}  // namespace gdr::hostlib
