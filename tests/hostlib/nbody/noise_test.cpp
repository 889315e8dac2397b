// Time steps on an engine whose forces are rounded: noise in the higher derivatives does not shorten them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::binary;

/// Forces of DirectForce with errors of a normal distribution, and what it says of them.
class NoisyForce final : public ForceBackend {
 public:
  NoisyForce(const ForceNoise& true_noise, const ForceNoise& said_noise) : true_(true_noise), said_(said_noise) {}
  void set_j_count(std::size_t n) override { direct_.set_j_count(n); }
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override {
    direct_.set_j_particles(addresses, particles);
  }
  void set_time(double t) override { direct_.set_time(t); }
  std::vector<Force> evaluate(std::span<const IParticle> i, double eps2) override {
    std::vector<Force> forces = direct_.evaluate(i, eps2);
    for (Force& force : forces) {
      force.acc += true_.acc * norm(force.acc) * direction();
      force.jerk += true_.jerk * norm(force.jerk) * direction();
    }
    return forces;
  }
  [[nodiscard]] ForceNoise noise() const override { return said_; }

 private:
  /// Of mean square 1.
  Vec3 direction() {
    const double size = 1 / std::sqrt(3.0);
    return {size * normal_(generator_), size * normal_(generator_), size * normal_(generator_)};
  }
  DirectForce direct_;
  ForceNoise true_;
  ForceNoise said_;
  std::mt19937_64 generator_{1};
  std::normal_distribution<double> normal_;
};

constexpr ForceNoise kNone{};
constexpr ForceNoise kShortWords{3.0e-8, 1.4e-7};

struct NoisyOutcome {
  HermiteCounters counters;
  double energy_error;
  std::string hash;
};
NoisyOutcome run(ForceBackend& force, const Particles& start, const HermiteOptions& options, double t_end) {
  HermiteIntegrator integrator(force, start, options);
  integrator.evolve(t_end);
  const Particles end = integrator.particles_at(t_end);
  const double before = energy(start, options.eps).total();
  const double error = (energy(end, options.eps).total() - before) / std::abs(before);
  return {integrator.counters(), error, state_hash(end)};
}

TEST(Noise, StepsOfASphereStayThoseOfExactForces) {
  const Particles start = make_plummer(64, 1);
  for (const double eta : {0.03, 0.02}) {
    SCOPED_TRACE(eta);
    DirectForce direct;
    const NoisyOutcome exact = run(direct, start, {eta, 0.01}, 0.25);
    NoisyForce known(kShortWords, kShortWords);
    const NoisyOutcome noisy = run(known, start, {eta, 0.01}, 0.25);
    EXPECT_NEAR(static_cast<double>(noisy.counters.steps), static_cast<double>(exact.counters.steps),
                0.15 * static_cast<double>(exact.counters.steps));
    EXPECT_LE(noisy.counters.block_steps, 2 * exact.counters.block_steps);
    EXPECT_LE(std::abs(noisy.energy_error), 1e-8);
    EXPECT_GT(noisy.counters.noise_limited_steps, 0u);
  }
}

TEST(Noise, StepsOfAnEccentricBinaryStayThoseOfExactForces) {
  DirectForce direct;
  const NoisyOutcome exact = run(direct, binary(0.9), {0.02, 0.0}, 12.5);
  NoisyForce known(kShortWords, kShortWords);
  const NoisyOutcome noisy = run(known, binary(0.9), {0.02, 0.0}, 12.5);
  EXPECT_LE(noisy.counters.steps, exact.counters.steps * 5 / 4);
  EXPECT_LE(std::abs(noisy.energy_error), 1e-6);
}

TEST(Noise, ThatIsNotReachedChangesNoBit) {
  const Particles start = make_plummer(64, 1);
  NoisyForce unknown(kShortWords, kNone);
  const NoisyOutcome plain = run(unknown, start, {0.1, 0.01}, 1.0);
  NoisyForce known(kShortWords, kShortWords);
  const NoisyOutcome aware = run(known, start, {0.1, 0.01}, 1.0);
  EXPECT_EQ(aware.hash, plain.hash);
  EXPECT_EQ(aware.counters, plain.counters);
  EXPECT_EQ(aware.counters.noise_limited_steps, 0u);
}

// What is said of the noise must not hide a close encounter: a wrong figure, a hundred times too large, costs no energy
// that the steps would have kept.
TEST(Noise, SaidTooLargeLeavesCloseEncountersTheirSteps) {
  NoisyForce exaggerated(kNone, {3.0e-6, 1.4e-5});
  const NoisyOutcome outcome = run(exaggerated, binary(0.9), {0.05, 0.0}, 62.875);
  EXPECT_LE(std::abs(outcome.energy_error), 2e-7);
}

}  // namespace
}  // namespace gdr::hostlib
