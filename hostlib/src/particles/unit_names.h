// The units that have names, in all spellings that are known.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gdr/hostlib/units.h"

namespace gdr::hostlib {

struct NamedUnit {
  UnitOf of;
  std::string_view name;
  double size;  // as in Unit
  /// Other spellings with blanks between them, as plain_unit() leaves them.
  std::string_view others;
  bool of_option = true;  // units_named() takes it
  /// SI prefixes that it may have in front.
  std::string_view prefixes = "";
};
[[nodiscard]] std::span<const NamedUnit> named_units();

/// A word in the form in which NamedUnit has others: small letters, if there are several, without `_` and blanks.
[[nodiscard]] std::string plain_unit(std::string_view word);

/// The unit of this kind with this name; null if there is none.
[[nodiscard]] const NamedUnit* named_unit(UnitOf of, std::string_view word);

}  // namespace gdr::hostlib
