// What other bodies feel of a regularised pair beyond its mass in its centre of mass, and what the pair feels of them.
// Both follow from one energy, so that they keep it together: with d the distance of a body from the centre,
//   m w(d) [ M / d - m1 / d1 - m2 / d2 ],
// where w falls smoothly from 1 to 0 between two radii. Nearer than the first the pair is two bodies, farther than the
// second it is one.
#pragma once

#include <vector>

#include "gdr/hostlib/force_backend.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/regularised_pair.h"
#include "relative_motion.h"

namespace gdr::hostlib {

/// The radii, in apocentres of the pair. At the outer one the quadrupole is below 3e-4 of the pair's force.
inline constexpr double kInnerRadius = 15.0;
inline constexpr double kOuterRadius = 30.0;

/// The radius beyond which a pair is one body.
inline double outer_radius(const RegularisedPair& pair) { return kOuterRadius * pair.size; }

/// What the pair adds to the force on a body at `d`, with velocity `u`, from its centre of mass: zero beyond the outer
/// radius.
[[nodiscard]] Force field_beyond_centre(const RegularisedPair& pair, const Vec3& d, const Vec3& u);

/// Bodies that perturb a pair, while their predictions hold.
class Perturbers final : public Perturbation {
 public:
  /// Those of pair.neighbours that may be within the outer radius between two times. `pair` and `bodies` must outlive
  /// the object.
  Perturbers(const RegularisedPair& pair, const std::vector<HermiteBody>& bodies, double begin, double end);
  [[nodiscard]] bool none() const { return perturbers_.empty(); }
  /// `time` counts from `begin`.
  [[nodiscard]] Vec3 acceleration(const Vec3& r, double time) const override;

 private:
  const RegularisedPair& pair_;
  const HermiteBody& centre_;
  double begin_;
  std::vector<const HermiteBody*> perturbers_;
};

/// By body: whether it is the second star of a pair. Throws gdr::Error if a pair has a body that there is not, or that
/// another pair has.
[[nodiscard]] std::vector<bool> ghosts_of(const HermiteState& state);
/// Throws gdr::Error if a pair of a state whose indices are right breaks a rule.
void check_pair(const RegularisedPair& pair, const HermiteState& state);
/// The largest semi-major axis of pairs that are regularised, from bodies that know their potentials: the virial or the
/// half-mass radius, whichever is larger, divided by the number of bodies; a pair of that size has some three times the
/// mean kinetic energy of a particle of the cluster. Infinite for up to four bodies, of which every pair matters.
[[nodiscard]] double close_axis_of(const Particles& particles, const HermiteState& state);

/// Orbits with perturbers that are followed as one; a time of more is halved until its parts have fewer orbits or no
/// perturbers. Measured runs have 171 in a step at most (docs/notes/nbody.md), so parts do not change them.
inline constexpr double kOrbitsOfPart = 8192;
/// Orbits with perturbers that a pair may have in a step, which take 1 s to 5 s and more.
inline constexpr double kMostOrbits = 131072;

/// The pair at time `until`, >= that of pair.t, except for pair.t. Throws gdr::Error with the ids of its particles if
/// others perturb more than kMostOrbits of its orbits, and as advanced() does.
[[nodiscard]] RegularisedPair moved(const RegularisedPair& pair, const std::vector<HermiteBody>& bodies, double until);

/// Apocentre a (1 + e) of the two alone; infinite if they are not bound.
[[nodiscard]] double apocentre(double mass, const Vec3& r, const Vec3& v, double binding);

}  // namespace gdr::hostlib
