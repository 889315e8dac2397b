// A second opinion on floating-point results: operands as integers of thousands of bits times a power of two, sums and
// products without any rounding, one division with remainder at the end. Shares no code with the emulator.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>
#include <vector>

#include "gdr/isa/isa.h"

namespace gdr::tests {

/// Every floating-point operation with a result of its own; fmull is the pair fmulh, fmull.
[[nodiscard]] std::vector<isa::Op> fp_operations();

enum class WideEvent { none, invalid, overflow, underflow };

/// What kind of case an operation was, read off its exact result. A case belongs to several classes.
enum class ResultClass : std::size_t {
  zero_operand,
  infinite_operand,
  invalid_operation,
  infinite_result,  // from an infinite operand, valid
  cancels_to_zero,  // x - x of nonzero x
  cancels_partly,   // nonzero difference of operands at most one exponent apart, 1 to 60 bits left
  wide_gap,         // the smaller addend lies wholly below the last bit of the larger
  exact,
  rounded_down,
  rounded_up,
  tie_down,
  tie_up,
  just_below_half,  // nearer to halfway than 1/4096 of the result's last place
  just_above_half,
  carry_into_exponent,  // rounded up to a power of two
  exponent_below_0,     // exponent field of the rounded result, as if it had no bounds
  exponent_0,
  exponent_1,
  exponent_2046,
  exponent_2047,
  exponent_above_2047,
  rounds_up_to_smallest,  // exact result below 2^-1022, rounded result 2^-1022
  rounds_up_to_overflow,  // exact result below 2^1024, rounded result 2^1024
  port_cut,               // a multiplier port dropped bits that were not zero
  port_half,              // the dropped bits are exactly half of the port's last place
  port_half_minus_1,      // one bit less than that
  port_half_plus_1,       // one bit more
};
inline constexpr std::size_t kResultClasses = static_cast<std::size_t>(ResultClass::port_half_plus_1) + 1;
[[nodiscard]] std::string_view name_of(ResultClass result_class);

/// Whether the operation, rounded to `precision` bits, can give a result of this class at all.
[[nodiscard]] bool possible(ResultClass result_class, isa::Op op, int precision);

struct WideAnswer {
  isa::uint128 bits = 0;  // the long word
  bool negative = false;
  bool zero = false;
  WideEvent event = WideEvent::none;
  std::bitset<kResultClasses> classes;
  int bits_left = 0;  // of a partial cancellation
};

/// The operation's result rounded to `precision` significant bits: 61 for a long destination, 25 for a short one, 53
/// for a double in the word's upper 64 bits. fmul takes a widened short word as b; fpassa ignores b. Throws
/// std::logic_error for an operation that the oracle has no row for.
[[nodiscard]] WideAnswer wide_answer(isa::Op op, isa::LongWord a, isa::LongWord b, int precision);

}  // namespace gdr::tests
