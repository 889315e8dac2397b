#include "unit_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numbers>
#include <vector>

#include "gdr/base/line_reader.h"

namespace gdr::hostlib {
namespace {

constexpr double kAu = 149597870700.0;                     // m [IAU 2012, resolution B2]
constexpr double kPc = 648000.0 / std::numbers::pi * kAu;  // m [IAU 2015, resolution B2]
constexpr double kSun = 1.3271244e20;                      // G M, m^3/s^2 [IAU 2015, resolution B3]
constexpr double kJupiter = 1.2668653e17;                  // G M, m^3/s^2 [IAU 2015, resolution B3]
constexpr double kEarth = 3.986004e14;                     // G M, m^3/s^2 [IAU 2015, resolution B3]
constexpr double kSunRadius = 6.957e8;                     // m [IAU 2015, resolution B3]
constexpr double kGravity = 6.6743e-11;                    // m^3/(kg s^2) [CODATA 2018]
constexpr double kHour = 3600.0;                           // s
constexpr double kDay = 24 * kHour;                        // s
constexpr double kYear = 365.25 * kDay;                    // s, Julian
constexpr double kLightYear = 299792458.0 * kYear;         // m

constexpr std::array kUnits{
    NamedUnit{UnitOf::mass, "msun", kSun, "msol solmass solarmass m☉ m⊙"},
    NamedUnit{UnitOf::mass, "kg", kGravity, "kilogram"},
    NamedUnit{UnitOf::mass, "g", 1e-3 * kGravity, "gram", true, "m"},
    NamedUnit{UnitOf::mass, "mjupiter", kJupiter, "mjup jupitermass", false},
    NamedUnit{UnitOf::mass, "mearth", kEarth, "earthmass", false},
    NamedUnit{UnitOf::length, "pc", kPc, "parsec", true, "kMG"},
    NamedUnit{UnitOf::length, "kpc", 1e3 * kPc, "kiloparsec"},
    NamedUnit{UnitOf::length, "au", kAu, "ua"},
    NamedUnit{UnitOf::length, "m", 1.0, "meter metre", true, "kMGTcm"},
    NamedUnit{UnitOf::length, "km", 1e3, "kilometer kilometre"},
    NamedUnit{UnitOf::length, "cm", 1e-2, "centimeter centimetre"},
    NamedUnit{UnitOf::length, "rsun", kSunRadius, "rsol solrad", false},
    NamedUnit{UnitOf::length, "ly", kLightYear, "lightyear lyr", false},
    NamedUnit{UnitOf::time, "s", 1.0, "sec second"},
    NamedUnit{UnitOf::time, "day", kDay, "d"},
    NamedUnit{UnitOf::time, "yr", kYear, "year julianyr", true, "kMG"},
    NamedUnit{UnitOf::time, "myr", 1e6 * kYear, "megayear"},
    NamedUnit{UnitOf::time, "gyr", 1e9 * kYear, "gigayear"},
    NamedUnit{UnitOf::time, "min", 60.0, "minute", false},
    NamedUnit{UnitOf::time, "hr", kHour, "hour", false},
    // AMUSE's names; its `ms` is a metre a second, which others take for a thousandth of a second.
    NamedUnit{UnitOf::speed, "kms", 1e3, "", false},
    NamedUnit{UnitOf::speed, "aud", kAu / kDay, "", false},
};

}  // namespace

std::span<const NamedUnit> named_units() { return kUnits; }

std::string plain_unit(std::string_view word) {
  std::string letters;
  for (const char letter : word) {
    if (letter != '_' && letter != ' ') letters += letter;
  }
  if (letters.size() == 1) return letters;
  for (char& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

const NamedUnit* named_unit(UnitOf of, std::string_view word) {
  const std::string wanted = plain_unit(word);
  if (wanted.empty()) return nullptr;
  for (const NamedUnit& each : kUnits) {
    if (each.of != of) continue;
    if (each.name == wanted) return &each;
    const std::vector<std::string_view> others = base::blank_fields(each.others);
    if (std::ranges::find(others, wanted) != others.end()) return &each;
  }
  return nullptr;
}

}  // namespace gdr::hostlib
