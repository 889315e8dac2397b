// Conversions between the host's 64-bit numbers and the machine's 72- and 36-bit words, as the board does them for
// input and output. A name has the kind of number and the bits on both sides: flt is floating point, fix is two's
// complement, raw leaves the bits as they are (conversion `none`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/isa/word.h"

namespace gdr::emulator {

using isa::LongWord;
using isa::ShortWord;

/// Event of a conversion: what it could not preserve. A value has at most one.
enum class ConversionEvent : std::uint8_t {
  none,
  overflow,   // floating point, rounded beyond the largest finite number; the result is a signed infinity
  underflow,  // subnormal host number; the result is +0
  saturated,  // integer outside the host's 64 bits; the result is the nearest one inside
};

/// Counters of conversion events, one per kind. They never decrease.
struct ConversionEvents {
  std::uint64_t overflow = 0;
  std::uint64_t underflow = 0;
  std::uint64_t saturated = 0;

  friend bool operator==(const ConversionEvents&, const ConversionEvents&) = default;
  ConversionEvents& operator+=(ConversionEvent event);
  ConversionEvents& operator+=(const ConversionEvents& other);
};

template <class To>
struct Converted {
  To value{};
  ConversionEvent event = ConversionEvent::none;
};

/// Array and index of a value, for error messages.
struct HostElement {
  std::string_view array = "value";
  std::size_t index = 0;
};

// Host to machine.

/// Exact, except that -0 becomes +0 and subnormals become +0 with an event. Throws gdr::Error for NaN.
[[nodiscard]] Converted<LongWord> flt64to72(double value, HostElement where = {});
/// Rounded to nearest even; otherwise as flt64to72(). Numbers that round beyond the largest short number become
/// infinity with an event.
[[nodiscard]] Converted<ShortWord> flt64to36(double value, HostElement where = {});
/// Sign extension.
[[nodiscard]] Converted<LongWord> fix64to72(std::int64_t value, HostElement where = {});
/// Throws gdr::Error for values outside -2^35 .. 2^35 - 1.
[[nodiscard]] Converted<ShortWord> fix64to36(std::int64_t value, HostElement where = {});
/// The bits become the low 64 bits of the word; the upper 8 bits are zero.
[[nodiscard]] Converted<LongWord> raw64to72(std::uint64_t value, HostElement where = {});
/// Throws gdr::Error if a bit above the low 36 is set.
[[nodiscard]] Converted<ShortWord> raw64to36(std::uint64_t value, HostElement where = {});

// Machine to host. These accept every word.

/// Rounded to nearest even. Words with exponent field 0 become +0, so no result is subnormal. Overflow gives an event.
[[nodiscard]] Converted<double> flt72to64(LongWord word, HostElement where = {});
/// Exact.
[[nodiscard]] Converted<double> flt36to64(ShortWord word, HostElement where = {});
/// Numbers outside 64 bits become the nearest one inside, with an event.
[[nodiscard]] Converted<std::int64_t> fix72to64(LongWord word, HostElement where = {});
/// Sign extension.
[[nodiscard]] Converted<std::int64_t> fix36to64(ShortWord word, HostElement where = {});
/// The low 64 bits; the upper 8 are dropped.
[[nodiscard]] Converted<std::uint64_t> raw72to64(LongWord word, HostElement where = {});
/// The 36 bits; the upper bits are zero.
[[nodiscard]] Converted<std::uint64_t> raw36to64(ShortWord word, HostElement where = {});

namespace detail {
template <class From, class To>
From argument_of(Converted<To> (*)(From, HostElement));
template <class From, class To>
To result_of(Converted<To> (*)(From, HostElement));
}  // namespace detail

/// Results of a conversion in the order of its arguments, and the number of its events.
template <class To>
struct ConvertedArray {
  std::vector<To> values;
  ConversionEvents events;
};

/// Converts a whole array: convert_array<flt64to72>(masses, "mass"). Throws gdr::Error as the conversion does, naming
/// the array and the index of the first value that is refused.
template <auto convert>
[[nodiscard]] auto convert_array(std::span<const decltype(detail::argument_of(convert))> from, std::string_view name) {
  ConvertedArray<decltype(detail::result_of(convert))> to;
  to.values.reserve(from.size());
  for (std::size_t index = 0; index < from.size(); ++index) {
    const auto converted = convert(from[index], HostElement{name, index});
    to.values.push_back(converted.value);
    to.events += converted.event;
  }
  return to;
}

}  // namespace gdr::emulator
