// Interprets words of a PE as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gdr/isa/word.h"

namespace gdr::debugger {

/// How a word is interpreted. `natural`: as its conversion says; without a conversion, as the lines use it.
enum class Format : std::uint8_t { natural, real, integer, hex };
/// The format called float, int or hex; nothing for any other name.
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

/// A number in an expression: a word, or the result of a computation on words.
struct Value {
  bool integer = false;
  double real = 0;        // value of a floating-point number; a long word is rounded to a double
  isa::int128 whole = 0;  // value of an integer
  [[nodiscard]] double number() const { return integer ? static_cast<double>(whole) : real; }
  [[nodiscard]] bool truth() const { return integer ? whole != 0 : real != 0; }
};

/// What number a word is.
struct NumberType {
  bool floating = true;
  // Of an integer of the source: how many of the word's lowest bits are its own (0: all of them), and whether it has no
  // sign.
  std::uint8_t bits = 0;
  bool is_unsigned = false;
};

/// Value of a word. A short word is in the upper half of `word`.
[[nodiscard]] Value value_of(isa::LongWord word, isa::Width width, const NumberType& type);
[[nodiscard]] Value value_of(isa::LongWord word, isa::Width width, bool floating);
/// The word of a value, the inverse of value_of(). Throws gdr::Error if an integer or a floating-point number is beyond
/// the word's range, and for a fraction where the word is an integer.
[[nodiscard]] isa::LongWord word_of(const Value& value, isa::Width width, bool floating);
/// The shortest text that gives the same number again, with at most 17 significant digits for a long word and 9 for a
/// short one.
[[nodiscard]] std::string text_of(isa::LongWord word, isa::Width width, const NumberType& type, Format format);
[[nodiscard]] std::string text_of(isa::LongWord word, isa::Width width, bool floating, Format format);
[[nodiscard]] std::string text_of(const Value& value);

}  // namespace gdr::debugger
