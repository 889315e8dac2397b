// What tests of libg6 share: particles, the board's answers to a program's calls, and sums in double.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "g6_api.h"

namespace gdr::g6_testing {

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

inline double (*rows(std::vector<Vector>& vectors))[3] { return reinterpret_cast<double(*)[3]>(vectors.data()); }

/// The polynomial of the library's user guide.
inline Vector position_at(const Particle& p, double t) {
  const double d = t - p.t;
  Vector x{};
  for (int k = 0; k < 3; ++k) {
    x[k] =
        p.x[k] + p.v[k] * d + p.a_by_2[k] * d * d + p.jerk_by_6[k] * d * d * d + 0.75 * p.snap_by_18[k] * d * d * d * d;
  }
  return x;
}
inline Vector velocity_at(const Particle& p, double t) {
  const double d = t - p.t;
  Vector v{};
  for (int k = 0; k < 3; ++k) {
    v[k] = p.v[k] + 2 * p.a_by_2[k] * d + 3 * p.jerk_by_6[k] * d * d + 3 * p.snap_by_18[k] * d * d * d;
  }
  return v;
}

/// Particles that are drawn at random, with masses that sum up to 1.
inline std::vector<Particle> cloud(int n, unsigned seed) {
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
inline Answer summed(const std::vector<Particle>& i, const std::vector<Particle>& j, double t, double eps2) {
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

}  // namespace gdr::g6_testing
