#include "relative_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

/// Numbers of substeps of one step whose results are extrapolated: the harmonic sequence, for an even method.
constexpr std::array<int, 8> kLeapfrogSubsteps{2, 4, 6, 8, 10, 12, 14, 16};
/// Two extrapolations of one step must agree to this, relative to place and velocity at its end. Below it is rounding.
constexpr double kMotionTolerance = 1e-13;
/// A step in the eccentric anomaly, of which a period has 2 pi.
constexpr double kLargestAnomaly = 1.5;
constexpr int kMotionHalvings = 60;         // of a step until it is given up
constexpr int kMotionSearches = 60;         // for the length of the last step
constexpr double kMotionTimeError = 4e-16;  // of an advance; what is left is made up by the acceleration
/// Kicks of one advance until it is given up, so that no motion keeps its caller for ever: some 3 s without perturbers.
/// An orbit takes 235 to 850 with tides of 0.01 at most (docs/notes/nbody.md), so this is nine times what the 8,192
/// orbits of a part of a step need (pair_field.h).
constexpr std::uint64_t kMostKicks = std::uint64_t{1} << 26;

using Relative = RelativeMotion;

Relative& operator+=(Relative& a, const Relative& b) {
  a.time += b.time;
  a.r += b.r;
  a.v += b.v;
  a.binding += b.binding;
  return a;
}
Relative relative_difference(const Relative& a, const Relative& b) {
  return {a.time - b.time, a.r - b.r, a.v - b.v, a.binding - b.binding};
}
Relative relative_times(const Relative& a, double s) { return {a.time * s, a.r * s, a.v * s, a.binding * s}; }

/// The right-hand sides, in the time s with ds = U dt, U = M / |r|.
class RelativeLeapfrog {
 public:
  RelativeLeapfrog(double mass, const Perturbation* perturbation) : mass_(mass), perturbation_(perturbation) {}

  /// The time of the result counts from that of `from`, so that a short step late in an advance has all its digits.
  [[nodiscard]] Relative over(const Relative& from, double s, int substeps) {
    kicks_ += static_cast<std::uint64_t>(substeps);
    if (kicks_ > kMostKicks) throw Error(fmt::format("its motion takes more than {} kicks", kMostKicks));
    Relative m = from;
    m.time = 0;
    const double h = s / substeps;
    drift(m, h / 2);
    for (int k = 0; k < substeps; ++k) {
      kick(m, h, from.time);
      drift(m, k + 1 < substeps ? h : h / 2);
    }
    return m;
  }

  [[nodiscard]] Vec3 acceleration(const Relative& m) const {
    const double r = norm(m.r);
    const Vec3 own = (-mass_ / (r * r * r)) * m.r;
    return perturbation_ == nullptr ? own : own + perturbation_->acceleration(m.r, m.time);
  }

  [[nodiscard]] double potential(const Relative& m) const { return mass_ / norm(m.r); }

 private:
  static void drift(Relative& m, double h) {
    const double dt = h / (dot(m.v, m.v) / 2 + m.binding);
    m.time += dt;
    m.r += dt * m.v;
  }
  void kick(Relative& m, double h, double begin) const {
    const double r = norm(m.r);
    const double dt = h * r / mass_;
    const Vec3 own = (-h / (r * r)) * m.r;
    if (perturbation_ == nullptr) {
      m.v += own;
      return;
    }
    const Vec3 by_others = dt * perturbation_->acceleration(m.r, begin + m.time);
    const Vec3 before = m.v;
    m.v += own;
    m.v += by_others;
    m.binding -= dot(0.5 * (before + m.v), by_others);
  }

  double mass_;
  const Perturbation* perturbation_;
  std::uint64_t kicks_ = 0;
};

bool extrapolations_agree(const Relative& a, const Relative& b) {
  const Relative d = relative_difference(a, b);
  return norm(d.r) <= kMotionTolerance * norm(a.r) && norm(d.v) <= kMotionTolerance * norm(a.v) &&
         std::fabs(d.time) <= kMotionTolerance * a.time;
}

/// One extrapolated step; nothing if it does not converge.
std::optional<Relative> extrapolated_step(RelativeLeapfrog& leapfrog, const Relative& from, double s) {
  std::array<Relative, kLeapfrogSubsteps.size()> row;  // extrapolations of the last number of substeps, of rising order
  for (std::size_t k = 0; k < kLeapfrogSubsteps.size(); ++k) {
    Relative entry = leapfrog.over(from, s, kLeapfrogSubsteps.at(k));
    for (std::size_t order = 0; order < k; ++order) {
      const double ratio = static_cast<double>(kLeapfrogSubsteps.at(k)) / kLeapfrogSubsteps.at(k - order - 1);
      Relative better = entry;
      better += relative_times(relative_difference(entry, row.at(order)), 1 / (ratio * ratio - 1));
      row.at(order) = entry;
      entry = better;
    }
    if (k >= 2 && extrapolations_agree(entry, row.at(k - 1))) {
      entry.time += from.time;
      return entry;
    }
    row.at(k) = entry;
  }
  return std::nullopt;
}

/// The longest of the steps s, s/2, ... that converges. `s` becomes its length.
Relative converged_step(RelativeLeapfrog& leapfrog, const Relative& from, double& s) {
  for (int halvings = 0; halvings < kMotionHalvings; ++halvings, s /= 2) {
    if (const std::optional<Relative> to = extrapolated_step(leapfrog, from, s)) return *to;
  }
  throw Error("its motion cannot be followed: does it meet another particle in one place?");
}

/// The end of the step at `time`, which a step of length `s` reaches or passes. Newton's method, since dt / ds = 1 / U,
/// in the bracket of what was tried.
Relative step_to_time(RelativeLeapfrog& leapfrog, const Relative& from, Relative to, double s, double time) {
  const double span = time - from.time;
  double low = 0;
  double high = s;
  for (int n = 0; n < kMotionSearches && std::fabs(to.time - time) > kMotionTimeError * span; ++n) {
    (to.time > time ? high : low) = s;
    const double wanted = s - (to.time - time) * leapfrog.potential(to);
    s = wanted > low && wanted < high ? wanted : 0.5 * (low + high);
    if (s == low || s == high) break;
    double taken = s;
    to = converged_step(leapfrog, from, taken);
    if (taken < s && to.time < time) return to;  // a shorter step converges, and others follow
    s = taken;
  }
  const double left = time - to.time;
  constexpr double kMadeUp = 1e-10;  // of the span: the acceleration makes up for the rest with an error of its cube
  if (left > kMadeUp * span) return to;
  if (left < -kMadeUp * span) throw Error("its motion cannot be followed to the end of the step");
  const Vec3 a = leapfrog.acceleration(to);
  to.r += left * (to.v + (left / 2) * a);
  to.v += left * a;
  to.time = time;
  return to;
}

}  // namespace

RelativeMotion advanced(const RelativeMotion& motion, double mass, double time, const Perturbation* perturbation) {
  RelativeLeapfrog leapfrog(mass, perturbation);
  Relative now = motion;
  double end = time;
  if (perturbation == nullptr && motion.binding > 0) {
    const double axis = mass / (2 * motion.binding);
    const double period = 2 * std::numbers::pi * axis * std::sqrt(axis / mass);
    end -= std::floor((end - now.time) / period) * period;
  }
  while (now.time < end) {
    if (!is_finite(now.r)) throw Error("its motion cannot be followed: its place is not finite");
    // ds = U dt = sqrt(M a) dE; for what is not bound, a is that of the pair if it were at apocentre.
    const double axis = now.binding > 0 ? mass / (2 * now.binding) : norm(now.r);
    double s = kLargestAnomaly * std::sqrt(mass * axis);
    const Relative next = converged_step(leapfrog, now, s);
    now = next.time < end ? next : step_to_time(leapfrog, now, next, s, end);
    if (std::fabs(now.time - end) <= kMotionTimeError * (end - motion.time)) break;
  }
  now.time = time;
  return now;
}

}  // namespace gdr::hostlib
