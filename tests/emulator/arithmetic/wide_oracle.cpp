// Exact arithmetic with Boost.Multiprecision, and the sorting of results into classes.
#include "wide_oracle.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <stdexcept>
#include <string>

namespace gdr::tests {
namespace {

namespace mp = boost::multiprecision;
// Wide enough for the largest product written in units of the smallest: 2 x (2046 + 61) bits.
using WideInt = mp::number<mp::cpp_int_backend<4480, 4480, mp::signed_magnitude, mp::unchecked, void>>;

/// An exact number: integer x 2^scale.
struct Exact {
  WideInt integer;
  int scale = 0;
};

struct Operand {
  int sign = 1;
  bool infinite = false;
  Exact exact;  // signed; 0 for zero; unused for infinity
  [[nodiscard]] bool zero() const { return !infinite && exact.integer == 0; }
};

struct Answer : WideAnswer {
  void mark(ResultClass result_class) { classes.set(static_cast<std::size_t>(result_class)); }
};

Operand read_operand(isa::LongWord word) {
  const std::uint64_t field = (word.high & 0x7ff0'0000'0000'0000) >> 52;
  const WideInt fraction = WideInt(word.high & 0x000f'ffff'ffff'ffff) * 256 + word.low;
  Operand operand;
  operand.sign = (word.high & 0x8000'0000'0000'0000) != 0 ? -1 : 1;
  if (field == 2047) {
    operand.infinite = true;
  } else if (field != 0) {
    operand.exact = {operand.sign * (fraction + (WideInt(1) << 60)), static_cast<int>(field) - 1083};
  }
  return operand;
}

/// The same number in units of 2^scale, which must not be coarser than the number's own unit.
WideInt in_units(const Exact& x, int scale) { return x.integer << (x.scale - scale); }

Exact sum(const Exact& x, const Exact& y) {
  if (x.integer == 0) return y;
  if (y.integer == 0) return x;
  const int scale = std::min(x.scale, y.scale);
  return {in_units(x, scale) + in_units(y, scale), scale};
}

Exact negated(const Exact& x) { return {-x.integer, x.scale}; }

Exact product(const Exact& x, const Exact& y) { return {x.integer * y.integer, x.scale + y.scale}; }

/// Exponent of the leading bit.
int top_exponent(const Exact& x) { return static_cast<int>(mp::msb(WideInt(mp::abs(x.integer)))) + x.scale; }

void store_infinity(Answer& answer, int sign) {
  answer.negative = sign < 0;
  answer.bits = (isa::uint128{sign < 0 ? 0xfffu : 0x7ffu}) << 60;
}

void classify_rounding(Answer& answer, const WideInt& quotient, const WideInt& rest, const WideInt& last_place) {
  const WideInt from_half = 2 * rest - last_place;
  if (rest == 0) {
    answer.mark(ResultClass::exact);
  } else if (from_half == 0) {
    answer.mark(mp::bit_test(quotient, 0) ? ResultClass::tie_up : ResultClass::tie_down);
  } else {
    answer.mark(from_half < 0 ? ResultClass::rounded_down : ResultClass::rounded_up);
    if (WideInt(mp::abs(from_half)) * 2048 <= last_place) {
      answer.mark(from_half < 0 ? ResultClass::just_below_half : ResultClass::just_above_half);
    }
  }
}

void classify_exponent(Answer& answer, int exponent_field, int exponent_field_before) {
  if (exponent_field < 0) answer.mark(ResultClass::exponent_below_0);
  if (exponent_field == 0) answer.mark(ResultClass::exponent_0);
  if (exponent_field == 1) answer.mark(ResultClass::exponent_1);
  if (exponent_field == 2046) answer.mark(ResultClass::exponent_2046);
  if (exponent_field == 2047) answer.mark(ResultClass::exponent_2047);
  if (exponent_field > 2047) answer.mark(ResultClass::exponent_above_2047);
  if (exponent_field == exponent_field_before) return;
  answer.mark(ResultClass::carry_into_exponent);
  if (exponent_field == 1) answer.mark(ResultClass::rounds_up_to_smallest);
  if (exponent_field == 2047) answer.mark(ResultClass::rounds_up_to_overflow);
}

/// Rounds an exact result that is not zero.
void store_rounded(Answer& answer, const Exact& exact, int precision) {
  const int sign = exact.integer < 0 ? -1 : 1;
  // Units fine enough that the last place of the result is a whole number of them.
  const int scale = std::min(exact.scale, top_exponent(exact) - precision + 1);
  const WideInt magnitude = mp::abs(in_units(exact, scale));
  const WideInt last_place = WideInt(1) << (top_exponent(exact) - precision + 1 - scale);
  WideInt quotient;
  WideInt rest;
  mp::divide_qr(magnitude, last_place, quotient, rest);
  classify_rounding(answer, quotient, rest, last_place);
  const bool up = 2 * rest > last_place || (2 * rest == last_place && quotient % 2 == 1);
  const Exact result = {(quotient + (up ? 1 : 0)) * last_place, scale};

  const int exponent_field = top_exponent(result) + 1023;
  classify_exponent(answer, exponent_field, top_exponent(exact) + 1023);
  if (exponent_field < 1) {
    answer.event = WideEvent::underflow;
    answer.zero = true;
  } else if (exponent_field > 2046) {
    answer.event = WideEvent::overflow;
    store_infinity(answer, sign);
  } else {
    const int unit = top_exponent(result) - 60;  // of a long word's fraction
    const WideInt significand =
        result.scale >= unit ? in_units(result, unit) : WideInt(result.integer / (WideInt(1) << (unit - result.scale)));
    const WideInt bits = (significand - (WideInt(1) << 60)) + WideInt(exponent_field) * (WideInt(1) << 60) +
                         (sign < 0 ? WideInt(1) << 71 : WideInt(0));
    answer.negative = sign < 0;
    answer.bits = (isa::uint128{static_cast<std::uint64_t>(bits >> 64)} << 64) |
                  static_cast<std::uint64_t>(bits & WideInt(~std::uint64_t{0}));
  }
}

void classify_sum(Answer& answer, const Exact& x, const Exact& y, const Exact& total) {
  if (x.integer == 0 || y.integer == 0) return;
  const int gap =
      top_exponent(x) > top_exponent(y) ? top_exponent(x) - top_exponent(y) : top_exponent(y) - top_exponent(x);
  if (gap > 60) answer.mark(ResultClass::wide_gap);
  if ((x.integer < 0) == (y.integer < 0) || gap > 1) return;
  if (total.integer == 0) {
    answer.mark(ResultClass::cancels_to_zero);
    return;
  }
  const int bits_left = top_exponent(total) - std::min(x.scale, y.scale) + 1;
  if (bits_left > 60) return;
  answer.mark(ResultClass::cancels_partly);
  answer.bits_left = bits_left;
}

void add(Answer& answer, const Operand& x, const Operand& y, int precision) {
  if (x.infinite && y.infinite && x.sign != y.sign) {
    answer.event = WideEvent::invalid;
    store_infinity(answer, 1);
  } else if (x.infinite || y.infinite) {
    answer.mark(ResultClass::infinite_result);
    store_infinity(answer, x.infinite ? x.sign : y.sign);
  } else {
    const Exact total = sum(x.exact, y.exact);
    classify_sum(answer, x.exact, y.exact, total);
    answer.zero = total.integer == 0;
    if (!answer.zero) store_rounded(answer, total, precision);
  }
}

void pass(Answer& answer, const Operand& x, int precision) {
  if (x.infinite) {
    answer.mark(ResultClass::infinite_result);
    store_infinity(answer, x.sign);
  } else {
    answer.zero = x.zero();
    if (!answer.zero) store_rounded(answer, x.exact, precision);
  }
}

/// Sign of x - y.
int compare(const Operand& x, const Operand& y) {
  const int x_rank = x.infinite ? x.sign : 0;
  const int y_rank = y.infinite ? y.sign : 0;
  if (x_rank != y_rank || x_rank != 0) return x_rank - y_rank;
  return sum(x.exact, negated(y.exact)).integer.sign();
}

/// Drops what a multiplier port does not see.
Operand at_port(Answer& answer, Operand x, int bits) {
  if (x.infinite || x.zero()) return x;
  const WideInt magnitude = mp::abs(x.exact.integer);
  const WideInt last_place = WideInt(1) << (61 - bits);
  const WideInt dropped = magnitude % last_place;
  const WideInt kept = magnitude - dropped;
  if (dropped != 0) answer.mark(ResultClass::port_cut);
  if (bits == 50) {
    if (2 * dropped == last_place) answer.mark(ResultClass::port_half);
    if (2 * (dropped + 1) == last_place) answer.mark(ResultClass::port_half_minus_1);
    if (2 * (dropped - 1) == last_place) answer.mark(ResultClass::port_half_plus_1);
  }
  x.exact.integer = x.sign * kept;
  return x;
}

void multiply(Answer& answer, const Operand& x, const Operand& y, int precision) {
  if ((x.infinite && y.zero()) || (x.zero() && y.infinite)) {
    answer.event = WideEvent::invalid;
    store_infinity(answer, 1);
  } else if (x.infinite || y.infinite) {
    answer.mark(ResultClass::infinite_result);
    store_infinity(answer, x.sign * y.sign);
  } else {
    answer.zero = x.zero() || y.zero();
    if (!answer.zero) store_rounded(answer, product(x.exact, y.exact), precision);
  }
}

enum class Form { sum, choice, product };

/// What an operation forms exactly, before it is rounded.
struct Row {
  isa::Op op;
  Form form;
  void (*form_result)(Answer& answer, const Operand& x, const Operand& y, int precision);
};

constexpr Row kRows[] = {
    {isa::Op::FADD, Form::sum, add},
    {isa::Op::FSUB, Form::sum,
     [](Answer& answer, const Operand& x, const Operand& y, int precision) {
       add(answer, x, {-y.sign, y.infinite, negated(y.exact)}, precision);
     }},
    {isa::Op::FPASSA, Form::choice,
     [](Answer& answer, const Operand& x, const Operand&, int precision) { pass(answer, x, precision); }},
    {isa::Op::FMAX, Form::choice,
     [](Answer& answer, const Operand& x, const Operand& y, int precision) {
       pass(answer, compare(x, y) >= 0 ? x : y, precision);
     }},
    {isa::Op::FMIN, Form::choice,
     [](Answer& answer, const Operand& x, const Operand& y, int precision) {
       pass(answer, compare(x, y) <= 0 ? x : y, precision);
     }},
    {isa::Op::FMUL, Form::product,
     [](Answer& answer, const Operand& x, const Operand& y, int precision) {
       multiply(answer, at_port(answer, x, 50), at_port(answer, y, 25), precision);
     }},
    {isa::Op::FMULL, Form::product,
     [](Answer& answer, const Operand& x, const Operand& y, int precision) {
       multiply(answer, at_port(answer, x, 50), at_port(answer, y, 50), precision);
     }},
};

const Row& row_of(isa::Op op) {
  const auto row = std::ranges::find(kRows, op, &Row::op);
  if (row == std::end(kRows)) {
    throw std::logic_error("the wide oracle has no row for " + std::string(isa::info_of(op).mnemonic));
  }
  return *row;
}

}  // namespace

std::vector<isa::Op> fp_operations() {
  std::vector<isa::Op> all;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (info.computes() && info.kind == isa::NumberKind::floating_point) all.push_back(info.op);
  }
  return all;
}

std::string_view name_of(ResultClass result_class) {
  static constexpr std::array<std::string_view, kResultClasses> kNames = {
      "zero operand",
      "infinite operand",
      "invalid operation",
      "infinite result",
      "cancels to zero",
      "cancels to 1..60 bits",
      "wide gap",
      "exact",
      "rounded down",
      "rounded up",
      "tie, down to even",
      "tie, up to even",
      "just below half",
      "just above half",
      "carry into exponent",
      "exponent below 0",
      "exponent 0",
      "exponent 1",
      "exponent 2046",
      "exponent 2047",
      "exponent above 2047",
      "rounds up to smallest",
      "rounds up to overflow",
      "port cut",
      "port half",
      "port half - 1",
      "port half + 1",
  };
  return kNames.at(static_cast<std::size_t>(result_class));
}

bool possible(ResultClass result_class, isa::Op op, int precision) {
  const bool adds = row_of(op).form == Form::sum;
  const bool multiplies = row_of(op).form == Form::product;
  const bool rounds = adds || multiplies || precision < 61;  // a pass to the operand's own precision is exact
  switch (result_class) {
    case ResultClass::zero_operand:
    case ResultClass::infinite_operand:
    case ResultClass::infinite_result:
    case ResultClass::exact:
    case ResultClass::exponent_1:
    case ResultClass::exponent_2046:
      return true;
    case ResultClass::cancels_to_zero:
    case ResultClass::cancels_partly:
    case ResultClass::wide_gap:
      return adds;
    case ResultClass::rounded_down:
    case ResultClass::rounded_up:
    case ResultClass::tie_down:
    case ResultClass::tie_up:
    case ResultClass::just_below_half:
    case ResultClass::just_above_half:
    case ResultClass::carry_into_exponent:
    case ResultClass::exponent_2047:
    case ResultClass::rounds_up_to_overflow:
      return rounds;
    case ResultClass::invalid_operation:
    case ResultClass::exponent_below_0:
    case ResultClass::exponent_0:
      return adds || multiplies;
    case ResultClass::rounds_up_to_smallest:
      return multiplies || (adds && precision < 61);  // a sum below 2^-1022 has at most 60 bits
    case ResultClass::exponent_above_2047:
      return multiplies || (adds && precision < 61);  // a sum is below 2^1025, but may round up to it
    case ResultClass::port_cut:
    case ResultClass::port_half:
    case ResultClass::port_half_minus_1:
    case ResultClass::port_half_plus_1:
      return multiplies;
  }
  return false;
}

WideAnswer wide_answer(isa::Op op, isa::LongWord a, isa::LongWord b, int precision) {
  Answer answer;
  const Operand x = read_operand(a);
  const Operand y = isa::info_of(op).sources == 1 ? x : read_operand(b);
  if (x.zero() || y.zero()) answer.mark(ResultClass::zero_operand);
  if (x.infinite || y.infinite) answer.mark(ResultClass::infinite_operand);
  row_of(op).form_result(answer, x, y, precision);
  if (answer.event == WideEvent::invalid) answer.mark(ResultClass::invalid_operation);
  return answer;
}

}  // namespace gdr::tests
