// Which instructions an operation on numbers takes, by the forms in which its operands are held.
#pragma once

#include <string>

#include "loop/plan/number_facts.h"
#include "number_code.h"

namespace gdr::emulator::jit {

/// A number in code, in the form that is known of it.
struct HeldNumber {
  Value value;
  NumberForm form = NumberForm::short_number;
  int bits = widths::kShort;  // of a number that is one double

  [[nodiscard]] bool is_pair() const { return form == NumberForm::pair; }
  [[nodiscard]] bool is_short() const { return form == NumberForm::short_number; }
};

// Results are rounded to `width`. They are short numbers, or pairs unless both factors of a product are short.

/// If only one operand is a pair, it is the first.
[[nodiscard]] Value sum_of(NumberCode& code, const HeldNumber& a, const HeldNumber& b, isa::Width width);
/// a b + c as a short number. a and b are short numbers, c is no pair, and the code is quick or
/// the target has directed rounding.
[[nodiscard]] Value sum_with_product_of(NumberCode& code, const std::string& a, const std::string& b,
                                        const std::string& c);
/// The part of a number that the multiplier takes: its top 50 bits.
[[nodiscard]] std::string port_of(NumberCode& code, const HeldNumber& a);
/// The operands are what ports have passed.
[[nodiscard]] Value product_of(NumberCode& code, const HeldNumber& a, const HeldNumber& b, isa::Width width);
/// The number itself, rounded if it does not fit.
[[nodiscard]] Value cut_of(NumberCode& code, const HeldNumber& a, isa::Width width);

}  // namespace gdr::emulator::jit
