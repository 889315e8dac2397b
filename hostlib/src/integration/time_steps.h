// Lengths of steps: powers of two of ticks, and the first step of a body.
#pragma once

#include <cmath>

#include "gdr/hostlib/hermite.h"
#include "prediction.h"

namespace gdr::hostlib {

inline constexpr Ticks kSmallestStep = Ticks{1} << (kTicksPerUnitLog2 + kSmallestStepLog2);
inline constexpr Ticks kLargestStep = Ticks{1} << (kTicksPerUnitLog2 + kLargestStepLog2);
// The first step is this fraction of eta times a time scale. Until the first correction the snap is unknown, and
// |a|/|jerk| is a coarse time scale. With fraction 1 the first steps alone cost a Plummer sphere 1e-5 of its energy;
// 1/8 and 1/16 leave the same error, and 1/16 also suits the cold start. Four doublings make up for it.
inline constexpr double kFirstStepFraction = 0x1p-4;

/// Largest power of two of ticks that is not above `dt`, within the limits of steps. NaN gives the largest step.
inline Ticks step_of(double dt) {
  if (!(dt < to_time(kLargestStep))) return kLargestStep;
  if (dt < to_time(kSmallestStep)) return kSmallestStep;
  return Ticks{1} << (kTicksPerUnitLog2 + std::ilogb(dt));
}

/// First step, before any higher derivative is known. The time scale is |a|/|jerk|, or the free-fall time
/// sqrt(|pot|)/|a| where that is shorter or the jerk vanishes, as in a start at rest.
inline double first_step(const Force& f, double eta) {
  const double a = norm(f.acc);
  const double by_jerk = a / norm(f.jerk);
  const double by_fall = std::sqrt(std::fabs(f.pot)) / a;
  return kFirstStepFraction * eta * (by_fall < by_jerk || std::isnan(by_jerk) ? by_fall : by_jerk);
}

}  // namespace gdr::hostlib
