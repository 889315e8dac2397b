// The times at which a run makes its outputs, by one rule for all interfaces.
#pragma once

#include <optional>

namespace gdr::hostlib {

/// Least time between outputs: far below the steps of any run, and its multiples are told apart up to kLargestTime.
inline constexpr double kLeastEvery = 0x1p-20;

/// Throws gdr::Error unless `every`, the time between outputs, is kLeastEvery to kLargestTime, or 0 if `none_allowed`.
void require_every(double every, bool none_allowed);

/// Throws gdr::Error if multiples of `every` between `begin` and `end` are equal but for rounding, so that outputs
/// would be lost. Nothing is lost if `every` is 0 or the run is at its end.
void require_told_apart(double every, double begin, double end);

/// The next output before `end` of a run that is at `time`: a multiple of `every`, which is not 0. `last` is the time
/// of the run's last output, none if it made none; the first output may be at `time` itself. None if no output comes
/// before `end`. A multiple that differs from `end`, `last` or `time` only by rounding is that time.
[[nodiscard]] std::optional<double> next_output_time(double every, double end, double time, std::optional<double> last);

}  // namespace gdr::hostlib
