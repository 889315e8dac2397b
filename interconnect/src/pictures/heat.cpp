#include "heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gdr/base/units.h"

namespace gdr::interconnect {

std::string heat_colour(double share) {
  struct Stop {
    double at, red, green, blue;
  };
  constexpr std::array<Stop, 5> kStops{
      {{0, 222, 228, 234}, {0.25, 254, 217, 118}, {0.5, 253, 141, 60}, {0.75, 227, 26, 28}, {1, 70, 0, 30}}};
  std::size_t upper = 1;
  while (upper + 1 < kStops.size() && share > kStops[upper].at) ++upper;
  const Stop& low = kStops[upper - 1];
  const Stop& high = kStops[upper];
  const double part = std::clamp((share - low.at) / (high.at - low.at), 0.0, 1.0);
  const auto mix = [&](double a, double b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(low.red, high.red), mix(low.green, high.green),
                     mix(low.blue, high.blue));
}

std::string readable_bytes(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number >= kMega) return fmt::format("{:.2f} MB", number / kMega);
  if (number >= kKilo) return fmt::format("{:.1f} KB", number / kKilo);
  return fmt::format("{} bytes", bytes);
}

std::string heat_legend(double x, double y, std::uint64_t most) {
  constexpr int kSteps = 64;
  constexpr double kStep = 4;
  std::string svg = fmt::format("<text x='{:.0f}' y='{:.0f}'>0</text>\n", x, y + 10);
  for (int i = 0; i < kSteps; ++i) {
    svg += fmt::format("<rect x='{:.0f}' y='{:.0f}' width='{}' height='12' fill='{}'/>\n", x + 14 + i * kStep, y, kStep,
                       heat_colour((i + 0.5) / kSteps));
  }
  return svg + fmt::format("<text x='{:.0f}' y='{:.0f}'>{} a link</text>\n", x + 20 + kSteps * kStep, y + 10,
                           readable_bytes(most));
}

}  // namespace gdr::interconnect
