#include "gdr/hostlib/direct_force.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gdr/emulator/host_isa.h"

#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;

void load(DirectForce& force, const std::vector<JParticle>& j) {
  force.set_j_count(j.size());
  std::vector<std::size_t> addresses;
  for (std::size_t k = 0; k < j.size(); ++k) addresses.push_back(k);
  force.set_j_particles(addresses, j);
}

DirectForce loaded(const std::vector<JParticle>& j) {
  DirectForce force;
  load(force, j);
  return force;
}

Force on(DirectForce& force, const IParticle& i, double eps2) {
  const std::array targets = {i};
  return force.evaluate(targets, eps2).at(0);
}

JParticle at_rest(std::int64_t id, double mass, const Vec3& x) {
  JParticle j;
  j.id = id;
  j.mass = mass;
  j.x = x;
  return j;
}

void expect_near(const Vec3& a, const Vec3& b, double bound) { EXPECT_LE(norm(a - b), bound * (1.0 + norm(b))); }

TEST(DirectForce, PairForceIsTheClosedForm) {
  JParticle j = at_rest(1, 5.0, {3.0, 0.0, 0.0});
  j.v = {2.0, 7.0, 0.0};
  DirectForce force = loaded({j});
  const Force f = on(force, {0, {}, {}}, 16.0);  // softened distance 5
  expect_near(f.acc, {5.0 * 3.0 / 125.0, 0.0, 0.0}, 1e-15);
  expect_near(f.jerk, Vec3{10.0, 35.0, 0.0} * (1.0 / 125.0) - Vec3{3.0 * 6.0 * 15.0 / 3125.0, 0.0, 0.0}, 1e-15);
  EXPECT_DOUBLE_EQ(f.pot, -1.0);
}

TEST(DirectForce, SkipsTheParticleOfTheSameIdWhereverItIs) {
  DirectForce force = loaded({at_rest(4, 1.0, {9.0, 0.0, 0.0}), at_rest(5, 1.0, {0.0, 2.0, 0.0})});
  const Force f = on(force, {4, {}, {}}, 0.0);
  expect_near(f.acc, {0.0, 0.25, 0.0}, 1e-15);
  EXPECT_DOUBLE_EQ(f.pot, -0.5);
}

TEST(DirectForce, IdWithoutMatchSkipsNothing) {
  DirectForce force = loaded({at_rest(4, 1.0, {}), at_rest(5, 1.0, {0.0, 2.0, 0.0})});
  EXPECT_DOUBLE_EQ(on(force, {-2, {}, {}}, 0.25).pot, -1.0 / 0.5 - 1.0 / std::sqrt(4.25));
}

TEST(DirectForce, CoincidentUnsoftenedPairContributesNothing) {
  DirectForce force = loaded({at_rest(4, 1.0, {}), at_rest(5, 1.0, {0.0, 2.0, 0.0})});
  const Force f = on(force, {-2, {}, {}}, 0.0);
  expect_near(f.acc, {0.0, 0.25, 0.0}, 1e-15);
  EXPECT_DOUBLE_EQ(f.pot, -0.5);
}

TEST(DirectForce, EmptyAndUnwrittenMemoryGivesNoForce) {
  DirectForce force;
  EXPECT_EQ(on(force, {0, {1.0, 2.0, 3.0}, {}}, 0.01).pot, 0.0);
  force.set_j_count(3);
  const Force f = on(force, {0, {1.0, 2.0, 3.0}, {}}, 0.01);
  EXPECT_EQ(f.pot, 0.0);
  EXPECT_EQ(f.acc, Vec3{});
}

TEST(DirectForce, RefusesAddressesBeyondTheCount) {
  DirectForce force;
  force.set_j_count(2);
  const std::array<std::size_t, 1> address = {2};
  const std::array particle = {JParticle{}};
  EXPECT_NE(error_of([&] { force.set_j_particles(address, particle); }).find("address 2"), std::string::npos);
  EXPECT_NE(error_of([&] { force.set_j_particles({}, particle); }).find("0 addresses for 1"), std::string::npos);
}

// A single source of mass 1: from potential, acceleration and jerk its position and velocity follow.
TEST(DirectForce, EachTermOfThePredictorIsTaylorsSeries) {
  const double t0 = 0.75;
  const double t = 2.0;
  const double d = t - t0;
  const auto source_at = [&](const JParticle& j) {
    DirectForce force = loaded({j});
    force.set_time(t);
    const Force f = on(force, {0, {}, {}}, 0.0);
    const double r = -1.0 / f.pot;
    const Vec3 x = f.acc * (r * r * r);
    const Vec3 u_part = f.jerk * (r * r * r);  // u - 3 (x.u) x / r^2, hence x.u = -(x.u_part) / 2
    const Vec3 u = u_part - x * (1.5 * dot(x, u_part) / (r * r));
    return std::pair{x, u};
  };
  JParticle base = at_rest(1, 1.0, {3.0, 1.0, -2.0});
  base.t0 = t0;
  const Vec3 c{0.3, -0.2, 0.5};
  const auto check = [&](Vec3 JParticle::* member, double scale, int power) {
    JParticle j = base;
    j.*member = c * scale;
    const auto [x, u] = source_at(j);
    const double factorial = std::tgamma(power + 1.0);
    expect_near(x, base.x + c * (std::pow(d, power) / factorial), 1e-13);
    expect_near(u, c * (power * std::pow(d, power - 1) / factorial), 1e-13);
  };
  check(&JParticle::v, 1.0, 1);
  check(&JParticle::a_by_2, 1.0 / 2.0, 2);
  check(&JParticle::jerk_by_6, 1.0 / 6.0, 3);
  check(&JParticle::snap_by_18, 1.0 / 18.0, 4);
}

TEST(DirectForce, NewTimeAndNewParticlesTakeEffect) {
  JParticle j = at_rest(1, 1.0, {1.0, 0.0, 0.0});
  j.v = {1.0, 0.0, 0.0};
  DirectForce force = loaded({j});
  EXPECT_DOUBLE_EQ(on(force, {0, {}, {}}, 0.0).pot, -1.0);
  force.set_time(1.0);
  EXPECT_DOUBLE_EQ(on(force, {0, {}, {}}, 0.0).pot, -0.5);
  const std::array<std::size_t, 1> address = {0};
  const std::array changed = {at_rest(1, 4.0, {1.0, 0.0, 0.0})};
  force.set_j_particles(address, changed);
  EXPECT_DOUBLE_EQ(on(force, {0, {}, {}}, 0.0).pot, -4.0);
}

// acc = - grad pot, jerk = d acc / dt along the motion, by central differences of step h (error h^2, rounding 1e-16/h).
TEST(DirectForce, AccelerationIsTheGradientAndJerkTheTimeDerivative) {
  const Particles p = make_plummer(50, 3);
  std::vector<JParticle> j;
  for (std::size_t k = 0; k < p.size(); ++k) {
    j.push_back(at_rest(p.id[k], p.mass[k], p.position[k]));
    j.back().v = p.velocity[k];
  }
  DirectForce force = loaded(j);
  const double h = 1e-5;
  const double eps2 = 0.01;
  const IParticle i{0, p.position[0], p.velocity[0]};
  const Force f = on(force, i, eps2);
  const auto pot_at = [&](const Vec3& shift) { return on(force, {0, i.x + shift, i.v}, eps2).pot; };
  const Vec3 gradient{pot_at({h, 0, 0}) - pot_at({-h, 0, 0}), pot_at({0, h, 0}) - pot_at({0, -h, 0}),
                      pot_at({0, 0, h}) - pot_at({0, 0, -h})};
  expect_near(f.acc, gradient * (-0.5 / h), 1e-8);
  const auto acc_at = [&](double t) {
    force.set_time(t);
    return on(force, {0, i.x + t * i.v, i.v}, eps2).acc;
  };
  expect_near(f.jerk, (acc_at(h) - acc_at(-h)) * (0.5 / h), 1e-8);
}

TEST(DirectForce, MomentumIsConserved) {
  const Particles p = make_plummer(100, 4);
  std::vector<JParticle> j;
  std::vector<IParticle> i;
  for (std::size_t k = 0; k < p.size(); ++k) {
    j.push_back(at_rest(p.id[k], p.mass[k], p.position[k]));
    i.push_back({p.id[k], p.position[k], {}});
  }
  DirectForce force = loaded(j);
  const std::vector<Force> forces = force.evaluate(i, 1e-4);
  Vec3 sum;
  double size = 0.0;
  double pot = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    sum += p.mass[k] * forces[k].acc;
    size += p.mass[k] * norm(forces[k].acc);
    pot += 0.5 * p.mass[k] * forces[k].pot;
  }
  EXPECT_LT(norm(sum), 1e-14 * size);
  EXPECT_NEAR(pot, potential_energy(p, 0.01), 1e-13);
}

// ---- lanes and threads

/// The formulae of force_backend.h on single doubles, one pair after the other.
Force one_by_one(const std::vector<JParticle>& sources, const IParticle& i, double t, double eps2) {
  double acc[3] = {0, 0, 0};
  double jerk[3] = {0, 0, 0};
  double pot = 0;
  const auto axis = [](const Vec3& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; };
  for (const JParticle& j : sources) {
    if (j.id == i.id) continue;
    const double dt = t - j.t0;
    double d[3];
    double u[3];
    for (int k = 0; k < 3; ++k) {
      const double v = axis(j.v, k);
      const double a = axis(j.a_by_2, k);
      const double b = axis(j.jerk_by_6, k);
      const double c = axis(j.snap_by_18, k);
      d[k] = axis(j.x, k) + dt * (v + dt * (a + dt * (b + (0.75 * dt) * c))) - axis(i.x, k);
      u[k] = v + dt * (2 * a + dt * (3 * b + (3 * dt) * c)) - axis(i.v, k);
    }
    const double s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
    if (s2 == 0) continue;
    const double by_s2 = 1 / s2;
    const double m_by_s = j.mass * std::sqrt(by_s2);
    const double slope = 3 * (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) * by_s2;
    for (int k = 0; k < 3; ++k) {
      acc[k] += m_by_s * by_s2 * d[k];
      jerk[k] += m_by_s * by_s2 * (u[k] - slope * d[k]);
    }
    pot -= m_by_s;
  }
  return {{acc[0], acc[1], acc[2]}, {jerk[0], jerk[1], jerk[2]}, pot};
}

std::array<std::uint64_t, 7> bits_of(const Force& f) {
  return {std::bit_cast<std::uint64_t>(f.acc.x),  std::bit_cast<std::uint64_t>(f.acc.y),
          std::bit_cast<std::uint64_t>(f.acc.z),  std::bit_cast<std::uint64_t>(f.jerk.x),
          std::bit_cast<std::uint64_t>(f.jerk.y), std::bit_cast<std::uint64_t>(f.jerk.z),
          std::bit_cast<std::uint64_t>(f.pot)};
}

/// Particles with all derivatives; several share ids and places with others.
struct Mixture {
  std::vector<JParticle> j;
  std::vector<IParticle> i;

  Mixture(std::size_t sources, std::size_t targets) {
    std::mt19937_64 random(sources + 1000 * targets);
    const auto number = [&] { return static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63; };
    const auto vector = [&](double scale) { return Vec3{scale * number(), scale * number(), scale * number()}; };
    for (std::size_t k = 0; k < sources; ++k) {
      j.push_back({static_cast<std::int64_t>(k % 97), number(), 0.25 * number(), vector(1), vector(1), vector(0.5),
                   vector(0.2), vector(0.1)});
      if (k % 5 == 1) j.back() = at_rest(static_cast<std::int64_t>(k), j[k - 1].mass, j[k - 1].x);
      if (k % 31 == 7) j.back() = at_rest(-1, 0, {});
    }
    for (std::size_t k = 0; k < targets; ++k) {
      const JParticle& like = j[(k * 13 + 1) % sources];
      i.push_back({static_cast<std::int64_t>(k) - 2, k % 3 == 0 ? vector(1) : like.x, vector(1)});
    }
    // The pair of one id is left out even where its terms are no numbers.
    i.back() = {50, {1e200, 0, 0}, vector(1)};
    j.back() = at_rest(50, 1, {-1e200, 1e200, 0});
  }
};

TEST(DirectForce, LanesAndThreadsHaveTheBitsOfSinglePairs) {
  constexpr double kTime = 0.125;
  // Below and above the sizes from which threads share the sums and the predictor.
  for (const auto& [sources, targets] : {std::pair{1, 1}, {3, 2}, {40, 7}, {97, 9}, {97, 17}, {701, 131}, {5001, 19}}) {
    const Mixture mixture(sources, targets);
    for (const double eps2 : {0.0, 0x1p-10}) {
      std::vector<std::array<std::uint64_t, 7>> expected;
      for (const IParticle& i : mixture.i) expected.push_back(bits_of(one_by_one(mixture.j, i, kTime, eps2)));
      for (const emulator::HostIsa isa : emulator::available_host_isas()) {
        for (const unsigned threads : {1U, 2U, 3U}) {
          SCOPED_TRACE(std::string(name_of(isa)) + ", threads " + std::to_string(threads) + ", sources " +
                       std::to_string(sources) + ", targets " + std::to_string(targets));
          DirectForce force({threads, isa});
          load(force, mixture.j);
          force.set_time(kTime);
          const std::vector<Force> forces = force.evaluate(mixture.i, eps2);
          ASSERT_EQ(forces.size(), expected.size());
          for (std::size_t k = 0; k < forces.size(); ++k) ASSERT_EQ(bits_of(forces[k]), expected[k]) << k;
        }
      }
    }
  }
}

TEST(DirectForce, MemoryThatShrankIsEmptyWhenItGrows) {
  DirectForce force = loaded({at_rest(1, 1.0, {1.0, 0.0, 0.0}), at_rest(2, 1.0, {0.0, 2.0, 0.0})});
  force.set_j_count(1);
  EXPECT_EQ(on(force, {0, {}, {}}, 0.0).pot, -1.0);
  force.set_j_count(2);
  EXPECT_EQ(on(force, {0, {}, {}}, 0.0).pot, -1.0);
  EXPECT_TRUE(force.evaluate({}, 0.0).empty());
}

TEST(DirectForce, RefusesThreadsOutOfRange) {
  EXPECT_NE(error_of([] { DirectForce force({1025, {}}); }).find("1025"), std::string::npos);
}

}  // namespace
}  // namespace gdr::hostlib
