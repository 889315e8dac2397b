// Spheres on the board: the same bits from every engine and thread count, and physics that stays.
#include "board_sphere.h"

#include <gtest/gtest.h>

#include <vector>

#include "gdr/hostlib/direct_force.h"
#include "slowed_down.h"

namespace gdr::hostlib::testing {
namespace {

using emulator::Engine;

DeviceOptions options(std::string_view engine, unsigned threads) {
  DeviceOptions chosen;
  chosen.engine = engine;
  chosen.threads = threads;
  return chosen;
}

// The hash is a contract, like that of the Plummer sphere itself: every engine, thread count, compiler and build type
// gives these bits.
TEST(BoardSphere, SameBitsOnEveryEngineAndThreadCount) {
  constexpr std::string_view kHash = "4495fccecef77a06b7d558c3722e7f1a5fe3e26247b85998881022ca26582b65";
  for (const unsigned threads : tests::kSlowedDown ? std::vector{3u} : std::vector{1u, 2u, 3u, 7u}) {
    EXPECT_EQ(integrate_sphere(64, 1, 0.25, options(Engine::simd, threads)).hash, kHash) << threads << " threads";
  }
  EXPECT_EQ(integrate_sphere(64, 1, 0.25, options(Engine::reference, 2)).hash, kHash);
}

// A force of the wrong sign conserves energy too, but lets the sphere fly apart: its half-mass radius of 0.77 would
// pass 1.2 within a time unit. In equilibrium it only fluctuates, by about 1 / sqrt(N).
TEST(BoardSphere, KeepsItsEnergyAndItsRadius) {
  const SphereRun run = integrate_sphere(128, 1, tests::kSlowedDown ? 0.25 : 1, options(Engine::simd, 2));
  EXPECT_LE(std::abs(run.energy_error), 2e-7);
  EXPECT_NEAR(run.half_mass_after / run.half_mass_before, 1, 2 / std::sqrt(128.0));
}

// A criterion that takes rounding errors for derivatives makes 150,000 steps of these 7,000.
TEST(BoardSphere, TakesTheStepsOfExactForcesWhereNoiseIsReached) {
  const HermiteOptions fine{0.02, 0.01};
  const Particles start = make_plummer(64, 1);
  Device device(options(Engine::simd, 2));
  BoardForce board(device, gravity_jerk());
  HermiteIntegrator on_board(board, start, fine);
  on_board.evolve(0.125);
  DirectForce direct;
  HermiteIntegrator exact(direct, start, fine);
  exact.evolve(0.125);
  EXPECT_LE(on_board.counters().steps, exact.counters().steps * 5 / 4);
  EXPECT_LE(on_board.counters().block_steps, exact.counters().block_steps * 2);
  EXPECT_GT(on_board.counters().noise_limited_steps, 0u);
}

TEST(BoardForce, MemoryThatShrankIsEmptyWhenItGrows) {
  Device device;
  BoardForce board(device, gravity_jerk());
  const std::vector<std::size_t> addresses{0, 1};
  std::vector<JParticle> two(2);
  two[0].id = 1;
  two[0].mass = 1;
  two[0].x = {1, 0, 0};
  two[1].id = 2;
  two[1].mass = 1;
  two[1].x = {0, 2, 0};
  IParticle centre;
  centre.id = 3;
  const auto potential = [&] { return board.evaluate(std::span(&centre, 1), 0).at(0).pot; };
  board.set_j_count(2);
  board.set_j_particles(addresses, two);
  board.set_time(0);
  EXPECT_NEAR(potential(), -1.5, 1e-6);
  board.set_j_count(1);
  EXPECT_NEAR(potential(), -1, 1e-6);
  board.set_j_count(2);
  EXPECT_NEAR(potential(), -1, 1e-6);
}

}  // namespace
}  // namespace gdr::hostlib::testing
