// Appends operations to a section, including the expansions of functions.
#pragma once

#include <string>
#include <vector>

#include "microcode.h"
#include "pair/pair_function.h"

namespace gdr::compiler {

inline constexpr isa::Width kShort = isa::Width::short_word;
inline constexpr isa::Width kLong = isa::Width::long_word;

// Added to a number, 1.5 times a power of two leaves the nearest whole number in the low bits of the word: of a short
// one, which has 24 bits of fraction, and of a long one, which has 60.
inline constexpr double kWhole = 0x1.8p24;
inline constexpr const char* kWholeBits = "417800000";
inline constexpr double kWholeLong = 0x1.8p60;
inline constexpr const char* kWholeLongBits = "43b800000000000000";

inline constexpr double kPi = 3.141592653589793;
inline constexpr double kLog2OfE = 1.4426950408889634;

/// A truth value: a flag, its opposite, or a constant.
struct Truth {
  int operation = -1;  // the operation that sets the flag; -1: a constant
  bool inverted = false;
  bool known = false;
};

class Builder {
 public:
  Builder(Microcode& code, Operations& section) : code_(code), section_(&section) {}

  void source(std::string name, Place place) { name_ = std::move(name), place_ = std::move(place); }

  /// Appends an operation and returns its value.
  Operand operation(isa::Op op, std::vector<Operand> operands, isa::Width width);
  [[nodiscard]] Operation& of(const Operand& value) { return (*section_)[static_cast<std::size_t>(value.index)]; }
  [[nodiscard]] Operation& at(int index) { return (*section_)[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int next() const { return static_cast<int>(section_->size()); }

  Operand literal(std::string text, isa::Width width);
  /// A number as a short immediate if that is exact, otherwise as a long one.
  Operand number(double value);
  /// A number rounded to a short word.
  Operand short_number(double value);
  Operand integer(std::int64_t value, isa::Width width);
  Operand bits(std::string digits, isa::Width width);

  [[nodiscard]] isa::Width width(const Operand& operand) const;
  /// The same value in a register of this width, with a pending negation applied.
  Operand settled(const Operand& operand, isa::Width width);

  /// A flag that is set if `condition` holds for a value. The operation that makes the value sets it, if that has no
  /// flag yet.
  Truth flag_of(const Operand& value, isa::Condition condition);
  /// From now on flag_of() always makes an operation that tests the value, so that flags are set where they are needed.
  void test_apart(bool apart) { test_apart_ = apart; }
  Truth compare(isa::Op op, const Operand& a, const Operand& b, isa::Width width, isa::Condition condition);
  /// True if `a` and `b` both are. Sets the flag of `a` again, so nothing else may read that flag.
  Truth both(const Truth& a, const Truth& b);

  /// Overwrites `base` by `value` where the truth value holds, and returns the merged value. If `value_is_free`, it is
  /// the result of an operation that nothing else reads; that operation then writes to the place itself.
  Operand merge(const Operand& base, const Operand& value, const Truth& where, bool value_is_free);
  Operand copy(const Operand& value, isa::Width width);

  // Functions in short words; docs/kernels/recipes.md lists their errors.
  Operand reciprocal_or_zero(const Operand& x);
  Operand rsqrt_or_zero(const Operand& x);
  Operand reciprocal(const Operand& x);
  Operand quotient(const Operand& a, const Operand& b);
  Operand rsqrt(const Operand& x);
  Operand sqrt(const Operand& x);
  Operand exp2(const Operand& x);
  Operand exp(const Operand& x);
  Operand log(const Operand& x);
  Operand log2(const Operand& x);
  Operand circular(const Operand& x, int quarters);
  // Whole numbers, whole.cpp. Bounds tell whether numbers may be too large for 1.5 times a power of two.
  Operand nearest(const Operand& x, isa::Width width, const Bounds& bounds);
  Operand floor(const Operand& x, isa::Width width, const Bounds& bounds);
  Operand ceil(const Operand& x, isa::Width width, const Bounds& bounds);
  Operand trunc(const Operand& x, isa::Width width, const Bounds& bounds);
  Operand round(const Operand& x, isa::Width width, const Bounds& bounds);
  // The parts of a number, as Act::fraction and Act::exponent say.
  Operand fraction(const Operand& x, isa::Width width);
  Operand exponent(const Operand& x, isa::Width width);
  // Further functions in short words: further_functions.cpp.
  Operand power(const Operand& a, const Operand& b);
  Operand cube_root(const Operand& x);
  Operand erf(const Operand& x);
  Operand erfc(const Operand& x);
  Operand tan(const Operand& x);
  Operand tanh(const Operand& x);
  Operand atan2(const Operand& y, const Operand& x);
  Operand hypot(const Operand& x, const Operand& y);
  Operand log10(const Operand& x);
  Operand expm1(const Operand& x);
  Operand log1p(const Operand& x);
  // And in long ones: long_functions.cpp, further_long_functions.cpp.
  Operand exp_long(const Operand& x);
  Operand exp2_long(const Operand& x);
  Operand log_long(const Operand& x);
  Operand log2_long(const Operand& x);
  Operand log10_long(const Operand& x);
  Operand circular_long(const Operand& x, int quarters);
  Operand power_long(const Operand& a, const Operand& b);
  Operand cube_root_long(const Operand& x);
  Operand erf_long(const Operand& x);
  Operand erfc_long(const Operand& x);
  Operand tan_long(const Operand& x);
  Operand tanh_long(const Operand& x);
  Operand atan2_long(const Operand& y, const Operand& x);
  Operand hypot_long(const Operand& x, const Operand& y);
  Operand expm1_long(const Operand& x);
  Operand log1p_long(const Operand& x);
  // Integers: integers.cpp. Bounds tell which forms are enough.
  /// Towards zero, for numbers that an integer of 32 bits has, or in a long word for those below 2^59. If it
  /// `saturates`, numbers beyond 2^23 give 2^23 - 1 in a short word, which takes fewer operations.
  Operand to_integer(const Operand& x, isa::Width width, const Bounds& bounds, bool saturates);
  /// Exact in a long word, rounded once in a short one.
  Operand from_integer(const Operand& n, isa::Width width, const Bounds& bounds);
  Operand sign_extended(const Operand& n, unsigned bits);
  Operand zero_extended(const Operand& n, unsigned bits);
  Operand leading_zeros(const Operand& n, unsigned bits);
  Operand integer_product(const Operand& a, const Bounds& of_a, const Operand& b, const Bounds& of_b,
                          const Bounds& bounds);
  Operand integer_quotient(const Operand& a, const Bounds& of_a, const Operand& b, const Bounds& of_b, bool remainder);
  Operand absolute(const Operand& x);
  Operand copysign(const Operand& x, const Operand& sign);
  // Functions in long words.
  Operand reciprocal_long(const Operand& x);
  Operand quotient_long(const Operand& a, const Operand& b);
  Operand rsqrt_long(const Operand& x);
  Operand sqrt_long(const Operand& x);
  /// A word with a key as a short word in bits 63 to 28, in the order of integers, and a number below 2^28 in the other
  /// bits. `ordered`: the key is not negative.
  Operand numbered_key(const Operand& key, bool ordered, const Operand& number);
  /// The same with a key that is an integer of 36 bits, in a long word.
  Operand numbered_integer(const Operand& key, const Operand& number);
  /// Multiplication in one line or two, depending on the widths.
  Operand product(const Operand& a, const Operand& b, isa::Width width);

  /// A reciprocal in long words that is exact to the word's end only below 2^900.
  Operand plain_reciprocal_long(const Operand& x);

 private:
  struct Nearest {
    Operand value;  // what is left of a number
    Operand whole;  // and the whole number nearest to that, as a number
  };
  static bool is_short_whole(const Bounds& bounds);
  Operand nearest_integer(const Operand& x, isa::Width width, Nearest* near);
  Operand add(const Operand& a, const Operand& b, isa::Width width) { return operation(isa::Op::FADD, {a, b}, width); }
  Operand sub(const Operand& a, const Operand& b, isa::Width width) { return operation(isa::Op::FSUB, {a, b}, width); }
  Operand mul(const Operand& a, const Operand& b, isa::Width width) { return operation(isa::Op::FMUL, {a, b}, width); }
  Operand fraction_of(const Operand& x, Operand& seed, Operand& power);
  Operand with_exponent(const Operand& m, const Operand& n);
  Operand with_ends(const Operand& n, const Operand& x);
  Operand horner(const Operand& x, const std::vector<double>& coefficients, const Operand& wide = {},
                 std::size_t from = 0);
  Operand chosen(const Operand& a, const Operand& b, const Operand& yes, const Operand& no,
                 isa::Width compared = kShort);
  Operand log_of_long(const Operand& x, Operand& n);
  Operand exp_of_rest(const Operand& rest, const Operand& n);
  Operand erfc_of(const Operand& z);
  Operand erfc_of_long(const Operand& z);
  Operand reciprocal_start(const Operand& x, const Operand& seed);
  Truth is_large(const Operand& x);
  Operand lessened(const Operand& x, const Truth& where);
  Operand rsqrt_long_of(const Operand& x, const Operand& about);
  Operand rsqrt_start(const Operand& x, Operand& half);
  Operand sqrt_anywhere(const Operand& argument);
  Operand sqrt_long_anywhere(const Operand& x);
  Operand root_at_end(const Operand& argument, isa::Width width, Operand (Builder::*root)(const Operand&));
  /// True in the function for the end of a pair function.
  [[nodiscard]] bool is_end() const { return section_ == &code_.termination && !code_.experiment && !code_.fast; }
  Operand exp2_of(const Operand& t);
  Operand log_of(const Operand& x, Operand& n, Operand& f);
  Operand polynomial(const Operand& x, std::vector<double> coefficients);

  Microcode& code_;
  Operations* section_;
  std::string name_;
  Place place_;
  bool test_apart_ = false;
};

}  // namespace gdr::compiler
