// Known problems on the board that take minutes: three bodies, a cold collapse, and a sphere in equilibrium until its
// core collapses.
#include "board_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gdr/hostlib/diagnostics.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "largest.h"

namespace gdr::hostlib::testing {
namespace {

// Burrau's problem (Szebehely & Peters 1967). Positions are converged values of the host's doubles at eta = 0.005, good
// to the digits given. Short words lose the third body at the first close passages, long products do not.
TEST(NightlyBoardProblems, PythagoreanProblemIsFollowedByLongProducts) {
  Particles start;
  start.push_back(3, 3.0, {1.0, 3.0, 0.0}, {});
  start.push_back(4, 4.0, {-2.0, -1.0, 0.0}, {});
  start.push_back(5, 5.0, {1.0, -1.0, 0.0}, {});
  EXPECT_NEAR(energy(start, 0.0).total(), -12.81666, 1e-5);
  BoardSystem system(start, {0.02, 0.0}, "gravity_jerk_long");
  const auto off = [&](double t, std::size_t body, const Vec3& expected) {
    const Particles now = system.at(t);
    const double distance = norm(now.position[body] - expected);
    tell("Pythagorean problem, eta 0.02", ("at t = " + std::to_string(static_cast<int>(t))).c_str(), distance);
    tell("Pythagorean problem, eta 0.02", "dE/E", system.energy_error(now));
    EXPECT_LE(std::fabs(system.energy_error(now)), 1e-7);
    return distance;
  };
  EXPECT_LE(off(10.0, 0, {0.77848, 0.14139, 0.0}), 1e-5);
  EXPECT_LE(off(10.0, 1, {-2.02509, 0.09722, 0.0}), 1e-5);
  EXPECT_LE(off(10.0, 2, {1.15299, -0.16261, 0.0}), 1e-5);
  EXPECT_LE(off(20.0, 0, {3.00429, 0.51193, 0.0}), 1e-4);
  EXPECT_LE(off(40.0, 0, {-0.62200, 1.85832, 0.0}), 2e-3);
}

// R = M = 1: shells fall together as r / r0 = (1 + cos E) / 2 with t = (E + sin E) / sqrt(8), to 0.35 of their radius
// at t = 1, and cross at 1.11. What a sample of 1024 is after that depends on the sample, but not on who sums its
// forces.
TEST(NightlyBoardProblems, ColdSphereOf1024CollapsesInItsFreeFallTime) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const Particles start = sphere_at_rest(1024, seed);
    BoardSystem system(start, {0.1, 0.01});
    DirectForce direct;
    HermiteIntegrator exact(direct, start, {0.1, 0.01});
    const double at_start = half_mass_radius_about_centre(start);
    const double at_one = half_mass_radius_about_centre(system.at(1.0));
    const double at_bounce = half_mass_radius_about_centre(system.at(1.25));
    exact.evolve(1.25);
    tell("cold sphere of 1024", "half-mass radius, t = 0", at_start);
    tell("cold sphere of 1024", "half-mass radius, t = 1", at_one);
    tell("cold sphere of 1024", "half-mass radius, t = 1.25", at_bounce);
    EXPECT_NEAR(at_one / at_start, 0.35, 0.035);
    EXPECT_LT(at_bounce, at_one);
    const double in_doubles = half_mass_radius_about_centre(exact.particles_at(1.25));
    tell("cold sphere of 1024", "in doubles, t = 1.25", in_doubles);
    EXPECT_NEAR(at_bounce / in_doubles, 1, 0.01);
    if (seed > 1) continue;
    const Particles end = system.at(3.0);
    tell("cold sphere of 1024", "half-mass radius, t = 3", half_mass_radius_about_centre(end));
    tell("cold sphere of 1024", "dE/E, t = 3", system.energy_error(end));
    tell("cold sphere of 1024", "interactions", static_cast<double>(system.counters().interactions));
    EXPECT_LE(std::fabs(system.energy_error(end)), 1e-5);
  }
}

// Two-body relaxation makes the core of 256 equal masses collapse after 15 to 17 half-mass relaxation times, at 107 to
// 122; single spheres scatter by a quarter about that. Until then the sphere is in equilibrium and keeps its energy;
// what its first hard binary costs afterwards, it costs in doubles too.
TEST(NightlyBoardProblems, SphereOf256KeepsItsEnergyUntilItsCoreCollapses) {
  constexpr double kEps = 1.0 / 256;
  const Particles start = make_plummer(256, 1);
  BoardSystem system(start, {0.1, kEps});
  const double at_start = core_of(start)->radius;
  double collapse = 0;
  tests::Largest<double> until_collapse;
  for (double t = 1.0; t <= 150.0; t += 1.0) {
    const Particles now = system.at(t);
    const double error = std::fabs(system.energy_error(now));
    if (collapse == 0) {
      until_collapse.add(error);
      if (core_of(now)->radius < 0.1 * at_start) collapse = t;
    }
    if (static_cast<int>(t) % 10 == 0)
      tell("core radius", std::to_string(static_cast<int>(t)).c_str(), core_of(now)->radius);
  }
  const double at_end = std::fabs(system.energy_error(system.at(150.0)));
  DirectForce direct;
  HermiteIntegrator exact(direct, start, {0.1, kEps});
  exact.evolve(150.0);
  const double energy_at_start = energy(start, kEps).total();
  const double in_doubles =
      std::fabs((energy(exact.particles_at(150.0), kEps).total() - energy_at_start) / energy_at_start);
  tell("Plummer sphere of 256", "collapse at t", collapse);
  tell("Plummer sphere of 256", "dE/E until collapse", until_collapse.value());
  tell("Plummer sphere of 256", "dE/E, t = 150", at_end);
  tell("Plummer sphere of 256", "in doubles", in_doubles);
  tell("Plummer sphere of 256", "steps", static_cast<double>(system.counters().steps));
  EXPECT_GE(collapse, 80.0);
  EXPECT_LE(collapse, 153.0);
  EXPECT_LE(until_collapse.value(), 5e-6);
  EXPECT_LE(at_end, 2 * in_doubles);
}

}  // namespace
}  // namespace gdr::hostlib::testing
