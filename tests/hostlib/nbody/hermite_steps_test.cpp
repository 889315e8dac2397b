// The rules of the block time steps, what the force engine is asked, and what a caller may not ask.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::binary;
using testing::error_of;

constexpr Ticks kUnit = Ticks{1} << 40;
constexpr Ticks kLongest = kUnit / 8;

double to_time(Ticks t) { return std::ldexp(static_cast<double>(t), -40); }

// Forwards to DirectForce and keeps the calls.
class Recorder final : public ForceBackend {
 public:
  void set_j_count(std::size_t n) override {
    memory.resize(n);
    direct_.set_j_count(n);
  }
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override {
    for (std::size_t k = 0; k < addresses.size(); ++k) memory.at(addresses[k]) = particles[k];
    direct_.set_j_particles(addresses, particles);
  }
  void set_time(double t) override {
    time = t;
    direct_.set_time(t);
  }
  std::vector<Force> evaluate(std::span<const IParticle> i, double eps2) override {
    last_call.assign(i.begin(), i.end());
    interactions += i.size() * memory.size();
    ++calls;
    squared_softening = eps2;
    return direct_.evaluate(i, eps2);
  }

  std::vector<JParticle> memory;
  std::vector<IParticle> last_call;
  double time = 0.0;
  double squared_softening = 0.0;
  std::uint64_t interactions = 0;
  std::uint64_t calls = 0;

 private:
  DirectForce direct_;
};

// Forces that are a given function of time alone.
class Scripted final : public ForceBackend {
 public:
  explicit Scripted(std::function<Force(double)> law) : law_(std::move(law)) {}
  void set_j_count(std::size_t) override {}
  void set_j_particles(std::span<const std::size_t>, std::span<const JParticle>) override {}
  void set_time(double t) override { time_ = t; }
  std::vector<Force> evaluate(std::span<const IParticle> i, double) override {
    return std::vector<Force>(i.size(), law_(time_));
  }

 private:
  std::function<Force(double)> law_;
  double time_ = 0.0;
};

Particles one_particle() {
  Particles p;
  p.push_back(0, 1.0, {}, {1.0, 0.0, 0.0});
  return p;
}

TEST(BlockSteps, EveryBlockIsExactlyTheParticlesThatAreDueFirst) {
  DirectForce force;
  HermiteIntegrator integrator(force, make_plummer(64, 2), {});
  std::vector<HermiteBody> before = integrator.state().bodies;
  std::uint64_t grown = 0;
  std::uint64_t shrunk = 0;
  integrator.evolve(0.5, [&](const HermiteIntegrator& now) {
    const auto due = [](const HermiteBody& b) { return b.t + b.dt; };
    Ticks first = due(before[0]);
    for (const HermiteBody& b : before) first = std::min(first, due(b));
    ASSERT_EQ(now.state().time, first);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const HermiteBody& a = before[k];
      const HermiteBody& b = now.state().bodies[k];
      if (due(a) != first) {
        ASSERT_EQ(b, a);
        continue;
      }
      ASSERT_EQ(b.t, first);
      ASSERT_TRUE(std::has_single_bit(static_cast<std::uint64_t>(b.dt)));
      ASSERT_LE(b.dt, kLongest);
      ASSERT_EQ(b.t % b.dt, 0);   // doubled only where the doubled step fits
      ASSERT_LE(b.dt, 2 * a.dt);  // doubled once at most
      grown += b.dt > a.dt;
      shrunk += b.dt < a.dt;
    }
    before = now.state().bodies;
  });
  EXPECT_GT(grown, 64U);
  EXPECT_GT(shrunk, 64U);
}

TEST(BlockSteps, SmoothForceDoublesTheStepUpToAnEighth) {
  Scripted force([](double) { return Force{{0.0, 3.0, 0.0}, {}, -1e-12}; });
  HermiteIntegrator integrator(force, one_particle(), {});
  Ticks last = integrator.state().bodies[0].dt;
  ASSERT_LT(last, kLongest / 64);
  integrator.evolve(1.0, [&](const HermiteIntegrator& now) {
    const HermiteBody& b = now.state().bodies[0];
    EXPECT_EQ(b.dt, last < kLongest && b.t % (2 * last) == 0 ? 2 * last : last);
    last = b.dt;
  });
  EXPECT_EQ(last, kLongest);
  EXPECT_NEAR(norm(integrator.particles_at(1.0).position[0] - Vec3{1.0, 1.5, 0.0}), 0.0, 1e-15);
}

TEST(BlockSteps, SuddenForceShortensTheStepAtOnce) {
  const auto law = [](double t) {
    const double w = t < 0.5 ? 1.0 : 1000.0;
    return Force{{std::sin(w * t), 0.0, 0.0}, {w * std::cos(w * t), 0.0, 0.0}, -1.0};
  };
  Scripted force(law);
  HermiteIntegrator integrator(force, one_particle(), {});
  integrator.evolve(std::nextafter(0.5, 0.0));
  const Ticks before = integrator.state().bodies[0].dt;
  integrator.step();
  EXPECT_LE(integrator.state().bodies[0].dt, before / 8);
}

TEST(BlockSteps, AreProportionalToEta) {
  std::vector<double> steps;
  for (const double eta : {0.1, 0.05, 0.025}) {
    DirectForce force;
    HermiteIntegrator integrator(force, binary(0.5), {eta, 0.0});
    integrator.evolve(6.25);
    steps.push_back(static_cast<double>(integrator.counters().steps));
  }
  EXPECT_NEAR(steps[1] / steps[0], 2.0, 0.1);
  EXPECT_NEAR(steps[2] / steps[1], 2.0, 0.1);
}

TEST(BlockSteps, StepsBelowTheSmallestAreHeldAndCounted) {
  int call = 0;
  Scripted force([&](double) {
    ++call;
    return Force{{call % 2 == 0 ? 1.0 : -1.0, 0.0, 0.0}, {1e16, 0.0, 0.0}, -1.0};
  });
  HermiteIntegrator integrator(force, one_particle(), {});
  integrator.step();
  EXPECT_EQ(integrator.state().bodies[0].dt, 1);
  EXPECT_EQ(integrator.counters().smallest_steps, 1U);
}

TEST(ForceCalls, CountersAreThoseOfTheCallsMade) {
  Recorder force;
  HermiteIntegrator integrator(force, make_plummer(48, 3), {0.1, 0.02});
  EXPECT_EQ(integrator.counters().interactions, 48U * 48U);
  std::vector<std::uint64_t> sizes(49, 0);
  std::uint64_t steps = 0;
  integrator.evolve(0.25, [&](const HermiteIntegrator&) {
    ++sizes[force.last_call.size()];
    steps += force.last_call.size();
  });
  const HermiteCounters& c = integrator.counters();
  EXPECT_EQ(c.interactions, force.interactions);
  EXPECT_EQ(c.block_steps + 1, force.calls);
  EXPECT_EQ(c.steps, steps);
  EXPECT_EQ(c.block_sizes, sizes);
  EXPECT_EQ(force.squared_softening, 0.02 * 0.02);
}

TEST(ForceCalls, BoardHoldsEachParticleAsOfItsLastStep) {
  Recorder force;
  HermiteIntegrator integrator(force, make_plummer(32, 3), {});
  const auto check = [&](const HermiteIntegrator& now) {
    EXPECT_EQ(force.time, now.time());
    for (std::size_t k = 0; k < force.memory.size(); ++k) {
      const JParticle& j = force.memory[k];
      const HermiteBody& b = now.state().bodies[k];
      ASSERT_EQ(j.id, b.id);
      ASSERT_EQ(j.mass, b.mass);
      ASSERT_EQ(j.t0, to_time(b.t));
      ASSERT_EQ(j.x, b.x);
      ASSERT_EQ(j.v, b.v);
      ASSERT_LE(norm(2.0 * j.a_by_2 - b.a), 1e-15 * norm(b.a));
      ASSERT_LE(norm(6.0 * j.jerk_by_6 - b.jerk), 1e-15 * norm(b.jerk));
      ASSERT_LE(norm(18.0 * j.snap_by_18 - b.snap), 1e-15 * norm(b.snap));
    }
  };
  check(integrator);
  integrator.evolve(0.25, check);
}

TEST(ForceCalls, TargetsAreWhereTheBoardPredictsTheSameParticle) {
  Recorder force;
  HermiteIntegrator integrator(force, make_plummer(32, 3), {});
  for (int k = 0; k < 200; ++k) {
    const std::vector<JParticle> memory = force.memory;
    integrator.step();
    for (const IParticle& i : force.last_call) {
      const JParticle& j = memory[static_cast<std::size_t>(i.id)];
      const double d = force.time - j.t0;
      const Vec3 x =
          j.x + j.v * d + j.a_by_2 * (d * d) + j.jerk_by_6 * (d * d * d) + j.snap_by_18 * (0.75 * d * d * d * d);
      const Vec3 v = j.v + j.a_by_2 * (2.0 * d) + j.jerk_by_6 * (3.0 * d * d) + j.snap_by_18 * (3.0 * d * d * d);
      EXPECT_LE(norm(i.x - x), 1e-14);
      EXPECT_LE(norm(i.v - v), 1e-14);
    }
  }
}

// A sphere in which particle 7 is there twice, the second time with another mass and at the end of the list.
Particles sphere_with_twin() {
  Particles p = make_plummer(16, 3);
  p.push_back(99, 2.0 * p.mass[7], p.position[7], p.velocity[7]);
  return p;
}

TEST(Twins, AreOneParticleForTheEngineAndTwoForEverybodyElse) {
  Recorder force;
  HermiteIntegrator integrator(force, sphere_with_twin(), {0.1, 0.0});
  integrator.evolve(0.25, [&](const HermiteIntegrator& now) {
    for (const IParticle& i : force.last_call) ASSERT_NE(i.id, 99);
    EXPECT_EQ(force.memory.back().id, 7);
    EXPECT_EQ(force.memory.back().mass, 2.0 * force.memory[7].mass);
    EXPECT_EQ(force.memory.back().x, force.memory[7].x);
    EXPECT_EQ(now.state().bodies.back().id, 99);
  });
  const Particles now = integrator.particles_at(0.25);
  EXPECT_EQ(now.id.back(), 99);
  EXPECT_EQ(now.position.back(), now.position[7]);
  EXPECT_EQ(now.velocity.back(), now.velocity[7]);
}

TEST(Twins, ArePartOfEachOthersPotentialWithSoftening) {
  constexpr double eps = 1e-12;
  DirectForce direct;
  const Particles start = sphere_with_twin();
  HermiteIntegrator integrator(direct, start, {0.1, eps});
  EXPECT_NEAR(integrator.backend_potential_energy() / potential_energy(start, eps), 1.0, 1e-14);
  const double before = energy(start, eps).total();
  integrator.evolve(0.25);
  EXPECT_NEAR(energy(integrator.particles_at(0.25), eps).total() / before, 1.0, 1e-14);
  EXPECT_EQ(integrator.state().bodies.back().dt, integrator.state().bodies[7].dt);
}

TEST(Twins, ContinueFromAStateWithTheSameBits) {
  DirectForce direct;
  HermiteIntegrator whole(direct, sphere_with_twin(), {0.1, 0.0});
  whole.evolve(0.125);
  Recorder other;
  HermiteIntegrator continued(other, whole.state());
  EXPECT_EQ(other.memory.back().id, 7);
  whole.evolve(0.25);
  continued.evolve(0.25);
  EXPECT_EQ(whole.state(), continued.state());
}

// A backend that pulls the second of two equal i-particles elsewhere.
TEST(Twins, AreTwoParticlesAgainOnceTheirForcesDiffer) {
  class Unequal final : public ForceBackend {
   public:
    void set_j_count(std::size_t) override {}
    void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override {
      for (std::size_t k = 0; k < addresses.size(); ++k) ids.at(addresses[k]) = particles[k].id;
    }
    void set_time(double t) override { time_ = t; }
    std::vector<Force> evaluate(std::span<const IParticle> i, double) override {
      std::vector<Force> forces(i.size());
      for (std::size_t k = 0; k < i.size(); ++k) forces[k] = {{1.0 + time_ * static_cast<double>(k), 0, 0}, {}, -1.0};
      return forces;
    }
    std::vector<std::int64_t> ids{-1, -1};

   private:
    double time_ = 0.0;
  };
  Particles pair;
  pair.push_back(3, 1.0, {}, {});
  pair.push_back(4, 1.0, {}, {});
  Unequal force;
  HermiteIntegrator integrator(force, pair, {});
  EXPECT_EQ(force.ids, (std::vector<std::int64_t>{3, 3}));
  integrator.step();
  EXPECT_EQ(force.ids, (std::vector<std::int64_t>{3, 4}));
}

TEST(Evolve, OutputsInBetweenDoNotChangeTheRun) {
  const Particles start = make_plummer(64, 1);
  DirectForce first_force;
  HermiteIntegrator through(first_force, start, {});
  through.evolve(1.0);
  DirectForce second_force;
  HermiteIntegrator stopping(second_force, start, {});
  for (const double t : {0.0, 0.3, 0.3, 0.7071, 1.0}) {
    stopping.evolve(t);
    (void)stopping.particles_at(t);
  }
  EXPECT_EQ(stopping.state(), through.state());
  EXPECT_EQ(state_hash(stopping.particles_at(1.0)), state_hash(through.particles_at(1.0)));
}

TEST(Evolve, TimeThatIsNoBlockTimeIsPredictedAndSaid) {
  DirectForce force;
  HermiteIntegrator integrator(force, make_plummer(64, 1), {});
  integrator.evolve(1.0);
  EXPECT_EQ(integrator.time(), 1.0);
  EXPECT_EQ(integrator.predicted_at(1.0), 0U);
  const double t = 1.0 + 1.0 / 3.0;
  integrator.evolve(t);
  EXPECT_LT(integrator.time(), t);
  EXPECT_GT(integrator.next_block_time(), t);
  EXPECT_EQ(integrator.predicted_at(t), 64U);
  // The prediction meets the correction of the same particles one block later to the predictor's order.
  const Particles predicted = integrator.particles_at(integrator.next_block_time());
  integrator.step();
  const Particles corrected = integrator.particles_at(integrator.time());
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    EXPECT_LT(norm(predicted.position[k] - corrected.position[k]), 1e-5);
  }
}

TEST(Evolve, ParticlesAtTheirOwnTimeKeepTheirBitsNegativeZeroIncluded) {
  Particles start;
  start.push_back(0, 1.0, {-0.0, 1.0, -0.0}, {-0.0, 0.0, -0.0});
  start.push_back(1, 1.0, {-0.0, -1.0, -0.0}, {0.0, -0.0, 0.0});
  DirectForce force;
  const HermiteIntegrator integrator(force, start, {});
  EXPECT_EQ(state_hash(integrator.particles_at(0.0)), state_hash(start));
}

TEST(Evolve, TwoRunsHaveTheSameBits) {
  std::vector<std::string> hashes;
  for (int k = 0; k < 2; ++k) {
    DirectForce force;
    HermiteIntegrator integrator(force, make_plummer(64, 9), {});
    integrator.evolve(0.5);
    hashes.push_back(state_hash(integrator.particles_at(0.5)));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(HermiteErrors, NameTheArgumentAndItsValue) {
  DirectForce force;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error_with = [&](const Particles& p, const HermiteOptions& o) {
    return error_of([&] { HermiteIntegrator(force, p, o); });
  };
  EXPECT_NE(error_with(binary(0.0), {0.0, 0.01}).find("eta = 0"), std::string::npos);
  EXPECT_NE(error_with(binary(0.0), {nan, 0.01}).find("eta = nan"), std::string::npos);
  EXPECT_NE(error_with(binary(0.0), {0.1, -1.0}).find("eps = -1"), std::string::npos);
  EXPECT_NE(error_with({}, {}).find("no particles"), std::string::npos);
  Particles twice = binary(0.0);
  twice.id[1] = twice.id[0];
  EXPECT_NE(error_with(twice, {}).find("id 0"), std::string::npos);

  HermiteIntegrator integrator(force, binary(0.0), {});
  integrator.evolve(1.0);
  EXPECT_NE(error_of([&] { integrator.evolve(0.5); }).find("t_end = 0.5"), std::string::npos);
  EXPECT_NE(error_of([&] { integrator.evolve(9000.0); }).find("8192"), std::string::npos);
  EXPECT_NE(error_of([&] { integrator.evolve(nan); }).find("t_end = nan"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)integrator.particles_at(0.5); }).find("time 0.5"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)integrator.particles_at(3.0); }).find("time 3"), std::string::npos);
}

TEST(HermiteErrors, ForceThatIsNotFiniteNamesParticleAndTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  Scripted force([&](double t) { return Force{{1.0, 0.0, t > 0.25 ? infinity : 0.0}, {}, -1.0}; });
  HermiteIntegrator integrator(force, one_particle(), {});
  const std::string text = error_of([&] { integrator.evolve(1.0); });
  EXPECT_NE(text.find("particle 0"), std::string::npos) << text;
  EXPECT_NE(text.find("inf"), std::string::npos) << text;
}

}  // namespace
}  // namespace gdr::hostlib
