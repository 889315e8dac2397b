// Runs in trouble: close pairs, watches of the energy, options that a restart changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "gdr/base/file.h"
#include "gdr/hostlib/diagnostics.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

/// A pair of semi-major axis `a` at apocentre with the eccentricity `e`, masses 3/4 and 1/4, ids 70 and 71, about `x`.
void add_pair(Particles& p, double a, double e, const Vec3& x, const Vec3& v) {
  const double r = a * (1 + e);
  const double u = std::sqrt((1 - e) / (1 + e) / a);
  p.push_back(70, 0.75, x + Vec3{0.25 * r, 0, 0}, v + Vec3{0, 0.25 * u, 0});
  p.push_back(71, 0.25, x - Vec3{0.75 * r, 0, 0}, v - Vec3{0, 0.75 * u, 0});
}

TEST(ClosePair, IsTheTightPairWithItsOrbit) {
  Particles p = make_plummer(32, 1);
  add_pair(p, 1e-4, 0.6, {1, 2, 3}, {0.1, 0, 0});
  DirectForce force;
  const HermiteIntegrator integrator(force, p, {.eps = 0});
  const auto pair = closest_pair(integrator.state(), p);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->first, 70);
  EXPECT_EQ(pair->second, 71);
  EXPECT_NEAR(pair->distance, 1.6e-4, 1e-12);
  ASSERT_TRUE(pair->semi_major_axis);
  EXPECT_NEAR(*pair->semi_major_axis, 1e-4, 1e-10);
  EXPECT_NEAR(pair->eccentricity, 0.6, 1e-8);
}

TEST(ClosePair, IsUnboundOrMissing) {
  Particles p;
  p.push_back(5, 1, {0, 0, 0}, {0, 0, 0});
  DirectForce force;
  EXPECT_FALSE(closest_pair(HermiteIntegrator(force, p, {}).state(), p));
  p.push_back(6, 1, {1, 0, 0}, {0, 3, 0});
  DirectForce other;
  const auto pair = closest_pair(HermiteIntegrator(other, p, {}).state(), p);
  ASSERT_TRUE(pair);
  EXPECT_FALSE(pair->semi_major_axis);
  EXPECT_EQ(describe(*pair), "particles 5 and 6, 1 apart, unbound");
}

/// Multiples of these, divided by them, come out below their number at some time: 0.29 / 0.01 is 28.999999999999996.
TEST(Outputs, ComeOnceAtEveryMultiple) {
  for (const double every : {0.01, 0.35, 0.7, 0.1, 0.02, 0.25}) {
    NbodySettings settings;
    settings.particles = make_plummer(8, 1);
    settings.every = every;
    settings.t_end = 40 * every;
    settings.keep_samples = true;
    NbodyRun run(settings, DirectOptions{});
    // Ends a run that gives an output for ever.
    std::uint64_t blocks = 0;
    EXPECT_EQ(run.integrate([&](const NbodyRun&) { return ++blocks < 1'000'000; }), NbodyEnd::reached);
    ASSERT_EQ(run.samples().size(), 41u) << every;
    for (std::size_t n = 0; n < 40; ++n) EXPECT_EQ(run.samples()[n].front(), static_cast<double>(n) * every);
  }
}

TEST(Outputs, AreRefusedTooOftenOrInPlaceOfInputs) {
  NbodySettings settings;
  settings.particles = make_plummer(8, 1);
  settings.t_end = 1;
  settings.keep_samples = true;
  for (const double every : {1e-9, -1.0, 1e5, std::nan("")}) {
    settings.every = every;
    EXPECT_THROW(NbodyRun(settings, DirectOptions{}), Error) << every;
  }
  settings.every = 0.25;
  settings.out = "snap.txt";
  settings.log = "./snap-0001.txt";
  EXPECT_THROW(NbodyRun(settings, DirectOptions{}), Error);
}

TEST(Outputs, OfTheCheckpointBeforeReplaceNoOtherFiles) {
  const testing::ScratchDirectory folder;
  const std::string rows = "1 1 0 0 0 0 0\n1 -1 0 0 0 0 0\n";
  const std::filesystem::path before = folder.path() / "z~";
  base::write_file(before, rows);
  const auto refusal = [](const NbodySettings& settings) {
    return testing::error_of([&] { const NbodyRun run(settings, DirectOptions{}); });
  };
  NbodySettings settings;
  settings.t_end = 1;
  settings.checkpoint = folder.path() / "z";
  settings.in = before;
  EXPECT_THAT(refusal(settings),
              ::testing::EndsWith("z~: named for an output and for an input, which it would replace: "
                                  "checkpoint and in_file"));
  settings.in.clear();
  settings.particles = make_plummer(8, 1);
  for (std::filesystem::path* output : {&settings.out, &settings.log}) {
    *output = before;
    EXPECT_THAT(refusal(settings),
                ::testing::HasSubstr("z~: named for two outputs, of which one would replace the other: "));
    output->clear();
  }
  EXPECT_EQ(base::read_file(before), rows);
}

TEST(ChangedOptions, ASmallerEtaShortensStepsAtOnceAndKeepsTheRules) {
  const Particles p = make_plummer(64, 2);
  DirectForce force;
  HermiteIntegrator integrator(force, p, {.eta = 0.2});
  integrator.evolve(0.3);
  HermiteState state = integrator.state();
  change_eta(state, 0.025);
  validate(state);
  EXPECT_EQ(state.options.eta, 0.025);
  std::size_t shorter = 0;
  for (std::size_t k = 0; k < p.size(); ++k) shorter += state.bodies[k].dt < integrator.state().bodies[k].dt;
  EXPECT_GT(shorter, p.size() / 2);
  DirectForce again;
  HermiteIntegrator changed(again, state);
  changed.evolve(1);
  integrator.evolve(1);
  EXPECT_GT(changed.counters().steps, 3 * integrator.counters().steps);
}

TEST(ChangedOptions, AnotherSofteningBeginsAnewAtTheSameTime) {
  const Particles p = make_plummer(64, 3);
  DirectForce force;
  HermiteIntegrator integrator(force, p, {.eps = 0.1});
  integrator.evolve(0.3);
  const Particles reached = integrator.particles_at(integrator.time());
  DirectForce other;
  const HermiteState state = begun_anew(other, integrator.state(), reached, {.eta = 0.1, .eps = 0.01});
  validate(state);
  EXPECT_EQ(state.time, integrator.state().time);
  EXPECT_EQ(state.counters, integrator.counters());
  DirectForce last;
  HermiteIntegrator changed(last, state);
  EXPECT_EQ(changed.particles_at(changed.time()), reached);
  const double before = energy(reached, 0.01).total();
  changed.evolve(1);
  EXPECT_NEAR(energy(changed.particles_at(1), 0.01).total(), before, 1e-6);
}

NbodySettings settings_with(Particles particles, double eps, double t_end) {
  NbodySettings settings;
  settings.particles = std::move(particles);
  settings.hermite.eps = eps;
  settings.t_end = t_end;
  return settings;
}

TEST(EnergyError, LeavesOutTheMotionOfTheWhole) {
  // A tenth of a period at e = 0.9 with long steps loses energy, whatever the pair's own motion.
  double errors[2];
  for (const int moves : {0, 1}) {
    Particles p;
    add_pair(p, 1, 0.9, {0, 0, 0}, {1000.0 * moves, 0, 0});
    NbodySettings settings = settings_with(p, 0, 6.5);
    settings.hermite.eta = 0.2;
    NbodyRun run(settings, DirectOptions{});
    run.integrate([](const NbodyRun&) { return true; });
    errors[moves] = run.sample(6.5).energy_error.value();
    EXPECT_NEAR(run.sample(6.5).energy.internal(), -0.75 * 0.25 / 2, 1e-3);
  }
  EXPECT_GT(std::abs(errors[0]), 1e-7);
  EXPECT_NEAR(errors[1] / errors[0], 1, 0.5);
}

TEST(EnergyWatch, EndsARunThatHasLostItsEnergyAndKeepsItsCheckpoint) {
  // Head on, without softening: the steps stop at their least, and the energy is gone.
  Particles p;
  p.push_back(1, 0.5, {-0.5, 0, 0}, {0, 0, 0});
  p.push_back(2, 0.5, {0.5, 0, 0}, {0, 0, 0});
  NbodySettings settings = settings_with(p, 0, 2);
  const std::filesystem::path folder = ::testing::TempDir();
  settings.checkpoint = folder / "watched.ckpt";
  std::filesystem::remove(settings.checkpoint);
  NbodyRun run(settings, DirectOptions{});
  EXPECT_EQ(run.integrate([](const NbodyRun&) { return true; }), NbodyEnd::energy_error);
  ASSERT_TRUE(run.last_watch());
  EXPECT_FALSE(run.last_watch()->trouble <= 1);
  NbodySettings again;
  again.restart = settings.checkpoint;
  again.changed_eps = 0.05;
  again.changed_eta = 0.05;
  again.t_end = 2;
  NbodyRun restarted(again, DirectOptions{});
  EXPECT_EQ(restarted.begin_time(), 0);  // the state before the trouble
  EXPECT_EQ(restarted.integrate([](const NbodyRun&) { return true; }), NbodyEnd::reached);
  EXPECT_LT(std::abs(restarted.sample(2).energy_error.value()), 1e-5);
  ASSERT_EQ(restarted.changes().size(), 2U);
  EXPECT_EQ(restarted.changes()[0].what, "eta 0.05 instead of 0.1");
  EXPECT_EQ(restarted.changes()[1].what, "eps 0.05 instead of 0");
}

TEST(EnergyWatch, TakesNoNearlyVanishingEnergyForTrouble) {
  // A parabolic pair: E0 is 1e-17 of T.
  Particles p;
  p.push_back(1, 0.5, {-0.5, 0, 0}, {0, std::sqrt(0.5), 0});
  p.push_back(2, 0.5, {0.5, 0, 0}, {0, -std::sqrt(0.5), 0});
  NbodySettings settings = settings_with(p, 0, 2);
  NbodyRun run(settings, DirectOptions{});
  EXPECT_EQ(run.integrate([](const NbodyRun&) { return true; }), NbodyEnd::reached);
  EXPECT_LT(run.last_watch()->trouble, 1e-3);
}

}  // namespace
}  // namespace gdr::hostlib
