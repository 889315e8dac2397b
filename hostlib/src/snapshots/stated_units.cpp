// Units in the header of a file, against those that the caller gives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

/// In the order of UnitOf; as in MASS,LENGTH,SPEED.
constexpr std::array<std::string_view, 3> kPartsOfUnits{"MASS", "LENGTH", "SPEED"};
constexpr std::array<std::string_view, 3> kMeasuredByThem{"masses", "lengths", "speeds"};

std::string as_written(const StatedUnit& unit) {
  return fmt::format("{} [{}]", unit.column, base::on_one_line(unit.word));
}

}  // namespace

std::vector<std::string> notes_on_units(std::span<const StatedUnit> stated, const std::optional<Units>& given) {
  std::array<const StatedUnit*, kPartsOfUnits.size()> first{};
  std::vector<std::string> unknown;
  for (const StatedUnit& unit : stated) {
    if (!unit.known) {
      unknown.push_back(as_written(unit));
      continue;
    }
    const auto of = static_cast<std::size_t>(unit.of);
    if (given && *unit.known != unit_in(*given, unit.of)) {
      throw Error(fmt::format("{}: column {} has another unit than the given ones, which are {}: {} must be in {}",
                              unit.place, as_written(unit), given->name, kMeasuredByThem.at(of),
                              unit_in(*given, unit.of)));
    }
    if (first.at(of) == nullptr) first.at(of) = &unit;
    if (*first.at(of)->known != *unit.known) {
      throw Error(fmt::format("{}: column {} has another unit than column {}: all {} must be in one unit", unit.place,
                              as_written(unit), as_written(*first.at(of)), kMeasuredByThem.at(of)));
    }
  }
  std::vector<std::string> notes;
  std::vector<std::string_view> known;
  std::vector<std::string_view> option;
  for (std::size_t of = 0; of < first.size(); ++of) {
    const StatedUnit* unit = first.at(of);
    option.push_back(unit == nullptr ? kPartsOfUnits.at(of) : *unit->known);
    if (unit != nullptr) known.push_back(*unit->known);
  }
  if (!given && !known.empty()) {
    notes.push_back(
        fmt::format("{}: the columns have units ({}), and numbers are taken as they are, with "
                    "G = 1; --units {} converts them",
                    stated.front().place, fmt::join(known, ", "), fmt::join(option, ",")));
  }
  if (!unknown.empty()) {
    notes.push_back(fmt::format("{}: units that are not known here are not checked: {}", stated.front().place,
                                fmt::join(unknown, ", ")));
  }
  return notes;
}

}  // namespace gdr::hostlib
