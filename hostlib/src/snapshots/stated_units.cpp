// Units that a file states, and the one system to which its numbers are brought.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <span>

#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

/// In the order of UnitOf; as in MASS,LENGTH,SPEED.
constexpr std::array<std::string_view, 3> kPartsOfUnits{"MASS", "LENGTH", "SPEED"};
constexpr std::array<std::string_view, 3> kMeasuredByThem{"masses", "lengths", "speeds"};
constexpr std::array<std::string_view, kKindsOfUnits> kMeasured{"mass", "length", "speed", "time"};
constexpr std::array<std::string_view, 8> kStatedColumns{"m", "x", "y", "z", "vx", "vy", "vz", "t"};

constexpr UnitOf kind_of(std::size_t column) {
  return column == 0 ? UnitOf::mass : column <= 3 ? UnitOf::length : column <= 6 ? UnitOf::speed : UnitOf::time;
}

std::string as_written(const StatedUnit& unit) {
  constexpr std::size_t kMostShown = 100;
  return fmt::format("{} [{}]", unit.column, base::on_one_line(unit.word.substr(0, kMostShown)));
}

/// Refuses a unit that is known, but as one of another quantity.
void require_no_other_kind(const StatedUnit& unit) {
  for (std::size_t of = 0; of < kKindsOfUnits; ++of) {
    if (!known_unit(static_cast<UnitOf>(of), unit.word)) continue;
    throw Error(fmt::format("{}: column {} is a {}, but its unit is one of {}", unit.place, as_written(unit),
                            kMeasured.at(static_cast<std::size_t>(unit.of)), kMeasured.at(of)));
  }
}

/// The known units of a file by their kinds.
class Stated {
 public:
  explicit Stated(std::span<const StatedUnit> all) {
    for (const StatedUnit& each : all) {
      if (!each.unit) {
        require_no_other_kind(each);
        unknown_.push_back(as_written(each));
        continue;
      }
      if (each.unit->is_generic && generic_ == nullptr) generic_ = &each;
      if (!each.unit->is_generic && sized_ == nullptr) sized_ = &each;
      if (const StatedUnit*& first = first_.at(static_cast<std::size_t>(each.of)); first == nullptr) first = &each;
      by_column_.push_back(&each);
    }
    if (!all.empty()) place_ = all.front().place;
  }

  [[nodiscard]] const StatedUnit* of_column(std::size_t column) const {
    for (const StatedUnit* each : by_column_) {
      if (each->column == kStatedColumns.at(column)) return each;
    }
    return first_.at(static_cast<std::size_t>(kind_of(column)));
  }
  [[nodiscard]] const StatedUnit* first(UnitOf of) const { return first_.at(static_cast<std::size_t>(of)); }
  [[nodiscard]] const StatedUnit* generic() const { return generic_; }
  [[nodiscard]] const StatedUnit* sized() const { return sized_; }
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  std::array<const StatedUnit*, kKindsOfUnits> first_{};
  std::vector<const StatedUnit*> by_column_;
  const StatedUnit* generic_ = nullptr;
  const StatedUnit* sized_ = nullptr;
  std::vector<std::string> unknown_;
  std::string place_;
};

void require_one_system(const Stated& stated, const std::optional<Units>& given) {
  const StatedUnit* const generic = stated.generic();
  if (generic == nullptr) return;
  if (given) {
    throw Error(
        fmt::format("{}: column {} is in a generic unit, in which G = 1, and cannot be converted to {}: leave "
                    "out --units",
                    generic->place, as_written(*generic), given->name));
  }
  if (stated.sized() != nullptr) {
    throw Error(
        fmt::format("{}: column {} is in a generic unit, in which G = 1, but column {} is not: write all in one "
                    "system of units",
                    generic->place, as_written(*generic), as_written(*stated.sized())));
  }
}

/// The system of the file itself.
Units own_system(const Stated& stated) {
  std::vector<std::string_view> option;
  std::string missing;
  for (std::size_t of = 0; of < kPartsOfUnits.size(); ++of) {
    const StatedUnit* const unit = stated.first(static_cast<UnitOf>(of));
    option.push_back(unit == nullptr ? kPartsOfUnits.at(of) : unit->unit->name);
    if (unit == nullptr && missing.empty()) missing = kMeasuredByThem.at(of);
  }
  if (!missing.empty()) {
    throw Error(fmt::format("{}: column {} has a unit, but {} have none: name the units of all by --units {}",
                            stated.place(), as_written(*stated.sized()), missing, fmt::join(option, ",")));
  }
  return units_of(*stated.first(UnitOf::mass)->unit, *stated.first(UnitOf::length)->unit,
                  *stated.first(UnitOf::speed)->unit);
}

void scale(Snapshot& snapshot, const std::array<double, kStatedColumns.size()>& by) {
  Particles& all = snapshot.particles;
  for (std::size_t k = 0; k < all.size(); ++k) {
    all.mass[k] *= by[0];
    all.position[k] = {all.position[k].x * by[1], all.position[k].y * by[2], all.position[k].z * by[3]};
    all.velocity[k] = {all.velocity[k].x * by[4], all.velocity[k].y * by[5], all.velocity[k].z * by[6]};
  }
  snapshot.time *= by[7];
  if (!std::isfinite(snapshot.time)) throw Error("the time is not finite in the units of the run");
  validate(all);
}

}  // namespace

InOneSystem to_one_system(LoadedSnapshot& loaded, const std::optional<Units>& given) {
  const Stated stated(loaded.units);
  require_one_system(stated, given);
  InOneSystem system;
  if (!stated.unknown().empty()) {
    system.notes.push_back(fmt::format("{}: units that are not known here are not checked: {}", stated.place(),
                                       fmt::join(stated.unknown(), ", ")));
  }
  std::array<double, kStatedColumns.size()> by{};
  by.fill(1.0);
  if (stated.generic() != nullptr) {
    for (std::size_t column = 0; column < by.size(); ++column) {
      if (const StatedUnit* const unit = stated.of_column(column)) by.at(column) = unit->unit->size;
    }
    scale(loaded.snapshot, by);
    return system;
  }
  if (!given && stated.sized() == nullptr) return system;
  system.units = given ? *given : own_system(stated);
  for (std::size_t column = 0; column < by.size(); ++column) {
    const UnitOf of = kind_of(column);
    if (const StatedUnit* const unit = stated.of_column(column)) {
      by.at(column) = scale_between(of, *unit->unit, *system.units);
    } else if (of == UnitOf::speed) {
      by.at(column) = system.units->speed;
    }
  }
  scale(loaded.snapshot, by);
  if (stated.sized() == nullptr) return system;
  std::vector<std::string_view> converted;
  for (std::size_t of = 0; of < kPartsOfUnits.size(); ++of) {
    const StatedUnit* const unit = stated.first(static_cast<UnitOf>(of));
    if (unit != nullptr && (!given || unit->unit->name != unit_in(*given, unit->of)))
      converted.push_back(unit->unit->name);
  }
  if (!converted.empty()) {
    system.notes.push_back(
        fmt::format("{}: the columns have units ({}) and are converted to masses in {}, lengths in {} and G = 1{}",
                    stated.place(), fmt::join(converted, ", "), unit_in(*system.units, UnitOf::mass),
                    unit_in(*system.units, UnitOf::length), given ? "" : "; --units M,L,V chooses others"));
  }
  return system;
}

}  // namespace gdr::hostlib
