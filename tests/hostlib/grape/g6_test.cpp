// libg6 as a program sees it that was written for GRAPE-6, against sums in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "g6_api.h"
#include "largest.h"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Vector = std::array<double, 3>;

struct Particle {
  int index = 0;
  double t = 0;
  double mass = 0;
  Vector x{};
  Vector v{};
  Vector a_by_2{};
  Vector jerk_by_6{};
  Vector snap_by_18{};
};

struct Answer {
  std::vector<Vector> acc;
  std::vector<Vector> jerk;
  std::vector<double> pot;
  std::vector<int> nearest;
  int status = 0;
};

double (*rows(std::vector<Vector>& vectors))[3] { return reinterpret_cast<double(*)[3]>(vectors.data()); }

/// The polynomial of the library's user guide.
Vector position_at(const Particle& p, double t) {
  const double d = t - p.t;
  Vector x{};
  for (int k = 0; k < 3; ++k) {
    x[k] =
        p.x[k] + p.v[k] * d + p.a_by_2[k] * d * d + p.jerk_by_6[k] * d * d * d + 0.75 * p.snap_by_18[k] * d * d * d * d;
  }
  return x;
}
Vector velocity_at(const Particle& p, double t) {
  const double d = t - p.t;
  Vector v{};
  for (int k = 0; k < 3; ++k) {
    v[k] = p.v[k] + 2 * p.a_by_2[k] * d + 3 * p.jerk_by_6[k] * d * d + 3 * p.snap_by_18[k] * d * d * d;
  }
  return v;
}

/// Particles that are drawn at random, with masses that sum up to 1.
std::vector<Particle> cloud(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Particle> particles(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    Particle& p = particles[static_cast<std::size_t>(k)];
    p.index = k;
    p.mass = 1.0 / n;
    for (Vector* vector : {&p.x, &p.v}) {
      for (double& component : *vector) component = normal(random);
    }
  }
  return particles;
}

class Grape6 : public testing::Test {
 protected:
  Grape6() { g6_open(kCluster); }
  ~Grape6() override { g6_close(kCluster); }

  static void send(const std::vector<Particle>& particles) {
    for (std::size_t n = 0; n < particles.size(); ++n) send(static_cast<int>(n), particles[n]);
  }
  static void send(int address, Particle p) {
    ASSERT_EQ(g6_set_j_particle(kCluster, address, p.index, p.t, 0.125, p.mass, p.snap_by_18.data(), p.jerk_by_6.data(),
                                p.a_by_2.data(), p.v.data(), p.x.data()),
              0);
  }

  /// Forces on `i` at time t, as they are there.
  static Answer forces(const std::vector<Particle>& i, int nj, double eps2, bool with_nearest = false,
                       std::vector<double> h2 = {}) {
    const int ni = static_cast<int>(i.size());
    std::vector<int> index;
    std::vector<Vector> x;
    std::vector<Vector> v;
    for (const Particle& p : i) {
      index.push_back(p.index);
      x.push_back(p.x);
      v.push_back(p.v);
    }
    if (h2.empty()) h2.assign(i.size(), 0.0);
    Answer answer{std::vector<Vector>(i.size()), std::vector<Vector>(i.size()), std::vector<double>(i.size()),
                  std::vector<int>(i.size()), 0};
    g6calc_firsthalf(kCluster, nj, ni, index.data(), rows(x), rows(v), rows(answer.acc), rows(answer.jerk),
                     answer.pot.data(), eps2, h2.data());
    answer.status =
        with_nearest ? g6calc_lasthalf2(kCluster, nj, ni, index.data(), rows(x), rows(v), eps2, h2.data(),
                                        rows(answer.acc), rows(answer.jerk), answer.pot.data(), answer.nearest.data())
                     : g6calc_lasthalf(kCluster, nj, ni, index.data(), rows(x), rows(v), eps2, h2.data(),
                                       rows(answer.acc), rows(answer.jerk), answer.pot.data());
    return answer;
  }

  static std::vector<int> list_of(int pipe) {
    std::vector<int> list(4096);
    int length = 0;
    EXPECT_EQ(g6_get_neighbour_list(kCluster, pipe, 4096, &length, list.data()), 0);
    list.resize(static_cast<std::size_t>(length));
    std::ranges::sort(list);
    return list;
  }

  static constexpr int kCluster = 3;
};

double norm(const Vector& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Sums in double, pairs of one index left out.
Answer summed(const std::vector<Particle>& i, const std::vector<Particle>& j, double t, double eps2) {
  Answer answer;
  for (const Particle& target : i) {
    Vector acc{};
    Vector jerk{};
    double pot = 0;
    double least = std::numeric_limits<double>::infinity();
    int nearest = -1;
    for (const Particle& source : j) {
      if (source.index == target.index) continue;
      const Vector d = position_at(source, t) - target.x;
      const Vector u = velocity_at(source, t) - target.v;
      const double s2 = dot(d, d) + eps2;
      if (s2 < least) {
        least = s2;
        nearest = source.index;
      }
      if (s2 == 0) continue;
      const double s = std::sqrt(s2);
      for (int k = 0; k < 3; ++k) {
        acc[k] += source.mass * d[k] / (s2 * s);
        jerk[k] += source.mass * (u[k] / (s2 * s) - 3 * dot(d, u) * d[k] / (s2 * s2 * s));
      }
      pot -= source.mass / s;
    }
    answer.acc.push_back(acc);
    answer.jerk.push_back(jerk);
    answer.pot.push_back(pot);
    answer.nearest.push_back(nearest);
  }
  return answer;
}

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

TEST_F(Grape6, ClustersAreApart) {
  g6_open(0);
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  double x[3] = {2, 0, 0};
  EXPECT_EQ(g6_set_j_particle_mxonly(0, 0, 1, 1.0, x), 0);
  g6_set_ti(0, 0);
  g6_set_ti(kCluster, 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);
  g6_close(0);
}

TEST_F(Grape6, FunctionsForAllCardsAreThoseOfClusterZero) {
  std::vector<Particle> particles = cloud(60, 12);
  ASSERT_EQ(g6_open_all(), 0);
  EXPECT_EQ(g6_getnjmax_all(), g6_getnjmax(0));
  for (int n = 0; n < 60; ++n) {
    Particle& p = particles[static_cast<std::size_t>(n)];
    send(n, p);
    ASSERT_EQ(g6_set_j_particle_all(n, p.index, p.t, 0, p.mass, p.snap_by_18.data(), p.jerk_by_6.data(),
                                    p.a_by_2.data(), p.v.data(), p.x.data()),
              0);
  }
  EXPECT_EQ(g6_set_ti(kCluster, 0.25), 0);
  EXPECT_EQ(g6_set_ti_all(0.25), 0);
  const std::vector<Particle> targets(particles.begin(), particles.begin() + 5);
  const Answer expected = forces(targets, 60, 0.01, true);
  std::vector<int> index;
  std::vector<Vector> x;
  std::vector<Vector> v;
  for (const Particle& p : targets) {
    index.push_back(p.index);
    x.push_back(p.x);
    v.push_back(p.v);
  }
  int nj = 60;
  int ni = 5;
  double eps2 = 0.01;
  std::vector<double> h2(5, 1.0);
  Answer all{std::vector<Vector>(5), std::vector<Vector>(5), std::vector<double>(5), std::vector<int>(5), 0};
  g6calc_firsthalf_all(nj, ni, index.data(), rows(x), rows(v), rows(all.acc), rows(all.jerk), all.pot.data(), eps2,
                       h2.data());
  EXPECT_EQ(g6calc_lasthalf2_all(nj, ni, index.data(), rows(x), rows(v), eps2, h2.data(), rows(all.acc), rows(all.jerk),
                                 all.pot.data(), all.nearest.data()),
            0);
  EXPECT_EQ(all.acc, expected.acc);
  EXPECT_EQ(all.jerk, expected.jerk);
  EXPECT_EQ(all.pot, expected.pot);
  EXPECT_EQ(all.nearest, expected.nearest);
  int length = 0;
  std::vector<int> list(60);
  EXPECT_EQ(g6_read_neighbour_list_all(), 0);
  EXPECT_EQ(g6_get_neighbour_list_all(0, 60, &length, list.data()), 0);
  EXPECT_GT(length, 0);
  std::vector<Vector> by_reference(5);
  g6calc_firsthalf_all_(&nj, &ni, index.data(), rows(x), rows(v), rows(all.acc), rows(all.jerk), all.pot.data(), &eps2,
                        h2.data());
  EXPECT_EQ(g6calc_lasthalf_all_(&nj, &ni, index.data(), rows(x), rows(v), &eps2, h2.data(), rows(by_reference),
                                 rows(all.jerk), all.pot.data()),
            0);
  EXPECT_EQ(by_reference, expected.acc);
  EXPECT_EQ(g6_set_njp_all(0), 0);
  EXPECT_EQ(g6_close_all(), 0);
}

TEST_F(Grape6, MemoryIsEmptyAfterCloseAndOpen) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_close(kCluster);
  g6_open(kCluster);
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(forces({{.index = 7}}, 1, 0).pot[0], 0);
}

// Enough pairs for a run in the background.
TEST_F(Grape6, MemoryIsEmptyAlsoAfterAClusterIsClosedWhoseRunIsUnderWay) {
  const std::vector<Particle> all = cloud(1024, 5);
  send(all);
  g6_set_ti(kCluster, 0);
  auto [index, x, v] = arrays_of(all);
  std::vector<double> h2(all.size());
  g6calc_firsthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), rows(x), rows(x), h2.data(), 1e-4, h2.data());
  EXPECT_EQ(g6_close(kCluster), 0);
  g6_open(kCluster);
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(forces({{.index = 7}}, 1, 0).pot[0], 0);
}

TEST_F(Grape6, NumbersOfPipelinesNeedNoOpenBoard) {
  EXPECT_EQ(g6_npipes(), 48);
  EXPECT_EQ(g6_npipes_(), 48);
  EXPECT_EQ(g6_npipes__(), 48);
  EXPECT_GT(g6_getnjmax(kCluster), 1000000);
}

TEST_F(Grape6, WhatIsWrongGivesAStatusAndNoNumbers) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Vector x{1, kNan, 0};
  Vector zero{};
  const auto set_j = [&](int address, double* position) {
    return g6_set_j_particle(kCluster, address, 1, 0, 0, 1, zero.data(), zero.data(), zero.data(), zero.data(),
                             position);
  };
  EXPECT_EQ(set_j(0, x.data()), -1);
  EXPECT_EQ(set_j(-1, zero.data()), -1);
  EXPECT_EQ(set_j(g6_getnjmax(kCluster), zero.data()), -1);
  EXPECT_EQ(g6_set_ti(kCluster, kNan), -1);
  g6_open(16);
  EXPECT_EQ(g6_set_ti(17, 0), -1);  // which nobody opened, and two others are open
  g6_close(16);
  g6_set_ti(kCluster, 0);
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  const Answer bad = forces({{.index = 7, .x = x}}, 1, 0, true);
  EXPECT_EQ(bad.status, -1);
  EXPECT_TRUE(std::isnan(bad.acc[0][0]) && std::isnan(bad.jerk[0][2]) && std::isnan(bad.pot[0]));
  EXPECT_EQ(bad.nearest[0], -1);
  EXPECT_EQ(forces({{.index = 7}}, g6_getnjmax(kCluster) + 1, 0).status, -1);
  EXPECT_EQ(forces({{.index = 7}}, 1, -1).status, -1);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);  // and goes on
}

// Codes of the time look at no status of these functions, so no force may come from what was there before.
TEST_F(Grape6, NothingIsComputedWithWhatWasThereBeforeSomethingRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Particle good{.index = 1, .mass = 1, .x = {1, 0, 0}};
  const auto is_computed = [&](int nj) {
    const Answer answer = forces({{.index = 7}}, nj, 0);
    EXPECT_EQ(answer.status == 0, !std::isnan(answer.pot[0]));
    return answer.status == 0;
  };
  send({good, good});
  g6_set_ti(kCluster, 0);
  ASSERT_TRUE(is_computed(2));
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (int field = 0; field < 7; ++field) {  // x, v, acceleration, jerk, snap, mass, time
      SCOPED_TRACE(field);
      std::array<Vector, 5> vectors{Vector{1, 0, 0}};
      std::array<double, 2> numbers{1, 0};
      (field < 5 ? vectors[field][field % 3] : numbers[field - 5]) = bad;
      EXPECT_EQ(g6_set_j_particle(kCluster, 1, 1, numbers[1], 0, numbers[0], vectors[4].data(), vectors[3].data(),
                                  vectors[2].data(), vectors[1].data(), vectors[0].data()),
                -1);
      EXPECT_FALSE(is_computed(2));
      EXPECT_TRUE(is_computed(1)) << "nobody asks for the particle at address 1";
      std::vector<Vector> x(2);
      std::vector<Vector> v(2);
      EXPECT_EQ(g6_get_predicted_j_particles(kCluster, 2, rows(x), rows(v)), -1);
      send({good, good});
      EXPECT_TRUE(is_computed(2));
    }
    EXPECT_EQ(g6_set_ti(kCluster, bad), -1);
    EXPECT_FALSE(is_computed(1));
    g6_set_ti(kCluster, 0);
    EXPECT_TRUE(is_computed(1));
  }
  EXPECT_EQ(g6_set_njp(kCluster, g6_getnjmax(kCluster) + 1), -1);
  EXPECT_EQ(g6_set_njp(kCluster, -1), -1);
}

TEST_F(Grape6, AClusterThatIsOpenAlreadyKeepsItsParticles) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(g6_open(kCluster), 0);
  EXPECT_EQ(g6_open(kCluster), 0);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("cluster 3 is open already"));
  EXPECT_EQ(std::ranges::count(told, '\n'), 1) << told;
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1, 1e-6);
}

// As of a caller that opens a card by its number and goes on with that of its process.
TEST_F(Grape6, EveryNumberMeansTheClusterThatAloneIsOpen) {
  testing::internal::CaptureStderr();
  Vector x{2, 0, 0};
  EXPECT_EQ(g6_set_ti(0, 0), 0);
  EXPECT_EQ(g6_set_j_particle_mxonly(32539, 0, 1, 3.0, x.data()), 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1.5, 1e-6);
  g6_open(0);  // from here on 0 is 0
  EXPECT_EQ(g6_set_ti(0, 0), 0);
  EXPECT_NEAR(forces({{.index = 7}}, 1, 0).pot[0], -1.5, 1e-6);
  EXPECT_EQ(g6_close(0), 0);
  EXPECT_EQ(g6_close(-5), 0);  // the one of the fixture
  EXPECT_EQ(g6_set_ti(kCluster, 0), -1);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("cluster 0 is not open; the one that is, 3, is taken for it"));
}

TEST_F(Grape6, NullForANumberOfAClusterIsZero) {
  g6_close(kCluster);
  int zero = 0;
  int seven = 7;
  double t = 0;
  double mass = 3;
  Vector x{2, 0, 0};
  g6_open_(nullptr);
  EXPECT_EQ(g6_set_ti_(nullptr, &t), 0);
  EXPECT_EQ(g6_set_j_particle_mxonly_(nullptr, &zero, &seven, &mass, x.data()), 0);
  EXPECT_NEAR(forces({{.index = 1}}, 1, 0).pot[0], -1.5, 1e-6);
  g6_close_(nullptr);
  EXPECT_EQ(g6_set_ti(kCluster, 0), -1);
}

TEST_F(Grape6, NullForAnArrayIsRefusedWhereItIsReadAndLeftOutWhereItIsWritten) {
  send({{.index = 1, .mass = 1, .x = {1, 0, 0}}});
  g6_set_ti(kCluster, 0);
  EXPECT_EQ(g6_set_j_particle_mxonly(kCluster, 0, 1, 1.0, nullptr), -1);
  std::vector<Vector> zero(1);
  std::vector<Vector> acc(1);
  std::vector<double> number(1);
  std::vector<int> index{7};
  const auto second_half = [&](double* pot) {
    return g6calc_lasthalf(kCluster, 1, 1, index.data(), rows(zero), rows(zero), 0, nullptr, rows(acc), nullptr, pot);
  };
  g6calc_firsthalf(kCluster, 1, 1, index.data(), nullptr, rows(zero), nullptr, nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(second_half(number.data()), -1);
  EXPECT_TRUE(std::isnan(number[0]) && std::isnan(acc[0][0]));
  g6calc_firsthalf(kCluster, 1, 1, index.data(), rows(zero), rows(zero), nullptr, nullptr, nullptr, 0, nullptr);
  EXPECT_EQ(second_half(nullptr), 0);
  EXPECT_NEAR(acc[0][0], 1, 1e-6);
}

TEST_F(Grape6, ArraysMayChangeBetweenTheHalves) {
  const std::vector<Particle> all = cloud(1024, 5);
  send(all);
  g6_set_ti(kCluster, 0);
  const Answer expected = forces(all, 1024, 1e-4);
  auto [index, x, v] = arrays_of(all);
  std::vector<double> h2(all.size());
  Answer found{
      std::vector<Vector>(all.size()), std::vector<Vector>(all.size()), std::vector<double>(all.size()), {}, 0};
  g6calc_firsthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), rows(found.acc), rows(found.jerk),
                   found.pot.data(), 1e-4, h2.data());
  std::ranges::fill(index, 1);
  std::ranges::fill(x, Vector{});
  std::ranges::fill(v, Vector{});
  EXPECT_EQ(g6calc_lasthalf(kCluster, 1024, 1024, index.data(), rows(x), rows(v), 1e-4, h2.data(), rows(found.acc),
                            rows(found.jerk), found.pot.data()),
            0);
  EXPECT_EQ(found.acc, expected.acc);
  EXPECT_EQ(found.jerk, expected.jerk);
  EXPECT_EQ(found.pot, expected.pot);
}

TEST_F(Grape6, ASecondHalfWithoutAFirstGivesNoNumbers) {
  g6_reset(kCluster);
  std::vector<Vector> x(1);
  std::vector<double> number(1);
  std::vector<int> index(1);
  EXPECT_EQ(g6calc_lasthalf(kCluster, 1, 1, index.data(), rows(x), rows(x), 0, number.data(), rows(x), rows(x),
                            number.data()),
            -1);
  EXPECT_TRUE(std::isnan(number[0]));
  EXPECT_EQ(g6_read_neighbour_list(kCluster), -1);
}

TEST_F(Grape6, AForkedChildOpensABoardOfItsOwn) {
  send(cloud(512, 1));
  g6_set_ti(kCluster, 0);
  static_cast<void>(forces(cloud(256, 1), 512, 1e-4));
  const pid_t child = fork();
  if (child == 0) {
    // What the parent opened is not the child's; what it opens itself works.
    if (g6_set_ti(kCluster, 0) != -1) _exit(1);
    g6_open(kCluster);
    double x[3] = {1, 0, 0};
    if (g6_set_j_particle_mxonly(kCluster, 0, 1, 1.0, x) != 0) _exit(2);
    g6_set_ti(kCluster, 0);
    const double pot = forces({{.index = 7}}, 1, 0).pot[0];
    _exit(std::abs(pot + 1) < 1e-6 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
