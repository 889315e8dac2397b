// Names and units of columns, as files with particles write them in a first line or in comments.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {

/// The columns that every particle has.
inline constexpr std::array<std::string_view, 7> kColumns = {"m", "x", "y", "z", "vx", "vy", "vz"};

using Fields = std::vector<std::string_view>;

/// Which column holds what: m, x, y, z, vx, vy, vz, and the id, if there is one.
struct RowPlaces {
  std::array<std::size_t, kColumns.size()> of{};
  std::optional<std::size_t> id;
  std::size_t columns = 0;        // of a row
  std::vector<StatedUnit> units;  // that stand behind the names of the seven
};

/// Fields between blanks, with units that stand by themselves joined to the name before them: "x [km / s]".
[[nodiscard]] Fields with_units(const Fields& fields);

/// The names that a line may hold, without what stands around them: "## 1:x | 2:y [pc]" holds x and "y [pc]".
[[nodiscard]] Fields names_in(std::string_view line);

/// The unit `word` of one of the seven columns.
[[nodiscard]] StatedUnit stated_unit(std::size_t column, std::string_view word, const std::string& place);

/// What a line of names says of the columns.
struct NamedColumns {
  std::optional<RowPlaces> places;  // nothing if one of the seven is missing or there twice
  std::size_t known = 0;            // number of the seven that are named
  std::string wrong;                // why there are no places
};

/// `place` is where the names stand, as FILE:LINE.
[[nodiscard]] NamedColumns columns_by_names(const Fields& names, const std::string& place);

}  // namespace gdr::hostlib
