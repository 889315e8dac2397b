// gravity.vsm against host double.
#include "gdr/hostlib/plummer.h"
#include "gdr/isa/loop_bound.h"
#include "reference.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

using emulator::FpEvents;
using hostlib::Vec3;

// Worst relative errors of one pair, in roundings to short words: d 1, r^2 3 (squares of d, itself), 1/r 4.5 (half of
// r^2's, and 3 in the last round of Newton), m/r 5.5 (the mass), m/r^3 16.5 (three times 1/r, mass, two products), the
// pull 17.5 (d). What two rounds of Newton leave and long words round is smaller than the margin.
constexpr double kAccBound = 18 * kShort;
constexpr double kPotBound = 6 * kShort;

std::vector<PointMass> sphere(std::size_t n) {
  const hostlib::Particles plummer = hostlib::make_plummer(n, 1);
  std::vector<PointMass> particles;
  for (std::size_t k = 0; k < n; ++k) particles.push_back({plummer.position[k], plummer.mass[k]});
  return particles;
}

std::vector<Gravity> on_board(const std::vector<Vec3>& xi, double eps2, const std::vector<PointMass>& particles,
                              std::string_view engine = emulator::Engine::reference, FpEvents* events = nullptr) {
  Device board(options(engine));
  board.load(kernel("gravity"));
  Fields j;
  for (const PointMass& particle : particles) j << particle.x << particle.mass;
  board.write_j(0, j.bits());
  Fields i;
  for (const Vec3& x : xi) i << x << eps2;
  const auto results = board.run(i.bits(), particles.size());
  std::vector<Gravity> forces(xi.size());
  for (std::size_t k = 0; k < xi.size(); ++k) {
    forces[k].acc = vector_in(results, 4 * k);
    forces[k].pot = number_in(results, 4 * k + 3);
  }
  if (events != nullptr) *events = board.counters().fp;
  return forces;
}

std::vector<Vec3> positions(const std::vector<PointMass>& particles) {
  std::vector<Vec3> xi;
  for (const PointMass& particle : particles) xi.push_back(particle.x);
  return xi;
}

TEST(Gravity, LoopFitsItsLinesAndIsBoundByThem) {
  const isa::LoopBound bound = isa::loop_bound(kernel("gravity"));
  EXPECT_LE(bound.lines, 32u);
  EXPECT_EQ(bound.bound(), "lines");
}

TEST(Gravity, SphereAgreesWithDoubleWithAndWithoutSoftening) {
  const std::vector<PointMass> particles = sphere(1024);
  for (const double eps2 : {0.0, 1e-4}) {
    const std::vector<Gravity> forces = on_board(positions(particles), eps2, particles, emulator::Engine::simd);
    double acc_squares = 0;
    double pot_squares = 0;
    Vec3 momentum;
    double momentum_scale = 0;
    for (std::size_t k = 0; k < particles.size(); ++k) {
      const Gravity expected = gravity(particles[k].x, eps2, particles);
      const double acc_error = norm(forces[k].acc - expected.acc);
      const double pot_error = std::abs(forces[k].pot - expected.pot);
      EXPECT_LE(acc_error, kAccBound * expected.acc_scale);
      EXPECT_LE(pot_error, kPotBound * std::abs(expected.pot));
      EXPECT_LE(acc_error, 1e-4 * norm(expected.acc));
      acc_squares += std::pow(acc_error / norm(expected.acc), 2);
      pot_squares += std::pow(pot_error / expected.pot, 2);
      momentum += particles[k].mass * forces[k].acc;
      momentum_scale += particles[k].mass * norm(forces[k].acc);
    }
    const double n = static_cast<double>(particles.size());
    EXPECT_LE(std::sqrt(acc_squares / n), 1e-6);
    EXPECT_LE(std::sqrt(pot_squares / n), 1e-6);
    EXPECT_LE(norm(momentum), 1e-6 * momentum_scale);
  }
}

TEST(Gravity, OnePairObeysTheWorstCaseAtEveryDistance) {
  // Distances from far below to far above one, so that every exponent parity and seed error occurs.
  for (int exponent = -40; exponent <= 40; ++exponent) {
    std::vector<PointMass> one{{{}, 0.1}};
    std::vector<Vec3> xi;
    for (int step = 0; step < 16; ++step) {
      const double r = std::ldexp(1.0 + step / 16.0 + 1e-9, exponent);
      xi.push_back({r * 0.6, r * -0.48, r * 0.64});
    }
    FpEvents events;
    const std::vector<Gravity> forces = on_board(xi, 0.0, one, emulator::Engine::reference, &events);
    for (std::size_t k = 0; k < xi.size(); ++k) {
      const Gravity expected = gravity(xi[k], 0.0, one);
      EXPECT_LE(norm(forces[k].acc - expected.acc), kAccBound * expected.acc_scale);
      EXPECT_NEAR(forces[k].pot, expected.pot, kPotBound * std::abs(expected.pot));
    }
    EXPECT_EQ(events, FpEvents());
  }
}

TEST(Gravity, CoincidentPairWithoutSofteningContributesNothing) {
  const std::vector<PointMass> particles{{{0.3, -0.2, 0.7}, 1.0}};
  FpEvents events;
  const Gravity force = on_board({{0.3, -0.2, 0.7}}, 0.0, particles, emulator::Engine::reference, &events).front();
  EXPECT_EQ(force.acc, Vec3());
  EXPECT_EQ(force.pot, 0.0);
  EXPECT_EQ(events, FpEvents());
}

TEST(Gravity, CoincidentPairWithSofteningHasPotentialAlone) {
  const std::vector<PointMass> particles{{{0.3, -0.2, 0.7}, 0.25}};
  const Gravity force = on_board({{0.3, -0.2, 0.7}}, 1e-4, particles).front();
  EXPECT_EQ(force.acc, Vec3());
  EXPECT_NEAR(force.pot, -25.0, kPotBound * 25.0);
}

TEST(Gravity, CountsOfParticlesThatDoNotFillTheBlocks) {
  const std::vector<PointMass> all = sphere(65);
  for (const std::size_t nj : {0u, 1u, 37u, 64u, 65u}) {
    const std::vector<PointMass> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(nj));
    const Vec3 xi{2.0, 0.5, -0.25};
    const Gravity force = on_board({xi}, 1e-4, some).front();
    const Gravity expected = gravity(xi, 1e-4, some);
    EXPECT_LE(norm(force.acc - expected.acc), kAccBound * expected.acc_scale) << nj;
    EXPECT_NEAR(force.pot, expected.pot, kPotBound * std::abs(expected.pot)) << nj;
  }
}

}  // namespace
}  // namespace gdr::kernels::testing
