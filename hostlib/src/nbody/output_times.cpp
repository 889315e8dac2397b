#include "gdr/hostlib/output_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gdr/base/error.h"
#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {
namespace {

/// The interval, its product with a whole number and the other time are each rounded once, by half an epsilon at most;
/// the fourth half leaves room for the products of these errors.
double rounding_at(double time) { return 2 * std::numeric_limits<double>::epsilon() * std::abs(time); }

bool same_output_time(double one, double other) {
  return std::abs(one - other) <= std::max(rounding_at(one), rounding_at(other));
}

}  // namespace

void require_every(double every, bool none_allowed) {
  if ((none_allowed && every == 0) || (every >= kLeastEvery && every <= kLargestTime)) return;
  throw Error(fmt::format("every = {} is refused: the time between outputs must be {}{} to {}", every,
                          none_allowed ? "0 (none) or " : "", kLeastEvery, kLargestTime));
}

void require_told_apart(double every, double begin, double end) {
  const double latest = std::max(std::abs(begin), std::abs(end));
  if (every == 0 || begin == end || every > 2 * rounding_at(latest)) return;
  throw Error(
      fmt::format("every = {} is refused: doubles of about {} tell only times apart that differ by more than {}", every,
                  latest, 2 * rounding_at(latest)));
}

std::optional<double> next_output_time(double every, double end, double time, std::optional<double> last) {
  double number = std::ceil(time / every);
  if (same_output_time((number - 1) * every, time)) --number;
  if (last) {
    number = std::max(number, std::floor(*last / every));
    while (number * every <= *last || same_output_time(number * every, *last)) ++number;
  }
  const double t = std::max(number * every, time);
  return t < end && !same_output_time(t, end) ? std::optional(t) : std::nullopt;
}

}  // namespace gdr::hostlib
