// A number as the machine holds it, in its parts.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gdr/base/json.h"
#include "gdr/isa/word.h"

namespace gdr::debugger {

/// The parts of a word as docs/machine/arithmetic.md defines them.
struct NumberParts {
  isa::Width width;
  isa::LongWord word;  // a short word is widened
  std::string lost;    // loss by rounding to this width: "exact", "rounded", "overflow", "underflow"

  [[nodiscard]] std::string hex() const;
  [[nodiscard]] unsigned sign() const;
  [[nodiscard]] unsigned exponent() const;
  [[nodiscard]] std::string fraction() const;
  [[nodiscard]] std::string_view kind() const;  // "zero", "infinity" or "finite"
  /// The nearest double; 72 bits may hold more digits.
  [[nodiscard]] double value() const;
  [[nodiscard]] bool value_is_exact() const;
};

/// A number as a long and as a short word. Text of exactly 18 or 9 hex digits, 0x before it or not, is a word, even if
/// it could be a number; other text is a number. Throws gdr::Error for text that is neither.
[[nodiscard]] std::array<NumberParts, 2> number_parts(const std::string& text);

/// The fields of a report, and some lines for a person.
[[nodiscard]] base::Json json_of(const NumberParts& parts);
[[nodiscard]] std::string text_of(const NumberParts& parts);

}  // namespace gdr::debugger
