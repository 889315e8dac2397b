#include "gdr/hostlib/scales.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

constexpr double kAu = 149597870700.0;                     // m [IAU 2012, resolution B2]
constexpr double kPc = 648000.0 / std::numbers::pi * kAu;  // m [IAU 2015, resolution B2]
constexpr double kSun = 1.3271244e20;                      // G M, m^3/s^2 [IAU 2015, resolution B3]
constexpr double kGravity = 6.6743e-11;                    // m^3/(kg s^2) [CODATA 2018]
constexpr double kDay = 86400.0;                           // s
constexpr double kYear = 365.25 * kDay;                    // s, Julian
constexpr std::size_t kLeastToRelax = 20;                  // particles; ln(0.11 N) is no longer small

using Named = std::pair<std::string_view, double>;
constexpr std::array<Named, 3> kMasses{{{"msun", kSun}, {"kg", kGravity}, {"g", 1e-3 * kGravity}}};
constexpr std::array<Named, 6> kLengths{
    {{"pc", kPc}, {"kpc", 1e3 * kPc}, {"au", kAu}, {"m", 1.0}, {"km", 1e3}, {"cm", 1e-2}}};
constexpr std::array<Named, 5> kTimes{
    {{"s", 1.0}, {"day", kDay}, {"yr", kYear}, {"myr", 1e6 * kYear}, {"gyr", 1e9 * kYear}}};

template <std::size_t size>
double value_of(const std::array<Named, size>& all, std::string_view name, std::string_view what) {
  std::vector<std::string_view> names;
  for (const auto& [known, value] : all) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw Error(fmt::format("'{}' is no unit of {}: it must be one of {}", name, what, fmt::join(names, ", ")));
}

}  // namespace

Scales scales_of(const Particles& particles, const Energy& energy) {
  Scales scales;
  scales.mass = total_mass(particles);
  if (!(scales.mass > 0)) return scales;
  const double half[1] = {0.5};
  const double r_h = lagrangian_radii(particles, half, centre_of_mass(particles)).front();
  scales.half_mass_radius = r_h;
  const auto n = static_cast<double>(particles.size());
  if (particles.size() >= kLeastToRelax) {
    scales.relaxation_time = 0.138 * n * std::sqrt(r_h * r_h * r_h / scales.mass) / std::log(0.11 * n);
  }
  if (energy.potential == 0) return scales;
  const double r_v = scales.mass * scales.mass / (2 * std::fabs(energy.potential));
  scales.virial_radius = r_v;
  scales.virial_ratio = energy.virial_ratio();
  scales.crossing_time = 2 * std::numbers::sqrt2 * std::sqrt(r_v * r_v * r_v / scales.mass);
  return scales;
}

Units units_named(std::string_view text) {
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
  const std::size_t slash = second == std::string_view::npos ? second : text.find('/', second + 1);
  if (slash == std::string_view::npos) {
    throw Error(fmt::format("'{}' is refused: units are MASS,LENGTH,SPEED, such as msun,pc,km/s", text));
  }
  const double mass = value_of(kMasses, text.substr(0, first), "mass");
  const double length = value_of(kLengths, text.substr(first + 1, second - first - 1), "length");
  const double speed = value_of(kLengths, text.substr(second + 1, slash - second - 1), "length in a speed") /
                       value_of(kTimes, text.substr(slash + 1), "time in a speed");
  return {std::string(text), speed / std::sqrt(mass / length), std::sqrt(length * length * length / mass)};
}

void to_unit_gravity(Particles& particles, const Units& units) {
  for (Vec3& v : particles.velocity) v = v * units.speed;
}

void scale_to_henon(Particles& particles) {
  const double mass = total_mass(particles);
  const double potential = potential_energy(particles, 0.0);
  if (!(mass > 0 && potential < 0)) {
    throw Error("particles without mass or potential energy have no scale of Henon's");
  }
  const double r_v = mass * mass / (2 * -potential);
  const Vec3 centre = centre_of_mass(particles);
  const Vec3 mean = momentum(particles) * (1.0 / mass);
  const double speed = std::sqrt(r_v / mass);
  for (std::size_t k = 0; k < particles.size(); ++k) {
    particles.mass[k] /= mass;
    particles.position[k] = (particles.position[k] - centre) * (1.0 / r_v);
    particles.velocity[k] = (particles.velocity[k] - mean) * speed;
  }
}

}  // namespace gdr::hostlib
