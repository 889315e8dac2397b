// Particles of an N-body system, and quantities computed from them in host double: energies, momenta, radii, hash.
// G = 1 throughout. All sums run in index order, so every value has the same bits on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gdr/hostlib/vec3.h"

namespace gdr::hostlib {

/// State of N particles at one time. The four arrays have the same length.
struct Particles {
  std::vector<std::int64_t> id;  // unique, any values
  std::vector<double> mass;      // >= 0; a particle of mass 0 is a tracer
  std::vector<Vec3> position;
  std::vector<Vec3> velocity;

  [[nodiscard]] std::size_t size() const { return id.size(); }
  void reserve(std::size_t n);
  void push_back(std::int64_t new_id, double m, const Vec3& x, const Vec3& v);

  friend bool operator==(const Particles&, const Particles&) = default;
};

/// Throws gdr::Error with particle and value if the arrays differ in length, an id occurs twice, a mass is negative or
/// any number is not finite.
void validate(const Particles& particles);

/// Two particles at the same position, as indices.
struct OnePlace {
  std::size_t first = 0;
  std::size_t second = 0;     // > first
  bool one_velocity = false;  // they have the same velocity, too: the row of a file may be there twice

  friend bool operator==(const OnePlace&, const OnePlace&) = default;
};

/// Every particle at whose position there is another one before it, with the first one there, in ascending order of
/// `second`.
[[nodiscard]] std::vector<OnePlace> in_one_place(const Particles& particles);

struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;
  double internal_kinetic = 0.0;  // without the motion of the centre of mass

  [[nodiscard]] double total() const { return kinetic + potential; }
  /// Without the motion of the centre of mass, which no force between the particles can change.
  [[nodiscard]] double internal() const { return internal_kinetic + potential; }
  /// Q = T / |W| without that motion: 1/2 in equilibrium, infinite without potential energy.
  [[nodiscard]] double virial_ratio() const;
};

/// T = sum_i m_i v_i^2 / 2.
[[nodiscard]] double kinetic_energy(const Particles& particles);

/// sum_i m_i |v_i - V|^2 / 2, V the velocity of the centre of mass; 0 if the total mass is 0.
[[nodiscard]] double internal_kinetic_energy(const Particles& particles);

/// W = - sum_i m_i sum_{j<i} m_j / sqrt(r_ij^2 + eps^2), Plummer softening `eps` >= 0 (a length).
/// The inner sums run over ascending j, the outer over ascending i. Coincident unsoftened particles contribute 0, as
/// on the board. O(N^2).
[[nodiscard]] double potential_energy(const Particles& particles, double eps);

[[nodiscard]] Energy energy(const Particles& particles, double eps);

[[nodiscard]] double total_mass(const Particles& particles);

/// Mass-weighted mean position; the zero vector if the total mass is 0.
[[nodiscard]] Vec3 centre_of_mass(const Particles& particles);

/// sum_i m_i v_i.
[[nodiscard]] Vec3 momentum(const Particles& particles);

/// sum_i m_i x_i cross v_i about the origin.
[[nodiscard]] Vec3 angular_momentum(const Particles& particles);

/// Lagrangian radii. Masses are summed in the order of distance from `centre`. For each mass fraction f in (0, 1], the
/// radius is the distance of the particle at which this sum first reaches f times the total mass, or lacks 4 epsilons
/// of it, as roundings of masses and fraction may: of n equal masses it is that of particle ceil(f n). Returns the
/// radii in the order of `fractions`. Throws gdr::Error for an empty system or a fraction outside (0, 1].
[[nodiscard]] std::vector<double> lagrangian_radii(const Particles& particles, std::span<const double> fractions,
                                                   const Vec3& centre);

/// SHA-256, as 64 lower-case hex digits, over the particles in ascending order of id. Each particle enters with id
/// (two's complement), mass, x, y, z, vx, vy, vz, each as 8 bytes, least significant first. Ids are assumed to be
/// unique.
[[nodiscard]] std::string state_hash(const Particles& particles);

}  // namespace gdr::hostlib
