#include "number_code.h"

#include <array>

#include "gdr/base/error.h"
#include "loop/plan/number_facts.h"

namespace gdr::emulator::jit {
namespace {

// Limits of the magnitudes that a check inside a body lets through, as bits of doubles.
constexpr double kTwoToShortRest = widths::power_of_two(widths::kBelowShort);
constexpr double kLowUnit = widths::power_of_two(-widths::kLow);
std::uint64_t bits_of_exponent(int exponent) {
  return static_cast<std::uint64_t>(kBias + exponent) << widths::kFraction;
}

}  // namespace

// ---- checks ---------------------------------------------------------------------------------------------------------

void NumberCode::begin(const CheckLimits& limits) {
  limits_ = limits;
  next_chain_ = 0;
  in_lanes_.reset();
  of_lanes_.clear();
  chains = new_chains();
}

std::vector<NumberCode::Chain> NumberCode::new_chains() const {
  constexpr std::array kFlagNames{"ok0", "ok1", "ok2", "ok3"};
  std::vector<Chain> fresh;
  for (std::size_t n = 0; n < flag_chains(); ++n) fresh.push_back({CodeType::flag, kFlagNames[n], w_->all_set()});
  if (!has_words()) return fresh;
  const std::string none = w_->literal(std::uint64_t{0});
  const std::string most = w_->literal(~std::uint64_t{0});
  fresh.push_back({CodeType::bits, "wrong", none});
  fresh.push_back({CodeType::bits, "least_rest", most});
  fresh.push_back({CodeType::bits, "least_size", most});
  fresh.push_back({CodeType::bits, "most_size", none});
  return fresh;
}

std::vector<NumberCode::Chain>& NumberCode::chains_at_hand() {
  if (!in_lanes_) return chains;
  auto known = std::ranges::find(of_lanes_, *in_lanes_, &OfLanes::lanes);
  if (known == of_lanes_.end()) known = of_lanes_.insert(known, {*in_lanes_, new_chains()});
  return known->chains;
}

void NumberCode::fold_lanes() {
  const std::vector<Chain> fresh = new_chains();
  for (const OfLanes& each : std::exchange(of_lanes_, {})) {
    for (std::size_t n = 0; n < each.chains.size(); ++n) {
      const std::string& found = each.chains[n].value;
      if (found == fresh[n].value) continue;  // no check
      std::string& all = chains[n].value;
      if (n < flag_chains()) {
        all = w_->both(all, demanded(each.lanes, found));
        continue;
      }
      switch (static_cast<WordChain>(n - flag_chains())) {
        case wrong:
          all = w_->integer("or", all, checked_bits(each.lanes, found, false));
          break;
        case least_rest:
        case least_size:
          all = w_->extreme_halves("umin", all, checked_bits(each.lanes, found, true));
          break;
        case most_size:
          all = w_->extreme_halves("umax", all, checked_bits(each.lanes, found, false));
          break;
      }
    }
  }
}

std::string NumberCode::demanded(const Lanes& lanes, const std::string& flag) {
  return lanes.inverted ? w_->select(lanes.flag, CodeType::flag, w_->all_set(), flag)
                        : w_->select(lanes.flag, CodeType::flag, flag, w_->all_set());
}

std::string NumberCode::checked_bits(const Lanes& lanes, const std::string& bits, bool ones) {
  const std::string others = w_->literal(ones ? ~std::uint64_t{0} : std::uint64_t{0});
  return lanes.inverted ? w_->select(lanes.flag, CodeType::bits, others, bits)
                        : w_->select(lanes.flag, CodeType::bits, bits, others);
}

std::string NumberCode::all_right() {
  GDR_ASSERT(of_lanes_.empty(), "an iteration folds what its checks have found");
  std::string all = chains[0].value;
  for (std::size_t n = 1; n < flag_chains(); ++n) all = w_->both(all, chains[n].value);
  if (!has_words()) return all;
  const std::string none = w_->literal(std::uint64_t{0});
  const std::string without_sign = w_->integer("shl", word(wrong), w_->literal(std::uint64_t{1}));
  all = w_->both(all, w_->compare("eq", without_sign, none));
  const std::string lower_rest = w_->integer("and", word(least_rest), w_->literal(kUpperOne - 1));
  all = w_->both(all, w_->compare("ne", lower_rest, none));
  all = w_->both(all, w_->compare("sge", upper_half(word(least_size)),
                                  w_->literal((bits_of_exponent(limits_.lowest) - kUpperOne) >> kHalf)));
  return w_->both(all, w_->compare("slt", upper_half(word(most_size)),
                                   w_->literal(bits_of_exponent(limits_.highest + 1) >> kHalf)));
}

/// A flag: the exponent field has one of the `exponents` values from `lowest` on, or the word is zero.
std::string NumberCode::is_inside(const Value& planes, std::uint64_t lowest, std::uint64_t exponents) {
  // The sign is shifted out. The comparison is of signed integers, which every host has.
  const std::string twice = w_->integer("shl", planes.first, w_->literal(std::uint64_t{1}));
  const std::string above = w_->integer("sub", twice, w_->literal((lowest << widths::kDouble) ^ kSign));
  const std::string inside = w_->compare("slt", above, w_->literal((exponents << widths::kDouble) ^ kSign));
  const std::string all = planes.second.empty() ? planes.first : w_->integer("or", planes.first, planes.second);
  return w_->either(inside, w_->compare("eq", all, w_->literal(std::uint64_t{0})));
}

void NumberCode::check_input(const Value& planes) {
  demand(is_inside(planes, kBias - kInputExponent, 2 * kInputExponent + 1));
}

void NumberCode::check_double(const Value& planes) {
  constexpr std::uint64_t kNormalExponents = widths::kLargest;
  demand(is_inside({planes.first, {}}, 1, kNormalExponents));
  if (!planes.second.empty()) demand(w_->compare("eq", planes.second, w_->literal(std::uint64_t{0})));
}

void NumberCode::check_range(const std::string& head, bool lowest, bool highest) {
  const std::string size = w_->integer("and", w_->bits(head), w_->literal(~kSign));
  if (has_words()) {  // on upper halves; less one, that of zero is the largest of all
    if (highest) collect_extreme(most_size, size);
    if (lowest) collect_extreme(least_size, w_->integer("sub", size, w_->literal(kUpperOne)));
    return;
  }
  if (highest)
    demand(w_->compare_numbers("olt", w_->numbers(size), w_->number_literal(bits_of_exponent(limits_.highest + 1))));
  if (lowest) {  // less one, the magnitude of zero is the largest of all
    const std::string less = w_->integer("add", size, w_->literal(kSign - 1));
    demand(w_->compare("sge", less, w_->literal((bits_of_exponent(limits_.lowest) - 1) ^ kSign)));
  }
}

// ---- between planes and numbers -------------------------------------------------------------------------------------

Value NumberCode::from_planes(const Value& planes) {
  const std::string power = w_->integer("and", planes.first, w_->literal(kSign | kExponentMask));
  const std::string unit = w_->integer("sub", power, w_->literal(std::uint64_t{widths::kLow} << widths::kFraction));
  const std::string with = w_->integer("or", unit, planes.second);
  return {w_->numbers(planes.first), w_->subtract(w_->numbers(with), w_->numbers(unit))};
}

Value NumberCode::to_planes(const Value& number) {
  if (number.second.empty()) return {w_->bits(w_->canonical(number.first)), w_->literal(std::uint64_t{0})};
  std::string head;
  std::string rest;
  if (target_.directed_rounding) {
    head = w_->exact_add(w_->add(number.first, number.second, Direction::toward_zero), w_->literal(0.0));
    rest = w_->subtract(number.second, w_->subtract(head, number.first));
  } else {
    head = w_->canonical(number.first);
    rest = number.second;
  }
  const std::string head_bits = w_->bits(head);
  const std::string power = w_->integer("and", head_bits, w_->literal(kSign | kExponentMask));
  const std::string magic =
      w_->integer("add", power,
                  w_->literal(widths::bit(widths::kFraction - 1) - (std::uint64_t{widths::kLow} << widths::kFraction)));
  const std::string with = w_->bits(w_->add(rest, w_->numbers(magic)));
  const std::string units = w_->integer("sub", with, magic);
  const std::string low = w_->integer("and", units, w_->literal(widths::ones(widths::kLow)));
  if (target_.directed_rounding) return {head_bits, low};
  // A rest that points toward zero borrows its units from the head.
  const std::string of_head = w_->integer("ashr", units, w_->literal(std::uint64_t{widths::kLow}));
  return {w_->integer("add", head_bits, of_head), low};
}

std::string NumberCode::truncated(const std::string& head, const std::string& rest) {
  const std::string differ = w_->integer("xor", w_->bits(head), w_->bits(rest));
  const std::string back = w_->both(w_->compare("slt", differ, w_->literal(std::uint64_t{0})),
                                    w_->compare_numbers("une", rest, w_->literal(0.0)));
  return w_->integer("add", w_->bits(head), w_->spread_flag(back));
}

std::string NumberCode::toward_zero(const Value& number) {
  if (target_.directed_rounding) return w_->add(number.first, number.second, Direction::toward_zero);
  return w_->numbers(truncated(number.first, number.second));
}

// ---- rounding to 25 bits --------------------------------------------------------------------------------------------

std::string NumberCode::short_of_exact(const std::string& exact) {
  const std::string scale = power(exact);
  const std::string up = w_->multiply_add(scale, w_->literal(1.5 * kTwoToShortRest), exact);
  return w_->multiply_add(scale, w_->literal(-1.5 * kTwoToShortRest), up);
}

std::string NumberCode::short_of_product(const std::string& exact) {
  const std::string scaled = w_->multiply(exact, w_->literal(kTwoToShortRest + 1));
  return w_->multiply_add(exact, w_->literal(-kTwoToShortRest), scaled);
}

std::string NumberCode::short_of_near(const std::string& near, std::uint64_t distance) {
  const std::uint64_t within = distance == 0 ? 0 : 2 * distance - 1;
  const std::string up = w_->integer("add", w_->bits(near), w_->literal((kBelowShort + 1) / 2 + distance));
  const std::string rest = w_->integer("and", up, w_->literal(kBelowShort & ~within));
  if (has_words()) {
    collect_extreme(least_rest, rest);
  } else {
    demand(w_->compare("ne", rest, w_->literal(std::uint64_t{0})));
  }
  return w_->numbers(w_->integer("and", up, w_->literal(~kBelowShort)));
}

/// Rounds to odd: of an inexact result's two neighbours, takes the odd one. Rounding this once more rounds the exact
/// result.
std::string NumberCode::odd(const std::string& down, const std::string& up, const std::string& zero) {
  const std::string differ = w_->integer("xor", w_->bits(down), w_->bits(up));
  const std::string last = w_->integer("and", differ, w_->literal(std::uint64_t{1}));
  return w_->numbers(w_->integer("or", w_->bits(zero), last));
}

/// The same, from a result rounded to nearest and its error.
std::string NumberCode::odd_of(const std::string& head, const std::string& error) {
  const std::string inexact = w_->spread_flag(w_->compare_numbers("une", error, w_->literal(0.0)));
  const std::string last = w_->integer("and", inexact, w_->literal(std::uint64_t{1}));
  return w_->numbers(w_->integer("or", truncated(head, error), last));
}

std::string NumberCode::short_of_sum(const std::string& a, const std::string& b) {
  if (!robust_) return short_of_near(w_->add(a, b), 0);
  if (target_.directed_rounding) {
    return short_of_exact(
        odd(w_->add(a, b, Direction::down), w_->add(a, b, Direction::up), w_->add(a, b, Direction::toward_zero)));
  }
  std::string error;
  const std::string sum = two_sum(a, b, error);
  return short_of_exact(odd_of(sum, error));
}

std::string NumberCode::short_of_long_product(const std::string& a, const std::string& b) {
  if (!robust_) return short_of_near(w_->multiply(a, b), 0);
  if (target_.directed_rounding) {
    return short_of_exact(odd(w_->multiply(a, b, Direction::down), w_->multiply(a, b, Direction::up),
                              w_->multiply(a, b, Direction::toward_zero)));
  }
  const std::string head = w_->multiply(a, b);
  return short_of_exact(odd_of(head, w_->exact_multiply_add(a, b, w_->negated(head))));
}

std::string NumberCode::short_of_product_and_sum(const std::string& a, const std::string& b, const std::string& c) {
  return short_of_exact(odd(w_->multiply_add(a, b, c, Direction::down), w_->multiply_add(a, b, c, Direction::up),
                            w_->multiply_add(a, b, c, Direction::toward_zero)));
}

// ---- rounding to 61 bits --------------------------------------------------------------------------------------------

/// The operand that is not `larger`, which is one of them: two operations in one instruction, which more units have
/// than that of the comparison.
std::string NumberCode::smaller_of(const std::string& a, const std::string& b, const std::string& larger) {
  const std::string differ = w_->integer("xor", w_->bits(a), w_->bits(b));
  return w_->numbers(w_->integer("xor", differ, w_->bits(larger)));
}

std::string NumberCode::two_sum(const std::string& a, const std::string& b, std::string& error) {
  const std::string sum = w_->add(a, b);
  if (target_.directed_rounding) {  // operands in order of magnitude [Dekker 1971]
    const std::string larger = w_->larger(a, b);
    const std::string smaller = smaller_of(a, b, larger);
    error = w_->exact_subtract(smaller, w_->exact_subtract(sum, larger));
    return sum;
  }
  // For operands in any order [Knuth, The Art of Computer Programming 2, section 4.2.2].
  const std::string of_b = w_->subtract(sum, a);
  const std::string left_of_a = w_->subtract(a, w_->subtract(sum, of_b));
  error = w_->add(left_of_a, w_->subtract(b, of_b));
  return sum;
}

/// An exact sum. Lanes in which it is inexact are not right.
std::string NumberCode::exact_sum(const std::string& a, const std::string& b) {
  if (target_.directed_rounding) return w_->exact_add(a, b);
  // If the sum is inexact, its difference from the larger operand is exact, and therefore is not the smaller operand.
  const std::string sum = w_->add(a, b);
  demand(w_->compare_numbers("oeq", w_->subtract(sum, a), b));
  demand(w_->compare_numbers("oeq", w_->subtract(sum, b), a));
  return sum;
}

std::string NumberCode::with_rests(const std::string& error, const Value& a, const Value& b) {
  if (a.second.empty()) return error;
  if (b.second.empty()) return exact_sum(error, a.second);
  return exact_sum(error, exact_sum(a.second, b.second));
}

/// Head and rest, with the rest rounded so that both together have 61 bits.
Value NumberCode::long_of(const std::string& head, const std::string& rest) {
  const std::string scale = power(head);
  if (!target_.directed_rounding) {
    // Below a power of two a last place is worth half as much, so a rest that points there has one bit more.
    const std::string is_power = w_->spread_flag(w_->compare_numbers("oeq", head, scale));
    word(wrong) = w_->integer("or", word(wrong), w_->integer("and", is_power, w_->bits(rest)));
  }
  const std::string up = w_->multiply_add(scale, w_->literal(1.5 * kLowUnit), rest);
  return {head, w_->multiply_add(scale, w_->literal(-1.5 * kLowUnit), up)};
}

Value NumberCode::rounded_sum(const std::string& sum, const std::string& rest) {
  if (!target_.directed_rounding) {
    // If the rest is larger, the heads have cancelled. Then both values are small multiples of 1/256 of the heads' last
    // places, and nothing is rounded.
    const std::string head = w_->add(sum, rest);
    return long_of(head, w_->subtract(rest, w_->subtract(head, sum)));
  }
  // The rest then points away from zero.
  const std::string head = w_->add(sum, rest, Direction::toward_zero);
  return long_of(head, w_->exact_subtract(rest, w_->exact_subtract(head, sum)));
}

Value NumberCode::sum_of_doubles(const std::string& a, const std::string& b) {
  if (!target_.directed_rounding) {
    std::string error;
    const std::string sum = two_sum(a, b, error);
    return rounded_sum(sum, error);
  }
  // The difference from the larger operand is exact, too, if the sum is rounded toward zero: if rounding changes the
  // sum, both are multiples of the smaller of their last places, and at most 2^53 of it apart. The error is exact or
  // reported.
  const std::string head = w_->add(a, b, Direction::toward_zero);
  const std::string larger = w_->larger(a, b);
  const std::string smaller = smaller_of(a, b, larger);
  return long_of(head, w_->exact_subtract(smaller, w_->exact_subtract(head, larger)));
}

Value NumberCode::rounded_product(const std::string& a, const std::string& b) {
  const std::string head = w_->multiply(a, b, target_.directed_rounding ? Direction::toward_zero : Direction::nearest);
  return long_of(head, w_->exact_multiply_add(a, b, w_->negated(head)));
}

}  // namespace gdr::emulator::jit
