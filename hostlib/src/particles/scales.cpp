#include "gdr/hostlib/scales.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"

namespace gdr::hostlib {
namespace {

constexpr double kAu = 149597870700.0;                     // m [IAU 2012, resolution B2]
constexpr double kPc = 648000.0 / std::numbers::pi * kAu;  // m [IAU 2015, resolution B2]
constexpr double kSun = 1.3271244e20;                      // G M, m^3/s^2 [IAU 2015, resolution B3]
constexpr double kGravity = 6.6743e-11;                    // m^3/(kg s^2) [CODATA 2018]
constexpr double kDay = 86400.0;                           // s
constexpr double kYear = 365.25 * kDay;                    // s, Julian
constexpr std::size_t kLeastToRelax = 20;                  // particles; ln(0.11 N) is no longer small

/// A unit, and other spellings with blanks between them, in small letters and without `_`.
struct Named {
  std::string_view name;
  double value;
  std::string_view others;
};
constexpr std::array<Named, 3> kMasses{
    {{"msun", kSun, "msol solmass solarmass m☉ m⊙"}, {"kg", kGravity, "kilogram"}, {"g", 1e-3 * kGravity, "gram"}}};
constexpr std::array<Named, 6> kLengths{{{"pc", kPc, "parsec"},
                                         {"kpc", 1e3 * kPc, "kiloparsec"},
                                         {"au", kAu, "ua"},
                                         {"m", 1.0, "meter metre"},
                                         {"km", 1e3, "kilometer kilometre"},
                                         {"cm", 1e-2, "centimeter centimetre"}}};
constexpr std::array<Named, 5> kTimes{{{"s", 1.0, "sec second"},
                                       {"day", kDay, "d"},
                                       {"yr", kYear, "year julianyr"},
                                       {"myr", 1e6 * kYear, "megayear"},
                                       {"gyr", 1e9 * kYear, "gigayear"}}};

/// A word in the form in which Named has others.
std::string plain(std::string_view word) {
  std::string letters;
  for (const char letter : word) {
    if (letter != '_' && letter != ' ') letters += letter;
  }
  if (letters.size() == 1) return letters;
  for (char& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

const Named* find(std::span<const Named> all, std::string_view word) {
  const std::string wanted = plain(word);
  if (wanted.empty()) return nullptr;
  for (const Named& each : all) {
    if (each.name == wanted) return &each;
    const std::vector<std::string_view> others = base::blank_fields(each.others);
    if (std::ranges::find(others, wanted) != others.end()) return &each;
  }
  return nullptr;
}

const Named& named(std::span<const Named> all, std::string_view word, std::string_view what) {
  if (const Named* found = find(all, word)) return *found;
  std::vector<std::string_view> names;
  for (const Named& each : all) names.push_back(each.name);
  throw Error(fmt::format("'{}' is no unit of {}: it must be one of {}", word, what, fmt::join(names, ", ")));
}

/// Length and time of a speed: "km/s", "km s^-1", "km*s**-1", "kms-1", "kms".
std::optional<std::pair<const Named*, const Named*>> speed_in(std::string_view word) {
  if (const std::size_t slash = word.find('/'); slash != std::string_view::npos) {
    const Named* length = find(kLengths, word.substr(0, slash));
    const Named* time = find(kTimes, word.substr(slash + 1));
    return length != nullptr && time != nullptr ? std::optional(std::pair(length, time)) : std::nullopt;
  }
  std::string letters;
  for (const char letter : word) {
    if (std::string_view(" _*^.{}$").find(letter) == std::string_view::npos) letters += letter;
  }
  constexpr std::string_view kInverse = "-1";
  const bool is_inverse = letters.ends_with(kInverse);
  if (is_inverse) letters.resize(letters.size() - kInverse.size());
  // Only this one is usual without a sign of division.
  if (!is_inverse && plain(letters) != "kms") return std::nullopt;
  for (std::size_t at = 1; at < letters.size(); ++at) {
    const Named* length = find(kLengths, std::string_view(letters).substr(0, at));
    const Named* time = find(kTimes, std::string_view(letters).substr(at));
    if (length != nullptr && time != nullptr) return std::pair(length, time);
  }
  return std::nullopt;
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
  const std::string_view speed_word = second == std::string_view::npos ? "" : text.substr(second + 1);
  auto speed = speed_in(speed_word);
  const std::size_t slash = speed_word.find('/');
  if (!speed && slash == std::string_view::npos) {
    throw Error(fmt::format("'{}' is refused: units are MASS,LENGTH,SPEED, such as msun,pc,km/s", text));
  }
  const Named& mass = named(kMasses, text.substr(0, first), "mass");
  const Named& length = named(kLengths, text.substr(first + 1, second - first - 1), "length");
  if (!speed) {
    speed.emplace(&named(kLengths, speed_word.substr(0, slash), "length in a speed"),
                  &named(kTimes, speed_word.substr(slash + 1), "time in a speed"));
  }
  const auto& [path, time] = *speed;
  const double value = path->value / time->value;
  return {fmt::format("{},{},{}/{}", mass.name, length.name, path->name, time->name),
          value / std::sqrt(mass.value / length.value),
          std::sqrt(length.value * length.value * length.value / mass.value)};
}

std::optional<std::string> known_unit(UnitOf of, std::string_view word) {
  if (of == UnitOf::speed) {
    const auto speed = speed_in(word);
    return speed ? std::optional(fmt::format("{}/{}", speed->first->name, speed->second->name)) : std::nullopt;
  }
  const Named* found = of == UnitOf::mass ? find(kMasses, word) : find(kLengths, word);
  return found != nullptr ? std::optional(std::string(found->name)) : std::nullopt;
}

std::string_view unit_in(const Units& units, UnitOf of) {
  return base::comma_fields(units.name)[static_cast<std::size_t>(of)];
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
