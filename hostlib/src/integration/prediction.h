// Where a body is between its steps.
#pragma once

#include <cmath>

#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {

struct Phase {
  Vec3 x;
  Vec3 v;
};

/// Exact: every Ticks value up to kLargestTime has at most 53 bits.
inline double to_time(Ticks t) { return static_cast<double>(t) / static_cast<double>(Ticks{1} << kTicksPerUnitLog2); }

/// The polynomials that the backend evaluates for its j-particles.
inline Phase predict(const HermiteBody& b, double dt) {
  return {b.x + dt * (b.v + (dt / 2.0) * (b.a + (dt / 3.0) * (b.jerk + (dt / 4.0) * b.snap))),
          b.v + dt * (b.a + (dt / 2.0) * (b.jerk + (dt / 3.0) * b.snap))};
}

/// A body at its own time keeps its bits; adding zeros would turn -0 into +0.
inline Phase at(const HermiteBody& b, double t) {
  const double dt = t - to_time(b.t);
  return dt == 0.0 ? Phase{b.x, b.v} : predict(b, dt);
}

}  // namespace gdr::hostlib
