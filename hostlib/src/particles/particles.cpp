#include "gdr/hostlib/particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "formats/little_endian.h"
#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/stopping.h"

namespace gdr::hostlib {
namespace {

// Particle indices in ascending order of id.
std::vector<std::size_t> id_order(const Particles& particles) {
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return particles.id[a] < particles.id[b]; });
  return order;
}

void check_lengths(const Particles& p) {
  const std::size_t n = p.size();
  if (p.mass.size() != n || p.position.size() != n || p.velocity.size() != n) {
    throw Error(fmt::format("particles: {} ids, {} masses, {} positions and {} velocities; the lengths must be equal",
                            n, p.mass.size(), p.position.size(), p.velocity.size()));
  }
}

void check_values(const Particles& p, std::size_t k) {
  if (!(p.mass[k] >= 0.0) || !std::isfinite(p.mass[k])) {
    throw Error(fmt::format("particle {}: mass {} is not a finite number >= 0", p.id[k], p.mass[k]));
  }
  const auto refuse = [&](const char* what, const Vec3& a) {
    throw Error(fmt::format("particle {}: {} ({}, {}, {}) is not finite", p.id[k], what, a.x, a.y, a.z));
  };
  if (!is_finite(p.position[k])) refuse("position", p.position[k]);
  if (!is_finite(p.velocity[k])) refuse("velocity", p.velocity[k]);
}

/// A sum that is rounded once, however many numbers are added: what an addition loses is a double, and is summed, too.
class RoundedOnce {
 public:
  /// Returns the sum so far.
  double add(double number) {
    const double sum = sum_ + number;
    const double added = sum - sum_;
    lost_ += (sum_ - (sum - added)) + (number - added);
    sum_ = sum;
    return sum_ + lost_;
  }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

void Particles::reserve(std::size_t n) {
  id.reserve(n);
  mass.reserve(n);
  position.reserve(n);
  velocity.reserve(n);
}

void Particles::push_back(std::int64_t new_id, double m, const Vec3& x, const Vec3& v) {
  id.push_back(new_id);
  mass.push_back(m);
  position.push_back(x);
  velocity.push_back(v);
}

void validate(const Particles& particles) {
  check_lengths(particles);
  for (std::size_t k = 0; k < particles.size(); ++k) check_values(particles, k);
  const std::vector<std::size_t> order = id_order(particles);
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (particles.id[order[k - 1]] == particles.id[order[k]]) {
      throw Error(fmt::format("particles {} and {} both have id {}; ids must be unique", order[k - 1], order[k],
                              particles.id[order[k]]));
    }
  }
}

std::vector<OnePlace> in_one_place(const Particles& particles) {
  const std::vector<Vec3>& x = particles.position;
  const auto parts = [&](std::size_t k) { return std::tuple(x[k].x, x[k].y, x[k].z); };
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) { return parts(a) != parts(b) ? parts(a) < parts(b) : a < b; });
  std::vector<OnePlace> found;
  std::size_t first = 0;  // in `order`: the first particle at this position
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (x[order[k]] != x[order[first]]) {
      first = k;
      continue;
    }
    const std::vector<Vec3>& v = particles.velocity;
    found.push_back({order[first], order[k], v[order[first]] == v[order[k]]});
  }
  std::ranges::sort(found, {}, &OnePlace::second);
  return found;
}

double Energy::virial_ratio() const { return internal_kinetic / std::fabs(potential); }

double kinetic_energy(const Particles& particles) {
  double twice = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    twice += particles.mass[i] * dot(particles.velocity[i], particles.velocity[i]);
  }
  return 0.5 * twice;
}

double internal_kinetic_energy(const Particles& particles) {
  const double mass = total_mass(particles);
  if (mass == 0.0) return 0.0;
  const Vec3 mean = momentum(particles) * (1.0 / mass);
  double twice = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3 v = particles.velocity[i] - mean;
    twice += particles.mass[i] * dot(v, v);
  }
  return 0.5 * twice;
}

double potential_energy(const Particles& particles, double eps) {
  constexpr std::size_t kParticlesAPause = 16;  // of a million particles: some 50 ms
  const double eps2 = eps * eps;
  double sum = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (i % kParticlesAPause == 0) base::pause();
    const Vec3 xi = particles.position[i];
    double phi = 0.0;
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 d = particles.position[j] - xi;
      const double s2 = dot(d, d) + eps2;
      if (s2 > 0.0) phi += particles.mass[j] / std::sqrt(s2);
    }
    sum += particles.mass[i] * phi;
  }
  return -sum;
}

Energy energy(const Particles& particles, double eps) {
  return {kinetic_energy(particles), potential_energy(particles, eps), internal_kinetic_energy(particles)};
}

double total_mass(const Particles& particles) {
  double sum = 0.0;
  for (const double m : particles.mass) sum += m;
  return sum;
}

Vec3 centre_of_mass(const Particles& particles) {
  const double mass = total_mass(particles);
  if (mass == 0.0) return {};
  Vec3 sum;
  for (std::size_t i = 0; i < particles.size(); ++i) sum += particles.mass[i] * particles.position[i];
  return sum * (1.0 / mass);
}

Vec3 momentum(const Particles& particles) {
  Vec3 sum;
  for (std::size_t i = 0; i < particles.size(); ++i) sum += particles.mass[i] * particles.velocity[i];
  return sum;
}

Vec3 angular_momentum(const Particles& particles) {
  Vec3 sum;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    sum += particles.mass[i] * cross(particles.position[i], particles.velocity[i]);
  }
  return sum;
}

std::vector<double> lagrangian_radii(const Particles& particles, std::span<const double> fractions,
                                     const Vec3& centre) {
  if (particles.size() == 0) throw Error("lagrangian_radii: no particles");
  std::vector<std::pair<double, double>> shells;  // distance, mass
  shells.reserve(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    shells.emplace_back(norm(particles.position[i] - centre), particles.mass[i]);
  }
  std::sort(shells.begin(), shells.end());
  std::vector<double> enclosed(shells.size());
  RoundedOnce sum;
  for (std::size_t k = 0; k < shells.size(); ++k) enclosed[k] = sum.add(shells[k].second);
  // A tenth of ten equal masses is the first of them, although 0.1 is above a tenth. Masses, sums, the fraction and
  // the product are each rounded by half an epsilon at most: three epsilons on both sides together.
  const double total = enclosed.back() * (1 - 4 * std::numeric_limits<double>::epsilon());

  std::vector<double> radii;
  radii.reserve(fractions.size());
  for (const double fraction : fractions) {
    if (!(fraction > 0.0 && fraction <= 1.0)) {
      throw Error(fmt::format("lagrangian_radii: mass fraction {} is outside (0, 1]", fraction));
    }
    const auto at = std::lower_bound(enclosed.begin(), enclosed.end(), fraction * total);
    const auto k = std::min(static_cast<std::size_t>(at - enclosed.begin()), shells.size() - 1);
    radii.push_back(shells[k].first);
  }
  return radii;
}

std::string state_hash(const Particles& particles) {
  check_lengths(particles);
  constexpr std::size_t kRecordWords = 8;
  std::string bytes;
  bytes.reserve(particles.size() * kRecordWords * kWordBytes);
  for (const std::size_t k : id_order(particles)) {
    append_le(bytes, particles.id[k]);
    append_le(bytes, particles.mass[k]);
    append_le(bytes, particles.position[k]);
    append_le(bytes, particles.velocity[k]);
  }
  return base::sha256_hex(std::as_bytes(std::span(bytes)));
}

}  // namespace gdr::hostlib
