// The energy of a run's particles, which must be a number.
#pragma once

#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// Throws gdr::Error if it is not finite.
[[nodiscard]] Energy finite_energy(const Particles& particles, double eps);

}  // namespace gdr::hostlib
