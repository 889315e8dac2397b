// The chip's arithmetic as instructions: conversion between planes and doubles, rounding, exact sums, and checks that
// every step was exact. docs/machine/engine.md has the reasoning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code_writer.h"
#include "loop/plan/number_facts.h"

namespace gdr::emulator::jit {

/// Writes instructions of the current function.
class NumberCode {
 public:
  NumberCode(const CodeTarget& target, bool robust) : target_(target), robust_(robust) {}

  /// Begins a new function, in which every lane is right. Its checks of ranges have these limits.
  void begin(const CheckLimits& limits);
  /// Continues in another text. What checks have found so far is kept.
  void write_to(ArithmeticWriter& writer) { w_ = &writer; }

  [[nodiscard]] ArithmeticWriter& writer() const { return *w_; }
  [[nodiscard]] const CodeTarget& target() const { return target_; }
  /// True if results near a tie are settled, not refused.
  [[nodiscard]] bool is_robust() const { return robust_; }

  // ---- checks
  /// A value that collects the results of checks.
  struct Chain {
    CodeType type;
    const char* name;
    std::string value;
  };
  /// The target's chains.
  std::vector<Chain> chains;
  void demand(const std::string& flag) {
    Chain& chain = chains_at_hand()[next_chain_++ % flag_chains()];
    chain.value = w_->both(chain.value, flag);
  }
  /// Lanes in which a flag is set, or clear if `inverted`.
  struct Lanes {
    std::string flag;
    bool inverted = false;

    bool operator==(const Lanes&) const = default;
  };
  /// Checks from here on are of these lanes, or of all. Returns the lanes until now.
  std::optional<Lanes> check_in(std::optional<Lanes> lanes) { return std::exchange(in_lanes_, std::move(lanes)); }
  /// Adds what checks of some lanes have found to the chains. Such checks have chains of their own until then, so that
  /// the lanes are selected once, not for each check.
  void fold_lanes();
  std::string all_right();
  /// Demands that a word, as it is in memory, is zero or has an exponent of at most kInputExponent in size.
  void check_input(const Value& planes);
  /// Demands that a word is zero or a normal double, and has no low plane.
  void check_double(const Value& planes);
  /// Demands that a number is no NaN, because a NaN's bits depend on the order of operands.
  void check_ordered(const std::string& number) { demand(w_->compare_numbers("ord", number, number)); }
  /// Demands exponents of at most the function's limit if `highest`, and of at least its limit if `lowest`.
  void check_range(const std::string& head, bool lowest, bool highest);

  // ---- between planes and numbers
  Value from_planes(const Value& planes);
  Value to_planes(const Value& number);
  /// The sum of head and rest, rounded toward zero.
  std::string toward_zero(const Value& number);

  // ---- rounding to 25 bits, ties to even
  /// Rounds a number that is exact or, if it is inexact, has an odd last bit.
  std::string short_of_exact(const std::string& exact);
  /// Rounds an exact number of at most 52 bits.
  std::string short_of_product(const std::string& exact);
  /// Rounds a number that is less than `distance` last places away from the exact result; 0 if it is the exact result
  /// rounded once.
  std::string short_of_near(const std::string& near, std::uint64_t distance);
  std::string short_of_sum(const std::string& a, const std::string& b);
  /// Rounds the product; its form rounded to a double may be near a tie.
  std::string short_of_long_product(const std::string& a, const std::string& b);
  std::string short_of_product_and_sum(const std::string& a, const std::string& b, const std::string& c);

  // ---- rounding to 61 bits
  /// Returns the rounded sum, and its error in `error`.
  std::string two_sum(const std::string& a, const std::string& b, std::string& error);
  /// The sum of `error` and of the operands' rests.
  std::string with_rests(const std::string& error, const Value& a, const Value& b);
  Value rounded_sum(const std::string& sum, const std::string& rest);
  /// The sum of two doubles.
  Value sum_of_doubles(const std::string& a, const std::string& b);
  Value rounded_product(const std::string& a, const std::string& b);

 private:
  std::string power(const std::string& a) { return w_->masked(a, kSign | kExponentMask); }
  std::string odd(const std::string& down, const std::string& up, const std::string& zero);
  std::string odd_of(const std::string& head, const std::string& error);
  std::string truncated(const std::string& head, const std::string& rest);
  std::string is_inside(const Value& planes, std::uint64_t lowest, std::uint64_t exponents);
  std::string smaller_of(const std::string& a, const std::string& b, const std::string& larger);
  std::string exact_sum(const std::string& a, const std::string& b);
  Value long_of(const std::string& head, const std::string& rest);

  /// Chains in which no check has found anything yet.
  [[nodiscard]] std::vector<Chain> new_chains() const;
  /// Those of the lanes that are checked now.
  std::vector<Chain>& chains_at_hand();
  /// The flag in these lanes; set in all others.
  std::string demanded(const Lanes& lanes, const std::string& flag);
  /// The bits in these lanes; in all others ones if `ones`, else zeros.
  std::string checked_bits(const Lanes& lanes, const std::string& bits, bool ones);

  /// Chains of flags come first: lanes that are right. There are several, so that no check waits for all checks before
  /// it. Hosts with few registers have only one.
  [[nodiscard]] std::size_t flag_chains() const { return target_.directed_rounding ? 4 : 1; }
  /// Chains of words follow if there are no mask registers. All but the first hold extremes of unsigned 32-bit halves
  /// so far.
  enum WordChain : std::size_t {
    wrong,       // all bits but the sign are clear in lanes that are right
    least_rest,  // smallest lower half of the bits rounded off; 0 if a number was near a tie
    least_size,  // smallest upper half of numbers' magnitudes, less one
    most_size    // largest upper half of numbers' magnitudes
  };
  [[nodiscard]] bool has_words() const { return !target_.directed_rounding && !target_.host_doubles; }
  std::string& word(WordChain which) { return chains_at_hand()[flag_chains() + which].value; }
  void collect_extreme(WordChain which, const std::string& bits) {
    word(which) = w_->extreme_halves(which == most_size ? "umax" : "umin", word(which), bits);
  }
  /// Lower part of a word: 32 bits of 64. It holds what is below a short word; the upper part holds the exponent field.
  static constexpr int kHalf = std::min(widths::kBelowShort + 4, widths::kFraction);
  static constexpr std::uint64_t kUpperOne = widths::bit(kHalf);
  std::string upper_half(const std::string& bits) {
    return w_->integer("lshr", bits, w_->literal(std::uint64_t{kHalf}));
  }

  CodeTarget target_;
  bool robust_;
  CheckLimits limits_;
  ArithmeticWriter* w_ = nullptr;
  std::size_t next_chain_ = 0;
  std::optional<Lanes> in_lanes_;
  struct OfLanes {
    Lanes lanes;
    std::vector<Chain> chains;
  };
  std::vector<OfLanes> of_lanes_;  // empty outside iterations
};

}  // namespace gdr::emulator::jit
