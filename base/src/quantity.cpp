#include "gdr/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "gdr/base/names.h"

namespace gdr::base {
namespace {

/// A factor as 10^tens * 2^twos * sixties: exact, where a double would not be.
struct Factor {
  int tens = 0;
  int twos = 0;
  int sixties = 0;  // powers of 60
};

Factor times(const Factor& a, const Factor& b) { return {a.tens + b.tens, a.twos + b.twos, a.sixties + b.sixties}; }

struct Word {
  std::string_view text;
  Factor factor;
};

// As `numfmt --from=auto` of GNU's coreutils: without the i they are powers of 1000.
constexpr std::array<Word, 10> kPrefixes{{{"Ki", {0, 10}},
                                          {"Mi", {0, 20}},
                                          {"Gi", {0, 30}},
                                          {"Ti", {0, 40}},
                                          {"k", {3}},
                                          {"K", {3}},
                                          {"M", {6}},
                                          {"G", {9}},
                                          {"T", {12}},
                                          {"", {}}}};

// Names of units without prefix, each as a factor of the option's unit.
constexpr std::array<Word, 1> kNone{{{"", {}}}};
constexpr std::array<Word, 3> kBytes{{{"B", {}}, {"b", {}}, {"", {}}}};
constexpr std::array<Word, 3> kMegabytes{{{"B", {-6}}, {"b", {-6}}, {"", {-6}}}};
constexpr std::array<Word, 4> kMegahertz{{{"Hz", {-6}}, {"hz", {-6}}, {"HZ", {-6}}, {"", {-6}}}};
// Seconds have words of their own: an m alone would be minutes to some and milliseconds to others.
constexpr std::array<Word, 8> kSeconds{
    {{"ns", {-9}}, {"us", {-6}}, {"ms", {-3}}, {"min", {0, 0, 1}}, {"h", {0, 0, 2}}, {"sec", {}}, {"s", {}}, {"", {}}}};
constexpr std::array<Word, 4> kMinutes{{{"min", {}}, {"h", {0, 0, 1}}, {"s", {0, 0, -1}}, {"", {}}}};

std::span<const Word> words_of(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::none:
      return kNone;
    case ValueUnit::bytes:
      return kBytes;
    case ValueUnit::megabytes:
      return kMegabytes;
    case ValueUnit::megahertz:
      return kMegahertz;
    case ValueUnit::seconds:
      return kSeconds;
    case ValueUnit::minutes:
      return kMinutes;
  }
  return {};
}

bool takes_prefixes(ValueUnit unit) { return unit != ValueUnit::seconds && unit != ValueUnit::minutes; }

/// The factor of what stands behind the digits; nothing if that is unknown.
std::optional<Factor> factor_of(std::string_view behind, ValueUnit unit) {
  while (behind.starts_with(' ')) behind.remove_prefix(1);
  if (behind.empty()) return Factor{};
  for (const Word& prefix : kPrefixes) {
    if (!takes_prefixes(unit) && !prefix.text.empty()) continue;
    if (!behind.starts_with(prefix.text)) continue;
    for (const Word& word : words_of(unit)) {
      if (behind.substr(prefix.text.size()) == word.text) return times(prefix.factor, word.factor);
    }
  }
  return std::nullopt;
}

/// Where the digits end, with sign, decimal point and exponent. An e is an exponent only if digits follow.
std::size_t end_of_digits(std::string_view text) {
  const auto digit_at = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  std::size_t at = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  while (digit_at(at) || (at < text.size() && text[at] == '.')) ++at;
  if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  const bool is_signed = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
  std::size_t exponent = at + (is_signed ? 2 : 1);
  if (!digit_at(exponent)) return at;
  while (digit_at(exponent)) ++exponent;
  return exponent;
}

/// Digits and a power of ten.
struct Decimal {
  std::uint64_t digits = 0;
  int tens = 0;
};

std::optional<Decimal> decimal_of(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Decimal number;
  bool behind_point = false;
  bool any = false;
  std::size_t at = 0;
  // 010 would be octal to some.
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return std::nullopt;
  for (; at < digits.size() && digits[at] != 'e' && digits[at] != 'E'; ++at) {
    if (digits[at] == '.') {
      if (behind_point) return std::nullopt;
      behind_point = true;
      continue;
    }
    if (digits[at] < '0' || digits[at] > '9') return std::nullopt;  // a sign
    const auto digit = static_cast<std::uint64_t>(digits[at] - '0');
    if (number.digits > (kMost - digit) / 10) return std::nullopt;
    number.digits = 10 * number.digits + digit;
    number.tens -= behind_point ? 1 : 0;
    any = true;
  }
  if (!any) return std::nullopt;
  if (at < digits.size()) {
    std::string_view exponent = digits.substr(at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int tens = 0;
    const auto [stop, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), tens);
    constexpr int kMostTens = 1000;  // far beyond 64 bits
    if (error != std::errc() || stop != exponent.data() + exponent.size() || std::abs(tens) > kMostTens) {
      return std::nullopt;
    }
    number.tens += tens;
  }
  return number;
}

/// value * base^power, if that is whole and fits.
std::optional<std::uint64_t> scaled(std::uint64_t value, std::uint64_t base, int power) {
  for (; power > 0 && value != 0; --power) {
    if (value > std::numeric_limits<std::uint64_t>::max() / base) return std::nullopt;
    value *= base;
  }
  for (; power < 0 && value != 0; ++power) {
    if (value % base != 0) return std::nullopt;
    value /= base;
  }
  return value;
}

}  // namespace

std::string_view name_of(ValueUnit unit) {
  static constexpr Names<ValueUnit> kNames({{ValueUnit::none, "-"},
                                            {ValueUnit::bytes, "bytes"},
                                            {ValueUnit::megabytes, "MB"},
                                            {ValueUnit::megahertz, "MHz"},
                                            {ValueUnit::seconds, "s"},
                                            {ValueUnit::minutes, "min"}});
  return unit == ValueUnit::none ? std::string_view() : kNames[unit];
}

std::optional<double> number_of(std::string_view text, ValueUnit unit) {
  const std::size_t end = end_of_digits(text);
  const std::optional<Factor> factor = factor_of(text.substr(end), unit);
  std::string_view digits = text.substr(0, end);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (!factor || digits.empty()) return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  // Powers of ten below are exact doubles, and one multiplication or division rounds once: 0.4GHz is 400 MHz exactly.
  const auto scale = [&](double base, int power) {
    const double by = std::pow(base, std::abs(power));
    value = power < 0 ? value / by : value * by;
  };
  scale(10, factor->tens);
  scale(2, factor->twos);
  scale(60, factor->sixties);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> whole_number_of(std::string_view text, ValueUnit unit) {
  const std::size_t end = end_of_digits(text);
  const std::optional<Factor> factor = factor_of(text.substr(end), unit);
  const std::optional<Decimal> decimal = decimal_of(text.substr(0, end));
  if (!factor || !decimal) return std::nullopt;
  // Factors that grow come first, so that 1.5Ki is whole: 15 * 1024 / 10.
  std::optional<std::uint64_t> value = scaled(decimal->digits, 2, factor->twos);
  if (value) value = scaled(*value, 60, factor->sixties);
  if (value) value = scaled(*value, 10, decimal->tens + factor->tens);
  return value;
}

std::string_view forms_of(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::none:
      return "such as 10000, 1e4, 10K or 64Ki";
    case ValueUnit::bytes:
      return "such as 65536, 64Ki, 64KiB, 1e6 or 1MB";
    case ValueUnit::megabytes:
      return "such as 8, 8MB or 500KB";
    case ValueUnit::megahertz:
      return "such as 400, 400MHz or 0.4GHz";
    case ValueUnit::seconds:
      return "such as 10, 10s, 500ms, 2min or 1h";
    case ValueUnit::minutes:
      return "such as 10, 10min, 30s or 1h";
  }
  return "";
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds + 0.5, 0.0, 1e15));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace gdr::base
