// Regularised pairs against Kepler's formulae and against integrations in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "integration/relative_motion.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::ScratchDirectory;
using testing::worse;
using Long = long double;

/// Place on an orbit in the x, y plane with G M = 1 and a = 1, its pericentre on the x axis; `anomaly` is the mean one,
/// 0 at the pericentre.
std::array<Long, 2> on_orbit(Long eccentricity, Long anomaly) {
  Long low = 0;
  Long high = 2 * std::numbers::pi_v<Long>;
  anomaly = std::fmod(anomaly, high);
  while (true) {
    const Long middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (middle - eccentricity * std::sin(middle) < anomaly ? low : high) = middle;
  }
  return {std::cos(low) - eccentricity, std::sqrt(1 - eccentricity * eccentricity) * std::sin(low)};
}

class NoPerturbation final : public Perturbation {
 public:
  [[nodiscard]] Vec3 acceleration(const Vec3& /*r*/, double /*time*/) const override { return {}; }
};

TEST(RelativeMotion, FollowsOrbitsOfAnyEccentricity) {
  const NoPerturbation none;
  constexpr double kPeriod = 2 * std::numbers::pi;
  for (const double e : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    for (const bool at_pericentre : {true, false}) {
      const double side = at_pericentre ? 1 - e : -1 - e;
      const double speed = std::sqrt(2 / std::fabs(side) - 1);
      const RelativeMotion start{0, {side, 0, 0}, {0, at_pericentre ? speed : -speed, 0}, 0.5};
      for (const double t : {0.01, 1.0, 2.0, 3.1, 5 * kPeriod + 0.4}) {
        for (const Perturbation* perturbation :
             {static_cast<const Perturbation*>(nullptr), static_cast<const Perturbation*>(&none)}) {
          const RelativeMotion end = advanced(start, 1, t, perturbation);
          const auto expected = on_orbit(e, t + (at_pericentre ? 0 : std::numbers::pi_v<Long>));
          const double error =
              std::hypot(end.r.x - static_cast<double>(expected[0]), end.r.y - static_cast<double>(expected[1]));
          // Each of some 60 steps may err by 1e-13 of its end, and a pericentre magnifies what came before by 1 / (1 -
          // e).
          EXPECT_LT(error, 1e-11 / (1 - e)) << "e " << e << " t " << t << " from " << side;
          EXPECT_EQ(end.time, t);
          EXPECT_NEAR(end.binding, 0.5, 1e-15);
        }
      }
    }
  }
}

TEST(RelativeMotion, FollowsPairsThatAreNotBound) {
  // A parabola: y^2 = 2 - 4 x ... by its energy and its angular momentum.
  const RelativeMotion start{0, {0.5, 0, 0}, {0, 2, 0}, 0};
  const RelativeMotion end = advanced(start, 1, 3, nullptr);
  EXPECT_NEAR(dot(end.v, end.v) / 2 - 1 / norm(end.r), 0, 1e-12);
  EXPECT_NEAR(cross(end.r, end.v).z, 1, 1e-12);
}

/// As noise would: no two evaluations at places that differ are alike.
class RoughPerturbation final : public Perturbation {
 public:
  [[nodiscard]] Vec3 acceleration(const Vec3& r, double /*time*/) const override {
    return {1e-7 * std::sin(1e12 * r.x), 0, 0};
  }
};

TEST(RelativeMotion, EndsWithAnErrorIfItNeedsStepsWithoutEnd) {
  const RoughPerturbation rough;
  const RelativeMotion start{0, {1.5, 0, 0}, {0, std::sqrt(2 / 1.5 - 1), 0}, 0.5};
  const std::string error = error_of([&] { static_cast<void>(advanced(start, 1, 1000, &rough)); });
  EXPECT_NE(error.find("its motion"), std::string::npos) << error;
}

HermiteOptions regularised(double eta) { return {.eta = eta, .eps = 0, .regularise = true}; }

/// Two bodies with a = 1 and mass 1 together, at apocentre, that fly through space together.
Particles flying_binary(double e) {
  Particles particles;
  const double far = 1 + e;
  const double speed = std::sqrt(2 / far - 1);
  particles.push_back(0, 0.75, {-0.25 * far + 3, 1, -2}, {0.5, -0.25 * speed + 0.25, 0.125});
  particles.push_back(1, 0.25, {0.75 * far + 3, 1, -2}, {0.5, 0.75 * speed + 0.25, 0.125});
  return particles;
}

TEST(RegularisedBinaries, KeepTheEnergyOfTwoBodiesForAnyEccentricity) {
  for (const double e : {0.0, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    DirectForce force;
    const Particles start = flying_binary(e);
    HermiteIntegrator integrator(force, start, regularised(0.1));
    ASSERT_EQ(integrator.state().pairs.size(), 1U);
    const double energy0 = energy(start, 0).internal();
    for (const double t : {0.3, 6.25, 62.8}) {
      integrator.evolve(t);
      const Particles now = integrator.particles_at(t);
      EXPECT_NEAR(energy(now, 0).internal() / energy0, 1, 1e-11 / (1 - e)) << e << " " << t;
      const auto expected = on_orbit(e, t + std::numbers::pi_v<Long>);
      const Vec3 r = now.position[1] - now.position[0];
      // The orbit of `binary` has its pericentre at negative x.
      EXPECT_NEAR(r.x, -static_cast<double>(expected[0]), 1e-10 / (1 - e)) << e << " " << t;
      EXPECT_NEAR(r.y, -static_cast<double>(expected[1]), 1e-10 / (1 - e)) << e << " " << t;
      EXPECT_NEAR(centre_of_mass(now).x, 3 + 0.5 * t, 1e-12 * t + 1e-14);
    }
    EXPECT_LT(integrator.counters().steps,
              1000U);  // plain steps take some 600 a period for e = 0 and more with every e
  }
}

/// Three bodies in long double by Gragg's midpoint rule with extrapolation.
class Reference {
 public:
  explicit Reference(const Particles& particles) : mass_(particles.mass) {
    for (const auto* vectors : {&particles.position, &particles.velocity}) {
      for (const Vec3& v : *vectors) y_.insert(y_.end(), {v.x, v.y, v.z});
    }
  }
  void evolve(Long time) {
    Long h = 0x1p-10L;
    for (Long t = 0; t < time;) {
      h = std::min(h, time - t);
      if (step(h)) {
        t += h;
        h *= 1.1L;
      } else {
        h /= 2;
      }
    }
  }
  [[nodiscard]] Vec3 position(std::size_t k) const { return vector(3 * k); }
  [[nodiscard]] Vec3 velocity(std::size_t k) const { return vector(3 * (mass_.size() + k)); }

 private:
  using State = std::vector<Long>;
  [[nodiscard]] Vec3 vector(std::size_t at) const {
    return {static_cast<double>(y_[at]), static_cast<double>(y_[at + 1]), static_cast<double>(y_[at + 2])};
  }
  [[nodiscard]] State rates(const State& y) const {
    const std::size_t n = mass_.size();
    State f(y.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) f[3 * i + axis] = y[3 * (n + i) + axis];
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        std::array<Long, 3> d{};
        Long r2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          d[axis] = y[3 * j + axis] - y[3 * i + axis];
          r2 += d[axis] * d[axis];
        }
        for (std::size_t axis = 0; axis < 3; ++axis) f[3 * (n + i) + axis] += mass_[j] * d[axis] / (r2 * std::sqrt(r2));
      }
    }
    return f;
  }
  [[nodiscard]] State midpoint(Long step, int substeps) const {
    const Long h = step / substeps;
    State before = y_;
    State now = y_;
    State f = rates(y_);
    for (std::size_t k = 0; k < now.size(); ++k) now[k] += h * f[k];
    for (int s = 1; s < substeps; ++s) {
      f = rates(now);
      for (std::size_t k = 0; k < now.size(); ++k) {
        const Long next = before[k] + 2 * h * f[k];
        before[k] = now[k];
        now[k] = next;
      }
    }
    f = rates(now);
    for (std::size_t k = 0; k < now.size(); ++k) now[k] = (before[k] + now[k] + h * f[k]) / 2;
    return now;
  }
  bool step(Long h) {
    std::vector<State> row;
    for (int k = 0; k < 12; ++k) {
      State entry = midpoint(h, 2 * (k + 1));
      for (int order = 0; order < k; ++order) {
        const Long ratio = static_cast<Long>(k + 1) / (k - order);
        State& other = row[static_cast<std::size_t>(order)];
        State better = entry;
        for (std::size_t n = 0; n < entry.size(); ++n) better[n] += (entry[n] - other[n]) / (ratio * ratio - 1);
        other = entry;
        entry = better;
      }
      if (k >= 4) {
        Long worst = 0;
        for (std::size_t n = 0; n < entry.size(); ++n) worst = worse(worst, std::fabs(entry[n] - row.back()[n]));
        if (worst < 1e-17L) {
          y_ = entry;
          return true;
        }
      }
      row.push_back(entry);
    }
    return false;
  }

  std::vector<double> mass_;
  State y_;
};

/// A pair with a = 0.01 and e = 0.5, about which a third body goes at `ratio` times its axis, inclined by 60 degrees.
Particles triple(double ratio) {
  constexpr double kFirst = 0.3;
  constexpr double kSecond = 0.2;
  constexpr double kThird = 0.5;
  constexpr double kPair = kFirst + kSecond;
  constexpr double kAll = kPair + kThird;
  const double a = 0.01;
  const double far = a * 1.5;
  const double outer = a * ratio;
  const double outer_far = outer * 1.2;
  const Vec3 r{far, 0, 0};
  const Vec3 v{0, std::sqrt(kPair * (2 / far - 1 / a)), 0};
  const Vec3 d{0.5 * outer_far, 0, std::sqrt(0.75) * outer_far};
  const Vec3 u{0, std::sqrt(kAll * (2 / outer_far - 1 / outer)), 0};
  const Vec3 centre = (-kThird / kAll) * d;
  const Vec3 motion = (-kThird / kAll) * u;
  Particles particles;
  particles.push_back(0, kFirst, centre - (kSecond / kPair) * r, motion - (kSecond / kPair) * v);
  particles.push_back(1, kSecond, centre + (kFirst / kPair) * r, motion + (kFirst / kPair) * v);
  particles.push_back(2, kThird, (kPair / kAll) * d, (kPair / kAll) * u);
  return particles;
}

TEST(RegularisedBinaries, ConvergeToTheTripleInLongDouble) {
  const Particles start = triple(8);
  const double end = 0.25;  // 1.8 periods of the outer orbit, 28 of the inner one, in which e grows and the plane turns
  Reference reference(start);
  reference.evolve(end);
  const Vec3 expected = reference.position(1) - reference.position(0);
  double before = 0;
  for (const double eta : {0.1, 0.05, 0.025}) {
    DirectForce force;
    HermiteIntegrator integrator(force, start, regularised(eta));
    ASSERT_EQ(integrator.state().pairs.size(), 1U);
    integrator.evolve(end);
    const Particles now = integrator.particles_at(end);
    const double error = norm(now.position[1] - now.position[0] - expected) / 0.01;
    const double error_of_third = norm(now.position[2] - reference.position(2)) / 0.08;
    EXPECT_LT(error, 2e-6) << eta;
    EXPECT_LT(error_of_third, 2e-5) << eta;
    if (before > 0) {
      EXPECT_LT(error, before / 8) << eta;  // fourth order or more, with scatter
    }
    before = error;
    EXPECT_NEAR(energy(now, 0).total() / energy(start, 0).total(), 1, 1e-6);
    EXPECT_EQ(integrator.pairs_dissolved(), 0U);
  }
}

TEST(RegularisedBinaries, BecomeOneBodySmoothlyWithDistance) {
  // The third body's orbit goes through both radii, 15 and 30 apocentres, and the energy is that of all pairs.
  const Particles start = triple(20);
  DirectForce force;
  HermiteIntegrator integrator(force, start, regularised(0.025));
  const double energy0 = energy(start, 0).total();
  double worst = 0;
  for (int k = 1; k <= 32; ++k) {
    const double t = k / 16.0;
    integrator.evolve(t);
    worst = worse(worst, std::fabs(energy(integrator.particles_at(t), 0).total() / energy0 - 1));
  }
  // What is left out beyond the radii: the pair's quadrupole, 1/4 (1.5 / 20)^2 ... of m / d, beside the pair's energy.
  EXPECT_LT(worst, 5e-6);
  EXPECT_EQ(integrator.state().pairs.size(), 1U);
}

/// A sphere with a hard pair at its centre and other bodies that come near it.
Particles sphere_with_pair() {
  Particles particles = make_plummer(32, 3);
  const double a = 0.004;
  const double mass = particles.mass[0] + particles.mass[1];
  const double speed = std::sqrt(mass / a * (1 - 0.3) / (1 + 0.3));
  particles.position[0] = {-0.5 * a * 1.3, 0, 0};
  particles.position[1] = {0.5 * a * 1.3, 0, 0};
  particles.velocity[0] = {0, -0.5 * speed, 0};
  particles.velocity[1] = {0, 0.5 * speed, 0};
  return particles;
}

TEST(RegularisedBinaries, InAClusterKeepTheEnergyInFewerSteps) {
  const Particles start = sphere_with_pair();
  const double energy0 = energy(start, 0).total();
  std::array<std::uint64_t, 2> steps{};
  for (const bool regularise : {false, true}) {
    DirectForce force;
    HermiteIntegrator integrator(force, start, {.eta = 0.05, .eps = 0, .regularise = regularise});
    integrator.evolve(1);
    // A body at 30 apocentres has an energy of m M / d = 1e-2 with the pair, of which the quadrupole that is left out
    // there is 3e-4 at most, beside a whole energy of 0.37.
    EXPECT_NEAR(energy(integrator.particles_at(1), 0).total() / energy0, 1, regularise ? 1e-5 : 1e-6);
    steps[regularise ? 1 : 0] = integrator.counters().steps;
    EXPECT_EQ(integrator.state().pairs.size(), regularise ? 1U : 0U);
  }
  EXPECT_LT(3 * steps[1], steps[0]);
}

TEST(RegularisedBinaries, OutputsAndRestartsChangeNoBit) {
  const Particles start = sphere_with_pair();
  DirectForce force;
  HermiteIntegrator whole(force, start, regularised(0.1));
  whole.evolve(0.75);
  const ScratchDirectory directory;
  DirectForce first_force;
  HermiteIntegrator first(first_force, start, regularised(0.1));
  for (const double t : {0.1, 0.2, 0.25, 0.3}) {
    first.evolve(t);
    static_cast<void>(first.particles_at(t));
  }
  write_checkpoint(directory / "c", {first.state(), energy(start, 0).total(), "{}"});
  const Checkpoint read = read_checkpoint(directory / "c");
  EXPECT_EQ(read.state, first.state());
  EXPECT_FALSE(read.state.pairs.front().neighbours.empty());
  DirectForce second_force;
  HermiteIntegrator second(second_force, read.state);
  second.evolve(0.75);
  EXPECT_EQ(second.state(), whole.state());
  EXPECT_EQ(state_hash(second.particles_at(0.75)), state_hash(whole.particles_at(0.75)));
}

TEST(RegularisedBinaries, AreGivenUpWhenABodyComesAsNearAsTheirSize) {
  // A third body that flies between the two.
  Particles particles = flying_binary(0.3);
  particles.push_back(2, 0.5, {3, 1 + 8, -2}, {0.5, -2, 0.125});
  DirectForce force;
  HermiteIntegrator integrator(force, particles, regularised(0.02));
  EXPECT_EQ(integrator.state().pairs.size(), 1U);
  const double energy0 = energy(particles, 0).internal();
  integrator.evolve(8);
  EXPECT_GE(integrator.pairs_dissolved(), 1U);
  EXPECT_NEAR(energy(integrator.particles_at(8), 0).internal() / energy0, 1, 1e-6);
}

/// The state of `triple(20)`, its pair made `factor` times smaller: an orbit of it lasts factor^1.5 times shorter.
HermiteState with_smaller_pair(double factor) {
  DirectForce force;
  HermiteState state = HermiteIntegrator(force, triple(20), regularised(0.1)).state();
  RegularisedPair& pair = state.pairs.at(0);
  pair.r = (1 / factor) * pair.r;
  pair.v = std::sqrt(factor) * pair.v;
  pair.binding *= factor;
  return state;
}

TEST(RegularisedBinaries, WithOrbitsBeyondCountEndTheRunWithTheirNames) {
  // The third body is nearer than 30 times `size` the whole time, as far as the state says.
  const HermiteState state = with_smaller_pair(1e8);
  DirectForce force;
  HermiteIntegrator integrator(force, state);
  const std::string error = error_of([&] { integrator.evolve(1); });
  EXPECT_NE(error.find("the pair of particles 0 and 1, from t = 0 to "), std::string::npos) << error;
  EXPECT_NE(error.find("up to 131072 are followed"), std::string::npos) << error;
  EXPECT_EQ(integrator.state(), state);  // as before the step
}

TEST(RegularisedBinaries, ThatNobodyIsNearPassAnyNumberOfOrbits) {
  // 1e8 orbits a unit of time. A light body flies past at 0.03, a thousand times the radius within which it perturbs,
  // and its speed lets it come there at any time of the pair's steps of 1/8, which a heavy body far away decides.
  const double a = 1e-6;
  Particles particles;
  const double speed = std::sqrt(0.5 / a);
  particles.push_back(0, 0.25, {-a / 2, 0, 0}, {0, -speed / 2, 0});
  particles.push_back(1, 0.25, {a / 2, 0, 0}, {0, speed / 2, 0});
  particles.push_back(2, 1e-8, {-4, 0.03, 0}, {64, 0, 0});
  particles.push_back(3, 1, {0, 0, 10}, {0, 0, 0});
  DirectForce force;
  HermiteIntegrator integrator(force, particles, regularised(0.1));
  ASSERT_EQ(integrator.state().pairs.size(), 1U);
  integrator.evolve(0.125);
  const RegularisedPair& pair = integrator.state().pairs.at(0);
  EXPECT_NEAR(pair.mass() / (2 * pair.binding) / a, 1, 1e-9);
  EXPECT_NEAR(energy(integrator.particles_at(0.125), 0).internal() / energy(particles, 0).internal(), 1, 1e-9);
}

TEST(RegularisedBinaries, NeedNoSoftening) {
  DirectForce force;
  const std::string error =
      error_of([&] { HermiteIntegrator(force, flying_binary(0.5), {.eta = 0.1, .eps = 0.01, .regularise = true}); });
  EXPECT_NE(error.find("eps = 0.01 is refused with regularised binaries"), std::string::npos) << error;
}

TEST(RegularisedBinaries, StatesThatBreakTheirRulesAreRefused) {
  DirectForce force;
  const HermiteState good = HermiteIntegrator(force, sphere_with_pair(), regularised(0.1)).state();
  const auto refusal = [&](auto change) {
    HermiteState bad = good;
    change(bad);
    return error_of([&] { validate(bad); });
  };
  EXPECT_NO_THROW(validate(good));
  EXPECT_NE(refusal([](HermiteState& s) { s.pairs[0].ghost = 99; }).find("two bodies of no other pair"),
            std::string::npos);
  EXPECT_NE(refusal([](HermiteState& s) { s.pairs.push_back(s.pairs[0]); }).find("two bodies of no other pair"),
            std::string::npos);
  EXPECT_NE(refusal([](HermiteState& s) { s.pairs[0].first_mass *= 2; }).find("do not have its mass"),
            std::string::npos);
  // The second star takes no steps; its derivatives are written to checkpoints nevertheless.
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal([](HermiteState& s) { s.bodies[s.pairs[0].ghost].snap.x = kNoNumber; }).find("is not finite"),
            std::string::npos);
  EXPECT_NE(refusal([](HermiteState& s) { s.pairs[0].r = {}; }).find("its orbit is not finite"), std::string::npos);
  EXPECT_NE(refusal([](HermiteState& s) { s.pairs[0].neighbours = {5, 5}; }).find("not ascending"), std::string::npos);
  EXPECT_NE(refusal([](HermiteState& s) { s.options.regularise = false; }).find("do not regularise"),
            std::string::npos);
}

}  // namespace
}  // namespace gdr::hostlib
