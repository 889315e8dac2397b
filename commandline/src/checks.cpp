// Conditions on the values of options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "gdr/base/nearest.h"
#include "gdr/commandline/command_line.h"

namespace gdr::commandline {
namespace {

std::string with_unit(std::string limits, ValueUnit unit) {
  return unit == ValueUnit::none ? limits : fmt::format("{} {}", limits, name_of(unit));
}

std::string shown(const std::string& text) { return text.empty() ? "''" : text; }

}  // namespace

void refuse_one_name_twice(std::string_view option, std::span<const std::string> values) {
  std::map<std::string_view, std::string_view> by_name;
  for (const std::string_view value : values) {
    const auto [earlier, is_new] = by_name.emplace(value.substr(0, value.find('=')), value);
    if (is_new) continue;
    throw UsageError(
        fmt::format("{}: {} is given twice, as {} and {}", option, earlier->first, earlier->second, value));
  }
}

Check in_range(double low, double high, ValueUnit unit) {
  const std::string limits =
      with_unit(high == kNoLimit ? fmt::format("at least {}", low) : fmt::format("{} to {}", low, high), unit);
  const std::string allowed =
      with_unit(high == kNoLimit ? fmt::format("of at least {}", low) : fmt::format("from {} to {}", low, high), unit);
  return {[low, high, unit, allowed](const std::string& text) {
            const std::optional<double> value = base::number_of(text, unit);
            if (value && *value >= low && *value <= high) return std::string();
            return fmt::format("{} is refused: it must be a number {}", shown(text), allowed) +
                   (value ? "" : fmt::format(", {}", forms_of(unit)));
          },
          limits,
          {},
          [unit](const std::string& text) { return fmt::format("{}", base::number_of(text, unit).value_or(0)); }};
}

Check whole_in_range(std::uint64_t low, std::uint64_t high, ValueUnit unit) {
  std::string limits = low == 0 ? "" : fmt::format("at least {}", low);
  if (high != std::numeric_limits<std::uint64_t>::max()) limits = fmt::format("{} to {}", low, high);
  return {[low, high, unit](const std::string& text) {
            const std::optional<std::uint64_t> value = base::whole_number_of(text, unit);
            if (value && *value >= low && *value <= high) return std::string();
            return fmt::format("{} is refused: it must be a whole number {}", shown(text),
                               with_unit(fmt::format("from {} to {}", low, high), unit)) +
                   (value ? "" : fmt::format(", {}", forms_of(unit)));
          },
          limits.empty() ? limits : with_unit(limits, unit),
          {},
          [unit](const std::string& text) { return fmt::format("{}", base::whole_number_of(text, unit).value_or(0)); }};
}

Check one_of(const std::vector<std::string>& allowed) {
  return {[allowed](const std::string& text) {
            if (std::ranges::find(allowed, text) != allowed.end()) return std::string();
            return fmt::format("{} is refused: it must be one of {}{}", shown(text), fmt::join(allowed, ", "),
                               base::did_you_mean(text, allowed));
          },
          "", allowed};
}

}  // namespace gdr::commandline
