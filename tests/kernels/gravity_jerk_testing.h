// What the tests of the gravity kernels with jerk share.
#pragma once

#include <numeric>
#include <span>

#include "gdr/hostlib/board_force.h"
#include "reference.h"
#include "testing.h"

namespace gdr::kernels::testing {

// Worst errors of the kernels of short words in roundings to these, relative to the sums that kernels::GravityJerk
// calls scales. Per pair: d and u 1 each, r^2 3 (squares of d, itself), 1/r 4.5 (half of r^2's, and 3 in the last round
// of Newton), m/r 5.5 (the mass), m/r^3 16.5 (three times 1/r, mass, two products), acceleration 17.5. In the jerk the
// second term has the most: d.u 3, times 3 1, 1/r^2 10, their product 1, times d 2, the difference from u 1,
// m/r^3 16.5: 34.5. What two rounds of Newton leave and long words round is smaller than the margins.
inline constexpr double kAccBound = 18 * kShort;
inline constexpr double kJerkBound = 36 * kShort;
inline constexpr double kPotBound = 6 * kShort;

struct BoardRun {
  std::vector<hostlib::Force> forces;
  emulator::FpEvents events;
};

inline BoardRun on_board(const isa::Program& program, std::span<const hostlib::IParticle> i_particles, double t,
                         double eps2, std::span<const hostlib::JParticle> j_particles,
                         std::string_view engine = emulator::Engine::reference) {
  Device device(options(engine));
  hostlib::BoardForce board(device, program);
  std::vector<std::size_t> addresses(j_particles.size());
  std::iota(addresses.begin(), addresses.end(), std::size_t{0});
  board.set_j_count(j_particles.size());
  board.set_j_particles(addresses, j_particles);
  board.set_time(t);
  BoardRun run;
  run.forces = board.evaluate(i_particles, eps2);
  run.events = device.counters().fp;
  return run;
}

inline void expect_near(const hostlib::Force& force, const GravityJerk& expected, double times = 1) {
  EXPECT_LE(norm(force.acc - expected.force.acc), times * kAccBound * expected.acc_scale);
  EXPECT_LE(norm(force.jerk - expected.force.jerk), times * kJerkBound * expected.jerk_scale);
  EXPECT_LE(std::abs(force.pot - expected.force.pot), times * kPotBound * std::abs(expected.force.pot));
}

}  // namespace gdr::kernels::testing
