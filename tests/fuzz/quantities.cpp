// Any text as a number with a unit, as units of a file, as a grid and as sizes of a halo: nothing or refused by
// gdr::Error, or a value in its range. A plain number is the one that the C library reads; a whole number is the
// number; a name is read back the same.
#include <cmath>
#include <cstdlib>
#include <string>

#include "fuzz.h"
#include "gdr/base/quantity.h"
#include "gdr/hostlib/units.h"
#include "gdr/interconnect/grid.h"
#include "gdr/interconnect/halo_plan.h"

namespace {

using namespace gdr;

void check_number(const std::string& text, base::ValueUnit unit) {
  const std::optional<double> number = base::number_of(text, unit);
  FUZZ_HOLDS(!number || std::isfinite(*number));
  if (number && text.find_first_not_of("0123456789.+-eE") == std::string::npos) {
    char* end = nullptr;
    FUZZ_HOLDS(*number == std::strtod(text.c_str(), &end));
    FUZZ_HOLDS(*end == '\0');
  }
  const std::optional<std::uint64_t> whole = base::whole_number_of(text, unit);
  if (!whole) return;
  FUZZ_HOLDS(number);
  // The number was rounded at its digits and at its prefix.
  constexpr double kRoundings = 0x1p-50;
  FUZZ_HOLDS(std::fabs(static_cast<double>(*whole) - *number) <= kRoundings * *number);
}

void check_units(std::string_view text) {
  const hostlib::Units units = hostlib::units_named(text);
  for (const double size : {units.mass, units.length, units.speed, units.seconds}) {
    FUZZ_HOLDS(std::isfinite(size) && size > 0);
  }
  const hostlib::Units again = hostlib::units_named(units.name);
  FUZZ_HOLDS(again.name == units.name && again.speed == units.speed && again.seconds == units.seconds);
}

void check_grid(std::string_view text) {
  const interconnect::Grid grid = interconnect::Grid::parse(text);
  FUZZ_HOLDS(grid.nodes() >= 1 && grid.nodes() <= interconnect::Grid::kMostNodes);
  const interconnect::Grid again = interconnect::Grid::parse(grid.name());
  FUZZ_HOLDS(again.extents() == grid.extents() && again.torus() == grid.torus());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  using enum base::ValueUnit;
  for (const base::ValueUnit unit : {none, bytes, megabytes, megahertz, seconds, minutes}) {
    check_number(std::string(text), unit);
  }
  fuzz::refuses([&] { check_units(text); });
  fuzz::refuses([&] { check_grid(text); });
  fuzz::refuses([&] {
    for (const std::int64_t extent : interconnect::parse_halo_extents(text)) FUZZ_HOLDS(extent >= 1);
  });
  fuzz::refuses([&] {
    unsigned axes = 0;
    for (const unsigned axis : interconnect::parse_axis_order(text)) axes |= 1U << axis;
    FUZZ_HOLDS(axes == 0b111);
  });
  return 0;
}
