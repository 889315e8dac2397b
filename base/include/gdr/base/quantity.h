// Numbers as people write them on a command line and in the environment: 10000, 1e4, 64K, 1.5MiB, 333MHz; times as they
// read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::base {

/// The unit of a value. A number without prefix and unit is in this unit.
enum class ValueUnit : std::uint8_t { none, bytes, megabytes, megahertz, seconds, minutes };

/// "MHz"; empty for none.
[[nodiscard]] std::string_view name_of(ValueUnit unit);

/// The number of `text` in `unit`: digits with decimal point and exponent, a prefix (k or K, M, G and T are powers of
/// 1000; Ki, Mi, Gi and Ti are powers of 1024), and a name of the unit or of another size of it: MHz, GHz, kHz, Hz; B;
/// s, ms, us, ns, min, h. Blanks may stand before prefix and unit. Nothing if it is something else, or infinite.
[[nodiscard]] std::optional<double> number_of(std::string_view text, ValueUnit unit = ValueUnit::none);

/// The same for a whole number, computed exactly: 1e4, 1.5K and 64Ki are whole. Nothing if it is no whole number or if
/// it does not fit 64 bits.
[[nodiscard]] std::optional<std::uint64_t> whole_number_of(std::string_view text, ValueUnit unit = ValueUnit::none);

/// What may be written in place of a plain number in `unit`, for messages: "such as 400, 400MHz or 0.4GHz".
[[nodiscard]] std::string_view forms_of(ValueUnit unit);

/// `40 s`, `3 min 05 s`, `2 h 07 min`.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace gdr::base
