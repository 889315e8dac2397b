// The kernel of long products against sums in extended precision, on every engine.
#include <array>

#include "gdr/hostlib/plummer.h"
#include "gravity_jerk_testing.h"

namespace gdr::kernels::testing {
namespace {

using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;
using hostlib::Vec3;

using Extended = long double;  // 64 bits of significand or more: 5e-20
using Vector = std::array<Extended, 3>;

Vector wide(const Vec3& v) { return {v.x, v.y, v.z}; }
Extended product(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Extended length(const Vector& a) { return std::sqrt(product(a, a)); }

struct Sums {
  Vector acc{};
  Vector jerk{};
  Extended pot = 0;
  // Sums of the sizes of all terms, which the roundings of each are measured by.
  Extended acc_scale = 0;
  Extended jerk_scale = 0;
};

Sums sums(const IParticle& i, Extended t, Extended eps2, std::span<const JParticle> particles) {
  Sums sum;
  for (const JParticle& j : particles) {
    if (j.id == i.id) continue;
    const Extended dt = t - j.t0;
    Vector d;
    Vector u;
    for (std::size_t k = 0; k < 3; ++k) {
      const Extended a = wide(j.a_by_2)[k];
      const Extended b = wide(j.jerk_by_6)[k];
      const Extended c = wide(j.snap_by_18)[k];
      d[k] = wide(j.x)[k] + dt * (wide(j.v)[k] + dt * (a + dt * (b + dt * c * 3 / 4))) - wide(i.x)[k];
      u[k] = wide(j.v)[k] + dt * (2 * a + dt * (3 * b + dt * 3 * c)) - wide(i.v)[k];
    }
    const Extended r2 = product(d, d) + eps2;
    if (r2 == 0) continue;
    const Extended m_by_r3 = j.mass / (r2 * std::sqrt(r2));
    const Extended q = 3 * product(d, u) / r2;
    Extended products = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      sum.acc[k] += m_by_r3 * d[k];
      sum.jerk[k] += m_by_r3 * (u[k] - q * d[k]);
      products += std::abs(d[k] * u[k]);
    }
    sum.pot -= j.mass / std::sqrt(r2);
    sum.acc_scale += m_by_r3 * length(d);
    sum.jerk_scale += m_by_r3 * (length(u) + 3 * length(d) * products / r2);
  }
  return sum;
}

Extended distance(const Vec3& a, const Vector& b) {
  const Vector w = wide(a);
  return length({w[0] - b[0], w[1] - b[1], w[2] - b[2]});
}

/// Relative errors of a force, root mean square over all particles.
struct Errors {
  double acc = 0;
  double jerk = 0;
  double pot = 0;
};
Errors rms_errors(std::span<const Force> forces, std::span<const Sums> expected) {
  Extended acc = 0;
  Extended jerk = 0;
  Extended pot = 0;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    acc += std::pow(distance(forces[k].acc, expected[k].acc) / length(expected[k].acc), 2);
    jerk += std::pow(distance(forces[k].jerk, expected[k].jerk) / length(expected[k].jerk), 2);
    pot += std::pow(forces[k].pot / expected[k].pot - 1, 2);
  }
  const auto mean = [&](Extended sum) { return static_cast<double>(std::sqrt(sum / forces.size())); };
  return {mean(acc), mean(jerk), mean(pot)};
}

/// A Plummer sphere whose particles have times of their own, whole multiples of `unit` before `t`.
struct Sphere {
  std::vector<JParticle> j;
  std::vector<IParticle> i;
  std::vector<Sums> expected;
};
Sphere sphere(std::size_t n, double t, double unit, double eps2) {
  const hostlib::Particles particles = hostlib::make_plummer(n, 1);
  Sphere made;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 x = particles.position[k];
    const Vec3 v = particles.velocity[k];
    const double t0 = t - unit * static_cast<double>((k * 37) % 127);
    made.j.push_back({particles.id[k], particles.mass[k], t0, x, v, -0.5 * x, (-1.0 / 6) * v, (1.0 / 18) * x});
    made.i.push_back({particles.id[k], x, v});
  }
  for (const IParticle& i : made.i) made.expected.push_back(sums(i, t, eps2, made.j));
  return made;
}

// Worst errors of a pair in cuts of a factor to 50 bits, 2^-49 each: r^2 3 (two in a square, itself), 1/r 1.5 and what
// the step of third order leaves (0.2), 1/r^2 5.4 (two factors), m/r 3.7, m/r^3 11.1, acceleration 13.1. In the jerk
// d.u 2, times 3 1, times 1/r^2 7.4, times d 2, times m/r^3 13.1: 25.5. Long words round by 2^-61; what leaves the
// board as a double and is added up over four chips by 2^-51 at most: 0.3.
constexpr double kCut = 0x1p-49;
constexpr double kLongAcc = 14 * kCut;
constexpr double kLongJerk = 26 * kCut;
constexpr double kLongPot = 4 * kCut;

TEST(GravityJerkLong, EveryParticleIsWithinTheRoundingsOfLongProducts) {
  const isa::Program program = kernel("gravity_jerk_long");
  for (const double eps2 : {0.0, 1e-4}) {
    const Sphere shot = sphere(512, 0.0, 0.0, eps2);
    const BoardRun run = on_board(program, shot.i, 0.0, eps2, shot.j, emulator::Engine::simd);
    for (std::size_t k = 0; k < shot.i.size(); ++k) {
      const Sums& sum = shot.expected[k];
      EXPECT_LE(distance(run.forces[k].acc, sum.acc), kLongAcc * sum.acc_scale);
      EXPECT_LE(distance(run.forces[k].jerk, sum.jerk), kLongJerk * sum.jerk_scale);
      EXPECT_LE(std::abs(run.forces[k].pot - sum.pot), kLongPot * -sum.pot);
    }
    EXPECT_EQ(run.events, emulator::FpEvents());
  }
}

TEST(GravityJerkLong, PredictsToAnyTimeWithFewErrorsInTheFifteenthDigit) {
  const isa::Program program = kernel("gravity_jerk_long");
  // Times of blocks, and times that need all bits of a double: D is a long word.
  for (const double unit : {0x1p-10, 0.001}) {
    const Sphere shot = sphere(256, 0.28125, unit, 1e-4);
    const BoardRun run = on_board(program, shot.i, 0.28125, 1e-4, shot.j, emulator::Engine::simd);
    const Errors errors = rms_errors(run.forces, shot.expected);
    EXPECT_LE(errors.acc, 1e-14);
    EXPECT_LE(errors.jerk, 5e-14);
    EXPECT_LE(errors.pot, 5e-15);
  }
}

TEST(GravityJerkLong, PairsOfEverySizeKeepTheirDigits) {
  const isa::Program program = kernel("gravity_jerk_long");
  for (const double r : {1e-60, 3e-9, 0.7, 1.0, 1.9, 5e7, 1e60}) {
    const JParticle j{1, 0.3, 0.0, {r, 0.2 * r, -0.7 * r}, {0.1, 0.9, 0.3}, {}, {}, {}};
    const IParticle i{2, {}, {}};
    const BoardRun run = on_board(program, std::span(&i, 1), 0.0, 0.0, std::span(&j, 1));
    const Sums sum = sums(i, 0, 0, std::span(&j, 1));
    EXPECT_LE(distance(run.forces[0].acc, sum.acc), kLongAcc * sum.acc_scale) << r;
    EXPECT_LE(distance(run.forces[0].jerk, sum.jerk), kLongJerk * sum.jerk_scale) << r;
    EXPECT_LE(std::abs(run.forces[0].pot - sum.pot), kLongPot * -sum.pot) << r;
    EXPECT_EQ(run.events, emulator::FpEvents()) << r;
  }
}

TEST(GravityJerkLong, EnginesAgreeToTheLastBit) {
  const isa::Program program = kernel("gravity_jerk_long");
  const Sphere shot = sphere(70, 0.28125, 0.001, 0.0);
  const BoardRun expected = on_board(program, shot.i, 0.28125, 0.0, shot.j, emulator::Engine::reference);
  const BoardRun run = on_board(program, shot.i, 0.28125, 0.0, shot.j, emulator::Engine::simd);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    EXPECT_EQ(run.forces[k].acc, expected.forces[k].acc);
    EXPECT_EQ(run.forces[k].jerk, expected.forces[k].jerk);
    EXPECT_EQ(run.forces[k].pot, expected.forces[k].pot);
  }
  EXPECT_EQ(run.events, expected.events);
}

}  // namespace
}  // namespace gdr::kernels::testing
