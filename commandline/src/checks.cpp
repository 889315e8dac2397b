// Conditions on the values of options.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "gdr/base/nearest.h"
#include "gdr/base/units.h"
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

std::map<std::string, std::string> named_texts(std::string_view option, std::span<const std::string> values,
                                               std::string_view alone) {
  refuse_one_name_twice(option, values);
  std::map<std::string, std::string> texts;
  for (const std::string& value : values) {
    const std::size_t equals = value.find('=');
    if (value.empty() || equals == 0) {
      throw UsageError(
          fmt::format("{}: '{}' is refused: it must be NAME=VALUE, or NAME for NAME={}", option, value, alone));
    }
    texts[value.substr(0, equals)] = equals == std::string::npos ? std::string(alone) : value.substr(equals + 1);
  }
  return texts;
}

std::vector<std::pair<std::string, double>> named_numbers(std::string_view option,
                                                          std::span<const std::string> values) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const std::string& text : values) {
    const std::size_t equals = text.find('=');
    double value = 0;
    const char* const end = text.data() + text.size();
    bool number = equals != std::string::npos && equals > 0;
    if (number) {
      const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
      number = error == std::errc() && stop == end;
    }
    if (!number) {
      throw UsageError(fmt::format("{}: '{}' is refused: it must be NAME=NUMBER with a number in the range of a double",
                                   option, text));
    }
    numbers.emplace_back(text.substr(0, equals), value);
  }
  refuse_one_name_twice(option, values);
  return numbers;
}

void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument) {
  if (name_or_file.ends_with(".toml") || std::ranges::find(known, name_or_file) != known.end()) return;
  if (known.empty()) {
    throw UsageError(fmt::format(
        "{}: '{}' is refused: no descriptions are installed where gdr looks (gdr doctor shows the folders); "
        "it must be a file that ends in .toml",
        argument, name_or_file));
  }
  throw UsageError(fmt::format("{}: '{}' is refused: it must be one of {}, or a file that ends in .toml{}", argument,
                               name_or_file, fmt::join(known, ", "), base::did_you_mean(name_or_file, known)));
}

void require_memory(double bytes, std::string_view what) {
  const double host = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= host) return;
  throw Error(
      fmt::format("{} would take {:.0f} GB of memory, and this host has {:.0f}", what, bytes / kGiga, host / kGiga));
}

Check in_range(double low, double high, ValueUnit unit) {
  const std::string limits =
      with_unit(high == kNoLimit ? fmt::format("at least {}", low) : fmt::format("{} to {}", low, high), unit);
  const bool is_any = low == std::numeric_limits<double>::lowest() && high == std::numeric_limits<double>::max();
  const std::string allowed = is_any             ? ""
                              : high == kNoLimit ? with_unit(fmt::format(" of at least {}", low), unit)
                                                 : with_unit(fmt::format(" from {} to {}", low, high), unit);
  return {[low, high, unit, allowed](const std::string& text) {
            const std::optional<double> value = base::number_of(text, unit);
            if (value && *value >= low && *value <= high) return std::string();
            return fmt::format("{} is refused: it must be a number{}", shown(text), allowed) +
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
