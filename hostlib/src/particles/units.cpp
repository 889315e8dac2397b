#include "gdr/hostlib/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "unit_names.h"

namespace gdr::hostlib {
namespace {

const NamedUnit& named(UnitOf of, std::string_view word, std::string_view what) {
  const NamedUnit* const found = named_unit(of, word);
  if (found != nullptr && found->of_option) return *found;
  std::vector<std::string_view> names;
  for (const NamedUnit& each : named_units()) {
    if (each.of == of && each.of_option) names.push_back(each.name);
  }
  throw Error(fmt::format("'{}' is no unit of {}: it must be one of {}", word, what, fmt::join(names, ", ")));
}

/// Length and time of a speed: "km/s", "km s^-1", "km*s**-1", "kms-1", "kms".
std::optional<std::pair<const NamedUnit*, const NamedUnit*>> speed_in(std::string_view word) {
  const auto both = [](std::string_view length, std::string_view time) {
    const std::pair found(named_unit(UnitOf::length, length), named_unit(UnitOf::time, time));
    return found.first != nullptr && found.second != nullptr ? std::optional(found) : std::nullopt;
  };
  if (const std::size_t slash = word.find('/'); slash != std::string_view::npos) {
    return both(word.substr(0, slash), word.substr(slash + 1));
  }
  // The power, as TeX, Python and others write it.
  std::string factors(base::trimmed(word));
  std::erase_if(factors, [](char letter) { return std::string_view("{}$").find(letter) != std::string_view::npos; });
  const auto ends_with = [&](std::string_view end) {
    if (!factors.ends_with(end)) return false;
    factors.resize(factors.size() - end.size());
    return true;
  };
  if (!ends_with("**-1") && !ends_with("^-1") && !ends_with("-1")) {
    // Only this one is usual without a sign of division.
    return plain_unit(factors) == "kms" && factors.find_first_of(" _") == std::string::npos ? both("km", "s")
                                                                                            : std::nullopt;
  }
  constexpr std::string_view kSigns = " _*.";
  if (const std::size_t sign = factors.find_first_of(kSigns); sign != std::string::npos) {
    const std::size_t behind = factors.find_first_not_of(kSigns, sign);
    return behind == std::string::npos ? std::nullopt : both(factors.substr(0, sign), factors.substr(behind));
  }
  for (std::size_t at = 1; at < factors.size(); ++at) {
    if (const auto found = both(std::string_view(factors).substr(0, at), std::string_view(factors).substr(at))) {
      return found;
    }
  }
  return std::nullopt;
}

std::string name_of_speed(const NamedUnit& length, const NamedUnit& time) {
  return fmt::format("{}/{}", length.name, time.name);
}

/// The unit of speed that makes G = 1 with those of mass and length.
double speed_of(const Units& units) { return std::sqrt(units.mass / units.length); }

}  // namespace

Units units_of(const Unit& mass, const Unit& length, const Unit& speed) {
  Units units{fmt::format("{},{},{}", mass.name, length.name, speed.name), mass.size, length.size, 1.0,
              std::sqrt(length.size * length.size * length.size / mass.size)};
  units.speed = scale_between(UnitOf::speed, speed, units);
  return units;
}

Units units_named(std::string_view text) {
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
  const std::string_view speed_word = second == std::string_view::npos ? "" : text.substr(second + 1);
  const std::size_t slash = speed_word.find('/');
  auto speed = speed_in(speed_word);
  if (!speed && slash == std::string_view::npos) {
    throw Error(fmt::format("'{}' is refused: units are MASS,LENGTH,SPEED, such as msun,pc,km/s", text));
  }
  const NamedUnit& mass = named(UnitOf::mass, text.substr(0, first), "mass");
  const NamedUnit& length = named(UnitOf::length, text.substr(first + 1, second - first - 1), "length");
  if (slash != std::string_view::npos) {
    speed.emplace(&named(UnitOf::length, speed_word.substr(0, slash), "length in a speed"),
                  &named(UnitOf::time, speed_word.substr(slash + 1), "time in a speed"));
  }
  const auto& [path, time] = *speed;
  return units_of({std::string(mass.name), mass.size}, {std::string(length.name), length.size},
                  {name_of_speed(*path, *time), path->size / time->size});
}

std::optional<Unit> known_unit(UnitOf of, std::string_view word) {
  if (of == UnitOf::speed) {
    if (const auto speed = speed_in(word)) {
      const auto& [length, time] = *speed;
      return Unit{name_of_speed(*length, *time), length->size / time->size};
    }
  } else if (const NamedUnit* const found = named_unit(of, word)) {
    return Unit{std::string(found->name), found->size};
  }
  try {
    return unit_from(of, word);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string_view unit_in(const Units& units, UnitOf of) {
  GDR_ASSERT(of != UnitOf::time, "the unit of time follows from the others");
  return base::comma_fields(units.name)[static_cast<std::size_t>(of)];
}

double scale_between(UnitOf of, const Unit& unit, const Units& units) {
  GDR_ASSERT(!unit.is_generic, "a generic unit has no size");
  const std::array<double, kKindsOfUnits> sizes{units.mass, units.length, speed_of(units), units.seconds};
  const double scale = unit.size / sizes.at(static_cast<std::size_t>(of));
  // A size goes through a text, a product and a square root, each of which rounds.
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  return std::fabs(scale - 1) <= kRounding ? 1.0 : scale;
}

void to_unit_gravity(Particles& particles, const Units& units) {
  for (Vec3& v : particles.velocity) v = v * units.speed;
}

}  // namespace gdr::hostlib
