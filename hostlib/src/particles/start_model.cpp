#include "gdr/hostlib/start_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/hostlib/king.h"
#include "gdr/hostlib/plummer.h"
#include "sampling.h"

namespace gdr::hostlib {
namespace {

constexpr base::Names<StartKind> kNames({{StartKind::plummer, "plummer"},
                                         {StartKind::king, "king"},
                                         {StartKind::uniform, "uniform"},
                                         {StartKind::cold, "cold"},
                                         {StartKind::merger, "merger"},
                                         {StartKind::binary, "binary"},
                                         {StartKind::pythagorean, "pythagorean"}});

/// exp(y) - 1 for y >= 0 by its series, whose terms are all positive.
double exp_minus_one(double y) {
  double sum = 0.0;
  double term = y;
  for (double n = 2.0; sum + term != sum; n += 1.0) {
    sum += term;
    term *= y / n;
  }
  return sum;
}

/// Draws a speed u in units of sigma where the potential is `w`, from the distribution u^2 (exp(w - u^2 / 2) - 1).
double king_speed(Uniform& u, double w) {
  // The smaller of two bounds of the maximum. For deep potentials the first is tight: u^2 exp(w - u^2 / 2) <=
  // 2 exp(w - 1). For shallow ones the second is: exp(y) - 1 <= y exp(y) with u^2 (w - u^2 / 2) <= w^2 / 2.
  const double exp_w = exp_minus_one(w) + 1.0;
  const double bound = exp_w * std::min(0.7357588823428847, 0.5 * w * w);  // 2 / e, rounded up
  const double escape = std::sqrt(2.0 * w);
  for (;;) {
    const double speed = escape * u();
    const double g = u();
    const double square = speed * speed;
    if (g * bound < square * exp_minus_one(std::max(0.0, w - 0.5 * square))) return speed;
  }
}

double one_by(std::size_t n) { return 1.0 / static_cast<double>(n); }

Particles make_king(const StartModel& model) {
  const KingModel king(model.w0);
  Uniform u(model.seed);
  Particles particles;
  particles.reserve(model.particles);
  for (std::size_t k = 0; k < model.particles; ++k) {
    const double r = king.radius_of_mass(u());
    const Vec3 position = isotropic(u, r);
    const double speed = king_speed(u, king.potential(r));
    particles.push_back(static_cast<std::int64_t>(k), one_by(model.particles), position, isotropic(u, speed));
  }
  move_to_rest(particles, one_by(model.particles));
  scale_to(particles, 0.25, -0.5);
  return particles;
}

/// `virial_ratio` is 0 or larger and below 1.
Particles make_uniform(const StartModel& model, double virial_ratio) {
  Uniform u(model.seed);
  Particles particles;
  particles.reserve(model.particles);
  for (std::size_t k = 0; k < model.particles; ++k) {
    const Vec3 position = isotropic(u, cube_root(u()));
    const Vec3 velocity = virial_ratio > 0.0 ? isotropic(u, cube_root(u())) : Vec3{};
    particles.push_back(static_cast<std::int64_t>(k), one_by(model.particles), position, velocity);
  }
  move_to_rest(particles, one_by(model.particles));
  const double depth = 0.25 / (1.0 - virial_ratio);  // |W| where T = Q |W| and T + W = -1/4
  scale_to(particles, virial_ratio * depth, -depth);
  return particles;
}

/// Adds a Plummer sphere, given in Henon units, at position x with velocity v and particles of mass `particle_mass`.
/// Its lengths are scaled in proportion to its mass, so that the energies of two spheres add up to -1/4.
void add_sphere(Particles& particles, const Particles& sphere, double particle_mass, const Vec3& x, const Vec3& v) {
  const double length_scale = particle_mass * static_cast<double>(sphere.size());
  for (std::size_t k = 0; k < sphere.size(); ++k) {
    particles.push_back(static_cast<std::int64_t>(particles.size()), particle_mass,
                        x + length_scale * sphere.position[k], v + sphere.velocity[k]);
  }
}

/// The two spheres of a merger at a distance d, not scaled yet.
Particles merger_at(double d, double pericentre, const Particles& first, const Particles& second) {
  const double mass = one_by(first.size() + second.size());
  const double share = static_cast<double>(first.size()) * mass;  // of the first sphere in the total mass
  // Parabolic relative orbit of total mass 1: speed^2 = 2/d, angular momentum^2 = 2 pericentre.
  const double across = std::sqrt(2.0 * pericentre) / d;
  const double inwards = std::sqrt(std::max(0.0, 2.0 / d - across * across));
  const Vec3 position{d, 0.0, 0.0};
  const Vec3 velocity{-inwards, across, 0.0};
  Particles particles;
  particles.reserve(first.size() + second.size());
  add_sphere(particles, first, mass, (share - 1.0) * position, (share - 1.0) * velocity);
  add_sphere(particles, second, mass, share * position, share * velocity);
  move_to_rest(particles, mass);
  return particles;
}

/// The least separation in hundredths at which a merger is bound. At 1 it is: the energy is below -1/4, that of the
/// spheres, and 1/(4 d), that of the motion.
double least_separation(double pericentre, const Particles& first, const Particles& second) {
  constexpr int kSteps = 100;
  int unbound = 0;
  int bound = kSteps;
  while (bound - unbound > 1) {
    const int middle = (unbound + bound) / 2;
    const double d = static_cast<double>(middle) / kSteps;
    (energy(merger_at(d, pericentre, first, second), 0.0).total() < 0 ? bound : unbound) = middle;
  }
  return static_cast<double>(bound) / kSteps;
}

Particles make_merger(const StartModel& model) {
  const double d = model.separation;
  if (!(d > 0.0 && d <= 1e6)) throw Error(fmt::format("separation = {} is refused: it must be above 0 to 1e6", d));
  if (!(model.pericentre >= 0.0 && model.pericentre <= d)) {
    throw Error(fmt::format("pericentre = {} is refused: it must be 0 to the separation {}", model.pericentre, d));
  }
  const Particles first = make_plummer(model.particles - model.particles / 2, model.seed);
  const Particles second = make_plummer(model.particles / 2, model.seed + 1);
  Particles particles = merger_at(d, model.pericentre, first, second);
  const Energy now = energy(particles, 0.0);
  // Spheres that overlap attract each other less than two points, whose speed they have.
  if (!(now.total() < 0.0)) {
    throw Error(fmt::format(
        "separation = {} is refused: the spheres overlap, and with the speed of two points at this distance "
        "they are not bound; with these particles it must be {} to 1e6",
        d, least_separation(model.pericentre, first, second)));
  }
  // Lengths are scaled inversely to squared velocities: the orbit stays parabolic and the virial ratio the same.
  const double scale = now.total() / -0.25;
  scale_to(particles, now.kinetic / scale, now.potential / scale);
  return particles;
}

Particles make_binary(double eccentricity) {
  if (!(eccentricity >= 0.0 && eccentricity < 1.0)) {
    throw Error(fmt::format("eccentricity = {} is refused: it must be 0 or larger and below 1", eccentricity));
  }
  constexpr double kSemiMajorAxis = 0.5;  // E = -m1 m2 / (2 a) = -1/4
  const double distance = kSemiMajorAxis * (1.0 + eccentricity);
  const double speed = std::sqrt((1.0 - eccentricity) / distance);  // vis viva at apocentre, relative
  Particles particles;
  particles.push_back(0, 0.5, {-0.5 * distance, 0, 0}, {0, -0.5 * speed, 0});
  particles.push_back(1, 0.5, {0.5 * distance, 0, 0}, {0, 0.5 * speed, 0});
  return particles;
}

Particles make_pythagorean() {
  Particles particles;
  particles.push_back(0, 3.0, {1.0, 3.0, 0.0}, {});
  particles.push_back(1, 4.0, {-2.0, -1.0, 0.0}, {});
  particles.push_back(2, 5.0, {1.0, -1.0, 0.0}, {});
  return particles;
}

/// The only kind that depends on this parameter.
constexpr std::array<std::pair<std::string_view, StartKind>, 4> kOwners{{{"w0", StartKind::king},
                                                                         {"separation", StartKind::merger},
                                                                         {"pericentre", StartKind::merger},
                                                                         {"eccentricity", StartKind::binary}}};

}  // namespace

std::vector<std::string> start_kind_names() { return {kNames.begin(), kNames.end()}; }

std::string_view name_of(StartKind kind) { return kNames[kind]; }

StartKind start_kind(std::string_view name) {
  if (const auto kind = kNames.find(name)) return *kind;
  throw Error(fmt::format("start model '{}' is refused: it must be one of {}", name, fmt::join(kNames, ", ")));
}

void require_parameter_of(StartKind kind, std::string_view parameter) {
  if (parameter == "seed" && fixed_particles(kind) > 0) {
    throw Error(fmt::format("seed has no effect with start {}: nothing of it is drawn", name_of(kind)));
  }
  for (const auto& [name, owner] : kOwners) {
    if (name == parameter && owner != kind) {
      throw Error(fmt::format("{} has no effect without start {}", parameter, name_of(owner)));
    }
  }
}

std::size_t fixed_particles(StartKind kind) {
  return kind == StartKind::binary ? 2 : kind == StartKind::pythagorean ? 3 : 0;
}

std::size_t least_particles(StartKind kind) {
  const std::size_t fixed = fixed_particles(kind);
  if (fixed != 0) return fixed;
  return kind == StartKind::merger ? 4 : 2;  // two of each sphere
}

std::string describe(const StartModel& model) {
  switch (model.kind) {
    case StartKind::binary:
      return fmt::format("binary, eccentricity {}", model.eccentricity);
    case StartKind::pythagorean:
      return "pythagorean";
    case StartKind::king:
      return fmt::format("king {}, W0 {}, seed {}", model.particles, model.w0, model.seed);
    case StartKind::merger:
      return fmt::format("merger {}, separation {}, pericentre {}, seed {}", model.particles, model.separation,
                         model.pericentre, model.seed);
    case StartKind::plummer:
    case StartKind::uniform:
    case StartKind::cold:
      break;
  }
  return fmt::format("{} {}, seed {}", name_of(model.kind), model.particles, model.seed);
}

void require_particles_of(StartKind kind, std::size_t particles) {
  if (const std::size_t fixed = fixed_particles(kind); fixed > 0) {
    if (particles == 0 || particles == fixed) return;
    throw Error(fmt::format("n = {} is refused: {} has {} particles", particles, name_of(kind), fixed));
  }
  const std::size_t least = least_particles(kind);
  if (particles >= least && particles <= kMostStartParticles) return;
  throw Error(fmt::format("n = {} is refused: {} has from {} to {} particles", particles, name_of(kind), least,
                          kMostStartParticles));
}

Particles make_start(const StartModel& model) {
  require_particles_of(model.kind, model.particles);
  switch (model.kind) {
    case StartKind::plummer:
      return make_plummer(model.particles, model.seed);
    case StartKind::king:
      return make_king(model);
    case StartKind::uniform:
      return make_uniform(model, 0.5);
    case StartKind::cold:
      return make_uniform(model, 0.0);
    case StartKind::merger:
      return make_merger(model);
    case StartKind::binary:
      return make_binary(model.eccentricity);
    case StartKind::pythagorean:
      return make_pythagorean();
  }
  throw Error("start model of an unknown kind");
}

}  // namespace gdr::hostlib
