// Words of a PE as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gdr/isa/word.h"

namespace gdr::debugger {

/// How a word is read. `natural`: as its conversion says or, without one, as the lines use it.
enum class Format : std::uint8_t { natural, real, integer, hex };
/// float, int or hex; nothing for another name.
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

/// A number of an expression: a word, or what was computed of some.
struct Value {
  bool integer = false;
  double real = 0;        // of a floating-point number; a long word is rounded to a double
  isa::int128 whole = 0;  // of an integer
  [[nodiscard]] double number() const { return integer ? static_cast<double>(whole) : real; }
  [[nodiscard]] bool truth() const { return integer ? whole != 0 : real != 0; }
};

/// A short word stands in the upper half.
[[nodiscard]] Value value_of(isa::LongWord word, isa::Width width, bool floating);
/// 17 significant digits of a long word and 9 of a short one at most, the shortest text that gives the number again.
[[nodiscard]] std::string text_of(isa::LongWord word, isa::Width width, bool floating, Format format);
[[nodiscard]] std::string text_of(const Value& value);

}  // namespace gdr::debugger
