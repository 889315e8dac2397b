// Forces and neighbours of libg6 as a program sees them that was written for GRAPE-6, against sums in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "g6_api.h"
#include "g6_testing.h"
#include "largest.h"

namespace gdr::g6_testing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Root of the mean squared relative error.
double rms(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += std::pow(norm(a[n] - b[n]) / norm(b[n]), 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}
double rms(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += std::pow((a[n] - b[n]) / b[n], 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// What short words cost: the bounds under which N-body codes notice nothing.
constexpr double kAccuracy = 1e-6;
constexpr double kJerkAccuracy = 1e-5;

/// Two particles of one path among others, which the board and the program predict in their own ways.
std::vector<Particle> cloud_with_twins(int n, unsigned seed) {
  std::vector<Particle> particles = cloud(n, seed);
  for (Particle& p : particles) {
    p.a_by_2 = {0.5 * p.x[1], -0.3, 0.777 * p.v[0]};
    p.jerk_by_6 = {0.01, 0.02 * p.x[0], -0.03};
    p.snap_by_18 = {0.001, 0.002, 0.003 * p.v[1]};
  }
  Particle twin = particles[2];
  twin.index = particles.back().index;
  twin.mass = particles.back().mass;
  particles.back() = twin;
  return particles;
}

std::vector<Particle> predicted(std::vector<Particle> particles, double t) {
  for (Particle& p : particles) std::tie(p.x, p.v) = std::pair(position_at(p, t), velocity_at(p, t));
  return particles;
}

TEST_F(Grape6, ParticlesInOnePlaceDoNotFeelEachOtherWhereverTheyArePredicted) {
  const std::vector<Particle> all = cloud_with_twins(9, 5);
  std::vector<Particle> without_twin = all;
  without_twin.back().mass = 0;
  for (const double eps2 : {0.0, 0.01}) {
    for (int step = 0; step < 50; ++step) {
      const double t = step / 512.0;
      g6_set_ti(kCluster, t);
      const std::vector<Particle> i{predicted(all, t)[2]};
      send(without_twin);
      const Answer alone = forces(i, 9, eps2);
      send(all);
      const Answer both = forces({i[0], predicted(all, t).back()}, 9, eps2, true);
      ASSERT_EQ(both.acc[0], alone.acc[0]) << t;
      ASSERT_EQ(both.jerk[0], alone.jerk[0]) << t;
      ASSERT_EQ(both.acc[1], both.acc[0]) << t;
      const double mutual = eps2 > 0 ? -all.back().mass / std::sqrt(eps2) : 0;
      ASSERT_NEAR(both.pot[0], alone.pot[0] + mutual, 1e-15) << t;
      ASSERT_EQ(both.nearest[0], all.back().index) << t;
      ASSERT_EQ(both.nearest[1], all[2].index) << t;
    }
  }
}

TEST_F(Grape6, ParticlesThatLeaveOnePlaceFeelEachOther) {
  std::vector<Particle> all = cloud_with_twins(9, 6);
  send(all);
  g6_set_ti(kCluster, 0.0);
  static_cast<void>(forces({all[2]}, 9, 0.0));
  all.back().x[0] += 0.25;
  send(8, all.back());
  const Answer parted = forces({all[2]}, 9, 0.0);
  send(all);  // to an address that has what it had
  EXPECT_EQ(forces({all[2]}, 9, 0.0).acc[0], parted.acc[0]);
  std::vector<Particle> without = all;
  without.back().mass = 0;
  send(without);
  const Answer alone = forces({all[2]}, 9, 0.0);
  EXPECT_NEAR(parted.acc[0][0] - alone.acc[0][0], all.back().mass / (0.25 * 0.25), 1e-6);
}

TEST_F(Grape6, AProgramsOwnPlaceForAParticleFeelsItsTwin) {
  const std::vector<Particle> all = cloud_with_twins(9, 7);
  send(all);
  g6_set_ti(kCluster, 0.0);
  Particle elsewhere = all[2];
  elsewhere.x[1] += 0.5;
  const Answer here = forces({elsewhere}, 9, 0.0);
  std::vector<Particle> without = all;
  without.back().mass = 0;
  send(without);
  const Answer alone = forces({elsewhere}, 9, 0.0);
  EXPECT_NEAR(here.acc[0][1] - alone.acc[0][1], -all.back().mass / (0.5 * 0.5), 1e-6);
}

// Particles of one index do not attract each other, wherever they are; twins of another index add to the potential.
TEST_F(Grape6, IndicesOfTwinsThatOthersHaveStayTheirOwn) {
  const auto at = [](int index, double x) {
    Particle particle;
    particle.index = index;
    particle.mass = 1;
    particle.x = {x, 0, 0};
    return particle;
  };
  g6_set_ti(kCluster, 0.0);
  const double eps2 = 0.01;
  for (const int target : {5, 7}) {
    for (const int elsewhere : {5, 7, 9}) {
      const std::vector<Particle> all{at(5, 0), at(7, 0), at(elsewhere, 1)};
      send(all);
      const Answer answer = forces({at(target, 0)}, 3, eps2);
      const bool counts = elsewhere != target;
      const double r = std::sqrt(1 + eps2);
      EXPECT_NEAR(answer.acc[0][0], counts ? 1 / (r * r * r) : 0, 1e-6) << target << ' ' << elsewhere;
      EXPECT_NEAR(answer.pot[0], -1 / std::sqrt(eps2) - (counts ? 1 / r : 0), 1e-5) << target << ' ' << elsewhere;
    }
  }
}

TEST_F(Grape6, GivesTheForcesOfASphere) {
  const std::vector<Particle> particles = cloud(1024, 1);
  send(particles);
  g6_set_ti(kCluster, 0);
  for (const double eps2 : {1e-4, 0.0}) {
    const Answer board = forces(particles, 1024, eps2);
    const Answer exact = summed(particles, particles, 0, eps2);
    EXPECT_EQ(board.status, 0);
    EXPECT_LE(rms(board.acc, exact.acc), kAccuracy);
    EXPECT_LE(rms(board.jerk, exact.jerk), kJerkAccuracy);
    EXPECT_LE(rms(board.pot, exact.pot), kAccuracy);
    gdr::tests::Largest<double> largest;
    for (std::size_t n = 0; n < particles.size(); ++n) {
      largest.add(norm(board.acc[n] - exact.acc[n]) / norm(exact.acc[n]));
    }
    EXPECT_LE(largest.value(), 1e-4);
    std::printf("1024 particles, eps2 = %g: acc %.2g (largest %.2g), jerk %.2g, pot %.2g\n", eps2,
                rms(board.acc, exact.acc), largest.value(), rms(board.jerk, exact.jerk), rms(board.pot, exact.pot));
  }
}

// The range that the page names: s from 1e-100 to 1e100, m / s^3 from 1e-290 to 1e290, if the forces are doubles.
TEST_F(Grape6, ForcesAreRightInTheWholeRangeThatThePageNames) {
  int tried = 0;
  for (const double s : {1e-100, 1e-60, 1e-20, 1.0, 1e20, 1e60, 1e100}) {
    for (const double m_by_s3 : {1e-290, 1e-150, 1.0, 1e150, 1e290}) {
      const long double mass = static_cast<long double>(m_by_s3) * s * s * s;
      const auto is_double = [](long double x) { return x > 1e-300L && x < 1e300L; };
      if (!is_double(mass) || !is_double(mass / s) || !is_double(mass / s / s)) continue;
      SCOPED_TRACE(std::to_string(std::log10(s)) + ", " + std::to_string(std::log10(m_by_s3)));
      ++tried;
      send({{.index = 1, .mass = 0, .x = {0, 0, 0}}, {.index = 2, .mass = static_cast<double>(mass), .x = {s, 0, 0}}});
      g6_set_ti(kCluster, 0);
      const Answer board = forces({{.index = 1, .x = {0, 0, 0}}}, 2, 0.0);
      EXPECT_EQ(board.status, 0);
      EXPECT_NEAR(board.acc[0][0] / static_cast<double>(mass / s / s), 1, 1e-6);
      EXPECT_NEAR(-board.pot[0] / static_cast<double>(mass / s), 1, 1e-6);
    }
  }
  EXPECT_GE(tried, 15);
}

// G = 1: masses of 2 and 3 at distances of 2 and 4 on either side, moving away at 1/2.
TEST_F(Grape6, TwoParticlesPullAsInClosedForm) {
  send({{.index = 1, .mass = 2, .x = {2, 0, 0}, .v = {0.5, 0, 0}},
        {.index = 2, .mass = 3, .x = {-4, 0, 0}, .v = {-0.5, 0, 0}}});
  g6_set_ti(kCluster, 0);
  for (int ni = 1; ni <= g6_npipes() + 1; ++ni) {
    const Answer board = forces(std::vector<Particle>(static_cast<std::size_t>(ni), {.index = 9}), 2, 0);
    for (std::size_t n = 0; n < board.pot.size(); ++n) {
      EXPECT_NEAR(board.acc[n][0], 2.0 / 4 - 3.0 / 16, 1e-6);
      EXPECT_NEAR(board.jerk[n][0], -2 * 0.5 * (2.0 / 8 - 3.0 / 64), 1e-6);  // -2 m v / r^3 of each
      EXPECT_NEAR(board.pot[n], -2.0 / 2 - 3.0 / 4, 1e-6);
    }
  }
}

TEST_F(Grape6, ForcesOfAllParticlesOnEachOtherCancel) {
  const std::vector<Particle> particles = cloud(256, 2);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer board = forces(particles, 256, 1e-4);
  Vector sum{};
  double absolute = 0;
  for (std::size_t n = 0; n < particles.size(); ++n) {
    for (int k = 0; k < 3; ++k) sum[k] += particles[n].mass * board.acc[n][k];
    absolute += particles[n].mass * norm(board.acc[n]);
  }
  EXPECT_LE(norm(sum), 1e-6 * absolute);
  const Answer exact = summed(particles, particles, 0, 1e-4);
  double energy = 0;
  double exact_energy = 0;
  for (std::size_t n = 0; n < particles.size(); ++n) {
    energy += 0.5 * particles[n].mass * board.pot[n];
    exact_energy += 0.5 * particles[n].mass * exact.pot[n];
  }
  EXPECT_LE(std::abs(energy - exact_energy), 1e-6 * std::abs(exact_energy));
  std::printf("256 particles: sum of forces %.2g of their sizes, energy off by %.2g\n", norm(sum) / absolute,
              std::abs(energy / exact_energy - 1));
}

TEST_F(Grape6, PredictsWithEveryTermOfThePolynomial) {
  for (Vector Particle::* term :
       {&Particle::x, &Particle::v, &Particle::a_by_2, &Particle::jerk_by_6, &Particle::snap_by_18}) {
    Particle j{.index = 7, .t = 0.25, .mass = 2};
    j.*term = {0.5, -1.25, 2};
    send(0, j);
    for (const double t : {1.0, -0.5}) {
      g6_set_ti(kCluster, t);
      std::vector<Vector> x(1);
      std::vector<Vector> v(1);
      EXPECT_EQ(g6_get_predicted_j_particles(kCluster, 1, rows(x), rows(v)), 0);
      EXPECT_LE(norm(x[0] - position_at(j, t)), 1e-14 * norm(x[0]));
      EXPECT_LE(norm(v[0] - velocity_at(j, t)), 1e-14 * (norm(v[0]) + 1));
      const std::vector<Particle> i{{.index = 1, .x = {4, 4, 4}, .v = {0.5, 0, 0}}};
      const Answer board = forces(i, 1, 0.01);
      const Answer exact = summed(i, {j}, t, 0.01);
      EXPECT_LE(norm(board.acc[0] - exact.acc[0]), kAccuracy * norm(exact.acc[0]));
      EXPECT_LE(norm(board.jerk[0] - exact.jerk[0]), kJerkAccuracy * norm(exact.jerk[0]));
    }
  }
}

TEST_F(Grape6, TakesAnyNumberOfIParticlesWithTheSameBits) {
  const std::vector<Particle> particles = cloud(300, 3);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer together = forces(particles, 300, 1e-4);
  for (const std::size_t n : {0u, 47u, 48u, 128u, 299u}) {
    const Answer alone = forces({particles[n]}, 300, 1e-4);
    EXPECT_EQ(alone.acc[0], together.acc[n]);
    EXPECT_EQ(alone.jerk[0], together.jerk[n]);
    EXPECT_EQ(alone.pot[0], together.pot[n]);
  }
}

TEST_F(Grape6, LeavesOutThePairOfOneIndexAlone) {
  const std::vector<Particle> j{{.index = 5, .mass = 1, .x = {1, 0, 0}}};
  send(j);
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(forces({{.index = 5, .x = {3, 0, 0}}}, 1, 0.01).pot[0], 0);
  EXPECT_NEAR(forces({{.index = -1, .x = {1, 0, 0}}}, 1, 0.01).pot[0], -10, 1e-5);  // -m / eps
  const Answer coincident = forces({{.index = -1, .x = {1, 0, 0}}}, 1, 0);
  EXPECT_EQ(coincident.pot[0], 0);
  EXPECT_EQ(coincident.acc[0], Vector{});
}

TEST_F(Grape6, AddressesWithoutAParticleCountAsNothing) {
  send(9, {.index = 4, .mass = 1, .x = {2, 0, 0}});
  g6_set_ti(kCluster, 0);
  const std::vector<Particle> i{{.index = 1}};
  const Answer board = forces(i, 20, 0, true);
  EXPECT_NEAR(board.pot[0], -0.5, 1e-6);
  EXPECT_EQ(board.nearest[0], 4);
  g6_set_njp(kCluster, 9);
  const Answer cleared = forces(i, 20, 0, true);
  EXPECT_EQ(cleared.pot[0], 0);
  EXPECT_EQ(cleared.nearest[0], -1);
  EXPECT_EQ(forces(i, 0, 0, true).acc[0], Vector{});
}

TEST_F(Grape6, ParticlesOfMassZeroFeelAndAreNeighbours) {
  send({{.index = 1, .mass = 0, .x = {1, 0, 0}}, {.index = 2, .mass = 3, .x = {4, 0, 0}}});
  g6_set_ti(kCluster, 0);
  const Answer board = forces({{.index = 1, .x = {1, 0, 0}}, {.index = 9, .x = {0, 0, 0}}}, 2, 0, true);
  EXPECT_NEAR(board.acc[0][0], 3.0 / 9, 1e-6);
  EXPECT_EQ(board.nearest[0], 2);
  EXPECT_EQ(board.nearest[1], 1);
}

TEST_F(Grape6, NearestNeighbourIsTheNearest) {
  const std::vector<Particle> particles = cloud(700, 4);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer board = forces(particles, 700, 1e-4, true);
  EXPECT_EQ(board.nearest, summed(particles, particles, 0, 1e-4).nearest);
}

TEST_F(Grape6, NeighboursLeaveTheBitsOfForcesAlone) {
  const std::vector<Particle> particles = cloud(100, 5);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer plain = forces(particles, 100, 1e-4);
  const Answer with_nearest = forces(particles, 100, 1e-4, true);
  EXPECT_EQ(g6_read_neighbour_list(kCluster), 0);
  const Answer with_lists = forces(particles, 100, 1e-4);
  for (const Answer* other : {&with_nearest, &with_lists}) {
    EXPECT_EQ(plain.acc, other->acc);
    EXPECT_EQ(plain.jerk, other->jerk);
    EXPECT_EQ(plain.pot, other->pot);
  }
}

TEST_F(Grape6, DistanceOfTheNearestIsWithoutSoftening) {
  send({{.index = 1, .mass = 1, .x = {3, 4, 0}}, {.index = 2, .mass = 1, .x = {6, 8, 1}}});
  g6_set_ti(kCluster, 0);
  std::vector<int> index{9};
  std::vector<Vector> x(1);
  std::vector<Vector> v(1);
  Answer answer{std::vector<Vector>(1), std::vector<Vector>(1), std::vector<double>(1), {0}, 0};
  std::vector<double> h2{0};
  float distance = 0;
  g6calc_firsthalf(kCluster, 2, 1, index.data(), rows(x), rows(v), rows(answer.acc), rows(answer.jerk),
                   answer.pot.data(), 100, h2.data());
  EXPECT_EQ(g6calc_lasthalf2p(kCluster, 2, 1, index.data(), rows(x), rows(v), 100, h2.data(), rows(answer.acc),
                              rows(answer.jerk), answer.pot.data(), answer.nearest.data(), &distance),
            0);
  EXPECT_EQ(answer.nearest[0], 1);
  EXPECT_FLOAT_EQ(distance, 5);
}

/// Indices within h, the particle itself left out.
std::vector<int> within(const Particle& i, const std::vector<Particle>& particles, double eps2, double h2) {
  std::vector<int> list;
  for (const Particle& j : particles) {
    const Vector d = j.x - i.x;
    if (j.index != i.index && dot(d, d) + eps2 < h2) list.push_back(j.index);
  }
  return list;
}

TEST_F(Grape6, ListsHoldTheParticlesWithinTheRadius) {
  // More than a run of the kernel has bits for, so several runs make up a list.
  std::vector<Particle> particles = cloud(6000, 6);
  for (Particle& p : particles) p.index = 2 * p.index - 3000;  // an index is any number
  send(particles);
  g6_set_ti(kCluster, 0);
  const std::vector<Particle> i{particles.begin(), particles.begin() + 20};
  std::vector<double> h2(i.size(), 0.25);
  h2[3] = 0;
  h2[4] = std::numeric_limits<double>::quiet_NaN();
  h2[5] = std::numeric_limits<double>::infinity();
  const Answer before = forces(i, 6000, 1e-4, false, h2);
  ASSERT_EQ(g6_read_neighbour_list(kCluster), 0);
  EXPECT_THAT(list_of(3), IsEmpty());
  EXPECT_THAT(list_of(4), IsEmpty());
  for (const int n : {0, 1, 2, 6, 19}) {
    EXPECT_EQ(list_of(n), within(i[static_cast<std::size_t>(n)], particles, 1e-4, 0.25)) << n;
  }
  std::vector<int> all(6000);
  int length = 0;
  EXPECT_EQ(g6_get_neighbour_list(kCluster, 5, 6000, &length, all.data()), 0);
  EXPECT_EQ(length, 5999);
  EXPECT_EQ(forces(i, 6000, 1e-4, false, h2).acc, before.acc);
}

TEST_F(Grape6, AListThatFillsItsRoomIsCutAndSaysSo) {
  send({{.index = 30, .mass = 1, .x = {1, 0, 0}},
        {.index = 10, .mass = 1, .x = {0, 1, 0}},
        {.index = 20, .mass = 1, .x = {0, 0, 1}}});
  g6_set_ti(kCluster, 0);
  static_cast<void>(forces({{.index = 9}}, 3, 0, false, {4.0}));
  g6_set_neighbour_list_sort_mode(1);
  ASSERT_EQ(g6_read_neighbour_list(kCluster), 0);
  std::vector<int> list(3);
  int length = 0;
  EXPECT_EQ(g6_get_neighbour_list(kCluster, 0, 3, &length, list.data()), 1);
  EXPECT_THAT(list, ElementsAre(10, 20, 30));
  EXPECT_EQ(g6_get_neighbour_list(kCluster, 0, 2, &length, list.data()), 1);
  EXPECT_EQ(length, 2);
  EXPECT_EQ(g6_get_neighbour_list(kCluster, 1, 3, &length, list.data()), -1);
  g6_set_neighbour_list_sort_mode(0);
}

/// As g6calc_firsthalf() takes them.
struct Arrays {
  std::vector<int> index;
  std::vector<Vector> x;
  std::vector<Vector> v;
};

Arrays arrays_of(const std::vector<Particle>& particles) {
  Arrays arrays;
  for (const Particle& p : particles) {
    arrays.index.push_back(p.index);
    arrays.x.push_back(p.x);
    arrays.v.push_back(p.v);
  }
  return arrays;
}

TEST_F(Grape6, OutputsMayBeTheArraysOfGuesses) {
  const std::vector<Particle> particles = cloud(60, 8);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer apart = forces(particles, 60, 1e-4);
  auto [index, x, v] = arrays_of(particles);
  std::vector<double> h2(60);
  std::vector<double> pot(60, 1e300);
  std::vector<Vector> both(60);
  g6calc_firsthalf(kCluster, 60, 60, index.data(), rows(x), rows(v), rows(both), rows(both), pot.data(), 1e-4,
                   h2.data());
  // One array for acceleration and jerk: the jerk is written last.
  EXPECT_EQ(g6calc_lasthalf(kCluster, 60, 60, index.data(), rows(x), rows(v), 1e-4, h2.data(), rows(both), rows(both),
                            pot.data()),
            0);
  EXPECT_EQ(both, apart.jerk);
  EXPECT_EQ(pot, apart.pot);
}

TEST_F(Grape6, AFirstHalfWithoutASecondIsDropped) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  std::vector<int> index{7};
  std::vector<Vector> x{{5, 5, 5}};
  std::vector<Vector> v(1);
  std::vector<double> number(1);
  g6calc_firsthalf(kCluster, 1, 1, index.data(), rows(x), rows(v), rows(v), rows(v), number.data(), 0, number.data());
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);
}

TEST_F(Grape6, ChangedParticlesAndTimesCountAtOnce) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}, .v = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  const std::vector<Particle> i{{.index = 7}};
  EXPECT_NEAR(forces(i, 1, 0).pot[0], -1, 1e-6);
  g6_set_ti(kCluster, 1);
  EXPECT_NEAR(forces(i, 1, 0).pot[0], -0.5, 1e-6);
  send(0, {.index = 1, .mass = 3, .x = {4, 0, 0}});
  EXPECT_NEAR(forces(i, 1, 0).pot[0], -0.75, 1e-6);
}

TEST_F(Grape6, EachParticleMayHaveItsSoftening) {
  send({{.index = 1, .mass = 1, .x = {3, 0, 0}}});
  g6_set_ti(kCluster, 0);
  std::vector<int> index{7, 8};
  std::vector<Vector> x(2);
  std::vector<Vector> v(2);
  std::vector<Vector> acc(2);
  std::vector<Vector> jerk(2);
  std::vector<double> pot(2);
  std::vector<double> eps2{0, 16};
  std::vector<double> h2(2);
  g6calc_firsthalf0(kCluster, 1, 2, index.data(), rows(x), rows(v), rows(acc), rows(jerk), pot.data(), eps2.data(),
                    h2.data(), 0);
  EXPECT_EQ(g6calc_lasthalf0(kCluster, 1, 2, index.data(), rows(x), rows(v), eps2.data(), h2.data(), rows(acc),
                             rows(jerk), pot.data(), 0),
            0);
  EXPECT_NEAR(pot[0], -1.0 / 3, 1e-6);
  EXPECT_NEAR(pot[1], -0.2, 1e-6);
}

TEST_F(Grape6, ParticlesSetOneByOneGiveTheSameForces) {
  const std::vector<Particle> particles = cloud(40, 9);
  send(particles);
  g6_set_ti(kCluster, 0);
  const Answer together = forces(particles, 40, 1e-4, true);
  EXPECT_EQ(g6_set_njp(kCluster, 40), 0);
  EXPECT_EQ(g6_set_nip(kCluster, 40), 0);
  for (int n = 0; n < 40; ++n) {
    Particle p = particles[static_cast<std::size_t>(n)];
    EXPECT_EQ(g6_set_i_particle(kCluster, n, p.index, p.x.data(), p.v.data(), 1e-4, 0), 0);
  }
  std::vector<Vector> acc(40);
  std::vector<Vector> jerk(40);
  std::vector<double> pot(40);
  std::vector<int> nearest(40);
  std::vector<int> flag(40, 1);
  EXPECT_EQ(g6_get_force_etc(kCluster, rows(acc), rows(jerk), pot.data(), nearest.data(), flag.data()), 0);
  EXPECT_EQ(acc, together.acc);
  EXPECT_EQ(nearest, together.nearest);
  EXPECT_EQ(flag, std::vector<int>(40, 0));
}

}  // namespace
}  // namespace gdr::g6_testing
