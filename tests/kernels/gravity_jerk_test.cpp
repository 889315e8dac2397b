// The gravity kernels with jerk against host double.
#include <algorithm>
#include <bit>
#include <random>

#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/isa/loop_bound.h"
#include "gravity_jerk_testing.h"

namespace gdr::kernels::testing {
namespace {

using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;
using hostlib::Vec3;

constexpr double kPredicted = 0.28125;

/// A Plummer sphere in the middle of a run: derivatives of the right size, times of their own up to 1/8 before
/// kPredicted, and i-particles that the host has predicted. `unit` is the smallest difference of times.
struct Snapshot {
  std::vector<JParticle> j;
  std::vector<IParticle> i;
};
Snapshot snapshot(std::size_t n, double eps2, double unit = 0x1p-10) {
  const hostlib::Particles sphere = hostlib::make_plummer(n, 1);
  Snapshot shot;
  for (std::size_t k = 0; k < n; ++k) {
    JParticle particle;
    particle.id = sphere.id[k];
    particle.mass = sphere.mass[k];
    particle.x = sphere.position[k];
    particle.v = sphere.velocity[k];
    particle.t0 = kPredicted - unit * static_cast<double>(1 + (k * 37) % 127);
    shot.j.push_back(particle);
  }
  const std::vector<JParticle> still = shot.j;
  for (JParticle& particle : shot.j) {
    const IParticle here{particle.id, particle.x, particle.v};
    std::vector<JParticle> now = still;
    for (JParticle& other : now) other.t0 = kPredicted;
    const Force force = gravity_jerk(here, kPredicted, eps2, now).force;
    particle.a_by_2 = 0.5 * force.acc;
    particle.jerk_by_6 = (1.0 / 6) * force.jerk;
    particle.snap_by_18 = (-1.0 / 18) * force.acc;  // as an oscillator of frequency 1 would have
    const double dt = kPredicted - particle.t0;
    shot.i.push_back({particle.id, particle.x + dt * (particle.v + dt * (particle.a_by_2 + dt * particle.jerk_by_6)),
                      particle.v + dt * (2.0 * particle.a_by_2 + (3.0 * dt) * particle.jerk_by_6)});
  }
  return shot;
}

class GravityJerkKernel : public ::testing::TestWithParam<const char*> {
 protected:
  static isa::Program program() { return kernel(GetParam()); }
};

TEST_P(GravityJerkKernel, RecordsHaveTheSizesOnRecord) {
  const isa::Program loaded = program();
  EXPECT_EQ(8 * loaded.record_fields(isa::Transfer::hlt), 72u);
  const std::size_t fields = std::string_view(GetParam()) == "gravity_jerk_136" ? 17 : 20;
  EXPECT_EQ(loaded.record_fields(isa::Transfer::elt), fields);
  EXPECT_EQ(8 * loaded.record_fields(isa::Transfer::rrn), 64u);
  EXPECT_EQ(loaded.record_words, fields);
  EXPECT_EQ(loaded.flops, 60.0);
}

TEST_P(GravityJerkKernel, SphereAgreesWithDoubleWithAndWithoutSoftening) {
  for (const double eps2 : {0.0, 1e-4}) {
    const Snapshot shot = snapshot(1024, eps2);
    const BoardRun run = on_board(program(), shot.i, kPredicted, eps2, shot.j, emulator::Engine::simd);
    hostlib::DirectForce direct;
    std::vector<std::size_t> addresses(shot.j.size());
    std::iota(addresses.begin(), addresses.end(), std::size_t{0});
    direct.set_j_count(shot.j.size());
    direct.set_j_particles(addresses, shot.j);
    direct.set_time(kPredicted);
    const std::vector<Force> expected = direct.evaluate(shot.i, eps2);
    double acc_squares = 0;
    double jerk_squares = 0;
    double pot_squares = 0;
    Vec3 momentum;
    double momentum_scale = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expect_near(run.forces[k], gravity_jerk(shot.i[k], kPredicted, eps2, shot.j));
      const double acc = norm(run.forces[k].acc - expected[k].acc) / norm(expected[k].acc);
      EXPECT_LE(acc, 1e-4);
      acc_squares += acc * acc;
      jerk_squares += std::pow(norm(run.forces[k].jerk - expected[k].jerk) / norm(expected[k].jerk), 2);
      pot_squares += std::pow(run.forces[k].pot / expected[k].pot - 1, 2);
      momentum += shot.j[k].mass * (run.forces[k].acc - expected[k].acc);
      momentum_scale += shot.j[k].mass * norm(expected[k].acc);
    }
    const double n = static_cast<double>(expected.size());
    EXPECT_LE(std::sqrt(acc_squares / n), 1e-6);
    EXPECT_LE(std::sqrt(jerk_squares / n), 1e-5);
    EXPECT_LE(std::sqrt(pot_squares / n), 1e-6);
    EXPECT_LE(norm(momentum), 1e-6 * momentum_scale);
    EXPECT_EQ(run.events, emulator::FpEvents());
  }
}

TEST_P(GravityJerkKernel, SharedTimeConservesMomentum) {
  Snapshot shot = snapshot(256, 1e-4);
  for (std::size_t k = 0; k < shot.j.size(); ++k) {
    shot.j[k].t0 = kPredicted;
    shot.i[k] = {shot.j[k].id, shot.j[k].x, shot.j[k].v};
  }
  const BoardRun run = on_board(program(), shot.i, kPredicted, 1e-4, shot.j);
  Vec3 momentum;
  double scale = 0;
  for (std::size_t k = 0; k < shot.j.size(); ++k) {
    momentum += shot.j[k].mass * run.forces[k].acc;
    scale += shot.j[k].mass * norm(run.forces[k].acc);
  }
  EXPECT_LE(norm(momentum), 1e-6 * scale);
}

TEST_P(GravityJerkKernel, TimesThatNeedMoreThanAShortWordStayWithinTheBars) {
  // D is rounded to a short word: an error of up to 2^-25 D in time, which moves a j-particle by 2^-25 v D.
  const Snapshot shot = snapshot(256, 1e-4, 0.001);
  const BoardRun run = on_board(program(), shot.i, kPredicted, 1e-4, shot.j);
  double acc_squares = 0;
  double jerk_squares = 0;
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    const Force expected = gravity_jerk(shot.i[k], kPredicted, 1e-4, shot.j).force;
    acc_squares += std::pow(norm(run.forces[k].acc - expected.acc) / norm(expected.acc), 2);
    jerk_squares += std::pow(norm(run.forces[k].jerk - expected.jerk) / norm(expected.jerk), 2);
  }
  EXPECT_LE(std::sqrt(acc_squares / 256), 1e-6);
  EXPECT_LE(std::sqrt(jerk_squares / 256), 1e-5);
}

TEST_P(GravityJerkKernel, SelfPairContributesNothing) {
  // Predicted on the chip and on the host, the particle is not quite in the same place: only its index tells.
  Snapshot shot = snapshot(2, 0.0);
  shot.j.resize(1);
  for (const double eps2 : {0.0, 1e-4}) {
    const BoardRun run = on_board(program(), shot.i, kPredicted, eps2, shot.j);
    EXPECT_EQ(run.forces[0].acc, Vec3());
    EXPECT_EQ(run.forces[0].jerk, Vec3());
    EXPECT_EQ(run.forces[0].pot, 0.0);
    EXPECT_NE(run.forces[1].pot, 0.0);
    EXPECT_EQ(run.events, emulator::FpEvents());
  }
}

TEST_P(GravityJerkKernel, CoincidentPairWithoutSofteningContributesNothing) {
  JParticle j;
  j.id = 1;
  j.mass = 0.5;
  j.t0 = kPredicted;
  j.x = {0.1, 0.2, -0.3};
  j.v = {1, 2, 3};
  const IParticle i{2, j.x, {3, 2, 1}};
  const BoardRun run = on_board(program(), std::span(&i, 1), kPredicted, 0.0, std::span(&j, 1));
  EXPECT_EQ(run.forces[0].acc, Vec3());
  EXPECT_EQ(run.forces[0].jerk, Vec3());
  EXPECT_EQ(run.forces[0].pot, 0.0);
  EXPECT_EQ(run.events, emulator::FpEvents());
}

TEST_P(GravityJerkKernel, CoincidentPairWithSofteningHasPotentialAndJerk) {
  JParticle j;
  j.id = 1;
  j.mass = 0.5;
  j.t0 = kPredicted;
  j.x = {0.1, 0.2, -0.3};
  j.v = {1, 2, 3};
  const IParticle i{-1, j.x, {3, 2, 1}};
  const BoardRun run = on_board(program(), std::span(&i, 1), kPredicted, 1e-4, std::span(&j, 1));
  EXPECT_EQ(run.forces[0].acc, Vec3());
  EXPECT_NEAR(run.forces[0].pot, -50.0, kPotBound * 50.0);
  EXPECT_LE(norm(run.forces[0].jerk - 0.5e6 * Vec3{-2, 0, 2}), kJerkBound * 0.5e6 * std::sqrt(8.0));
}

TEST_P(GravityJerkKernel, IndicesOfEveryLegalSizeExclude) {
  const std::int64_t largest = (std::int64_t{1} << 35) - 1;
  std::vector<JParticle> j;
  std::vector<IParticle> i;
  for (const std::int64_t id : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, largest, -largest - 1}) {
    JParticle particle;
    particle.id = id;
    particle.mass = 1.0;
    particle.x = {static_cast<double>(j.size()), 0, 0};
    j.push_back(particle);
    i.push_back({id, {0, 1, 0}, {}});
  }
  const BoardRun run = on_board(program(), i, 0.0, 0.0, j);
  for (std::size_t k = 0; k < i.size(); ++k) expect_near(run.forces[k], gravity_jerk(i[k], 0.0, 0.0, j));
}

TEST_P(GravityJerkKernel, PredictsBackwardAndNotAtAll) {
  Snapshot shot = snapshot(64, 1e-4);
  for (const double t : {shot.j[0].t0, kPredicted - 0.25, kPredicted + 0.125}) {
    const BoardRun run = on_board(program(), shot.i, t, 1e-4, shot.j);
    for (std::size_t k = 0; k < shot.i.size(); ++k) {
      expect_near(run.forces[k], gravity_jerk(shot.i[k], t, 1e-4, shot.j));
    }
  }
}

TEST_P(GravityJerkKernel, CountsOfParticlesThatDoNotFillTheBlocks) {
  const Snapshot shot = snapshot(65, 1e-4);
  for (const std::size_t nj : {0u, 1u, 37u, 64u, 65u}) {
    const std::span<const JParticle> some = std::span(shot.j).first(nj);
    const BoardRun run = on_board(program(), shot.i, kPredicted, 1e-4, some);
    for (std::size_t k = 0; k < shot.i.size(); ++k) {
      expect_near(run.forces[k], gravity_jerk(shot.i[k], kPredicted, 1e-4, some));
    }
  }
}

TEST_P(GravityJerkKernel, OrderOfParticlesChangesRoundingAlone) {
  Snapshot shot = snapshot(100, 1e-4);
  const BoardRun before = on_board(program(), shot.i, kPredicted, 1e-4, shot.j);
  std::shuffle(shot.j.begin(), shot.j.end(), std::mt19937_64(5));
  const BoardRun after = on_board(program(), shot.i, kPredicted, 1e-4, shot.j);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    // A pair is the same wherever it is worked on. Sums are long words within a chip and doubles between chips: seven
    // additions and conversions of at most 2^-53 each.
    const GravityJerk scale = gravity_jerk(shot.i[k], kPredicted, 1e-4, shot.j);
    EXPECT_LE(norm(before.forces[k].acc - after.forces[k].acc), 16 * 0x1p-53 * scale.acc_scale);
    EXPECT_LE(norm(before.forces[k].jerk - after.forces[k].jerk), 16 * 0x1p-53 * scale.jerk_scale);
    EXPECT_LE(std::abs(before.forces[k].pot - after.forces[k].pot), 16 * 0x1p-53 * std::abs(scale.force.pot));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GravityJerkKernel,
                         ::testing::Values("gravity_jerk", "gravity_jerk_136", "gravity_jerk_2009",
                                           "gravity_jerk_long"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(GravityJerkKernels, LoopsHaveTheirLinesAndLimits) {
  const isa::LoopBound reproduction = isa::loop_bound(kernel("gravity_jerk_2009"));
  EXPECT_EQ(reproduction.lines, 96u);
  EXPECT_EQ(reproduction.clocks(), 384u);
  EXPECT_EQ(reproduction.bound(), "lines");
  const isa::LoopBound packed = isa::loop_bound(kernel("gravity_jerk"));
  EXPECT_LE(packed.lines, 48u);
  EXPECT_EQ(packed.clocks(), 320u);
  EXPECT_EQ(packed.bound(), "idp");
  const isa::LoopBound of_short_records = isa::loop_bound(kernel("gravity_jerk_136"));
  EXPECT_EQ(of_short_records.clocks(), 272u);
  EXPECT_EQ(of_short_records.bound(), "idp");
  const isa::LoopBound of_long_words = isa::loop_bound(kernel("gravity_jerk_long"));
  EXPECT_EQ(of_long_words.lines, 79u);
  EXPECT_EQ(of_long_words.clocks(), 320u);
  EXPECT_EQ(of_long_words.bound(), "idp");
}

TEST(GravityJerkKernels, BothGiveTheSameForcesWithinRounding) {
  const Snapshot shot = snapshot(256, 1e-4);
  const BoardRun packed = on_board(kernel("gravity_jerk"), shot.i, kPredicted, 1e-4, shot.j);
  const BoardRun reproduction = on_board(kernel("gravity_jerk_2009"), shot.i, kPredicted, 1e-4, shot.j);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    GravityJerk other = gravity_jerk(shot.i[k], kPredicted, 1e-4, shot.j);
    other.force = reproduction.forces[k];
    expect_near(packed.forces[k], other, 2);
  }
}

TEST(GravityJerkKernels, ShortRecordsHoldHalvesOfTheHigherDerivatives) {
  const Snapshot shot = snapshot(256, 1e-4);
  // A word of both, read as a double, is the jerk's upper half with the snap's behind it.
  std::vector<JParticle> halved = shot.j;
  for (JParticle& particle : halved) {
    for (double Vec3::* const axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
      const auto jerk = std::bit_cast<std::uint64_t>(particle.jerk_by_6.*axis);
      const auto snap = std::bit_cast<std::uint64_t>(particle.snap_by_18.*axis);
      particle.jerk_by_6.*axis = std::bit_cast<double>((jerk & 0xffffffff00000000) | (snap >> 32));
      particle.snap_by_18.*axis = std::bit_cast<double>(snap & 0xffffffff00000000);
    }
  }
  const BoardRun run = on_board(kernel("gravity_jerk_136"), shot.i, kPredicted, 1e-4, shot.j);
  const BoardRun expected = on_board(kernel("gravity_jerk"), shot.i, kPredicted, 1e-4, halved);
  for (std::size_t k = 0; k < shot.i.size(); ++k) {
    EXPECT_EQ(run.forces[k].acc, expected.forces[k].acc) << k;
    EXPECT_EQ(run.forces[k].jerk, expected.forces[k].jerk) << k;
    EXPECT_EQ(run.forces[k].pot, expected.forces[k].pot) << k;
  }
}

}  // namespace
}  // namespace gdr::kernels::testing
