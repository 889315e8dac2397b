// Arithmetic of the chip as instructions: numbers between planes and doubles, rounding, exact sums, and the checks that
// all of it was exact. docs/engine.md has the reasoning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "code_writer.h"

namespace gdr::emulator::jit {

/// Of the function at hand.
class NumberCode {
 public:
  NumberCode(const CodeTarget& target, bool robust) : target_(target), robust_(robust) {}

  /// Of a new function: every lane is right.
  void begin();
  /// Goes on in another text. The lanes that were right so far stay so.
  void write_to(Writer& writer) { w_ = &writer; }

  // ---- checks
  /// A value that collects what checks have found so far.
  struct Chain {
    CodeType type;
    const char* name;
    std::string value;
  };
  /// Of the target.
  std::vector<Chain> chains;
  void demand(const std::string& flag) {
    Chain& chain = chains[next_chain_++ % flag_chains()];
    chain.value = w_->both(chain.value, flag);
  }
  std::string all_right();
  /// Zero, or an exponent of at most kInputExponent in size; of a word as it stands in memory.
  void check_input(const Value& planes);
  /// Zero, or a normal double, without a low plane.
  void check_double(const Value& planes);
  /// No NaN, whose bits depend on the order of operands.
  void check_ordered(const std::string& number) { demand(w_->compare_numbers("ord", number, number)); }
  /// Exponents at most kHighestChecked, at least kLowestChecked.
  void check_range(const std::string& head, bool lowest, bool highest);

  // ---- between planes and numbers
  Value from_planes(const Value& planes);
  Value to_planes(const Value& number);
  /// Head and rest rounded toward zero.
  std::string toward_zero(const Value& number);

  // ---- rounding to 25 bits, ties to even
  /// Of a number that is exact, or odd in its last bit if it is not.
  std::string short_of_exact(const std::string& exact);
  /// Of an exact number of at most 52 bits.
  std::string short_of_product(const std::string& exact);
  /// Of a number less than `distance` last places away from the exact result; 0: the exact result rounded once.
  std::string short_of_near(const std::string& near, std::uint64_t distance);
  std::string short_of_sum(const std::string& a, const std::string& b);
  /// Of a product whose rounded form may be near a tie.
  std::string short_of_long_product(const std::string& a, const std::string& b);
  std::string short_of_product_and_sum(const std::string& a, const std::string& b, const std::string& c);

  // ---- rounding to 61 bits
  /// Rounded sum and its error.
  std::string two_sum(const std::string& a, const std::string& b, std::string& error);
  /// An error and the rests of what was added.
  std::string with_rests(const std::string& error, const Value& a, const Value& b);
  Value rounded_sum(const std::string& sum, const std::string& rest);
  Value rounded_product(const std::string& a, const std::string& b);

 private:
  std::string power(const std::string& a) { return w_->masked(a, kSign | kExponentMask); }
  std::string odd(const std::string& down, const std::string& up, const std::string& zero);
  std::string odd_of(const std::string& head, const std::string& error);
  std::string truncated(const std::string& head, const std::string& rest);
  std::string is_inside(const Value& planes, std::uint64_t lowest, std::uint64_t exponents);
  std::string exact_sum(const std::string& a, const std::string& b);
  Value long_of(const std::string& head, const std::string& rest);

  /// Flags come first: lanes that are right. In more than one chain, so that no check waits for all before it; with
  /// few registers one has to do.
  [[nodiscard]] std::size_t flag_chains() const { return target_.directed_rounding ? 4 : 1; }
  /// Then, without mask registers, words.
  enum WordChain : std::size_t {
    wrong,       // all bits but the sign are clear in lanes that are right
    least_rest,  // of halves of words, the least or the largest so far, without signs: lower half, of numbers near a
                 // tie
    least_size,  // upper half less one, of sizes of numbers
    most_size    // upper half, of sizes of numbers
  };
  [[nodiscard]] bool has_words() const { return !target_.directed_rounding && !target_.host_doubles; }
  std::string& word(WordChain which) { return chains[flag_chains() + which].value; }
  void collect_extreme(WordChain which, const std::string& bits) {
    word(which) = w_->extreme_halves(which == most_size ? "umax" : "umin", word(which), bits);
  }
  std::string upper_half(const std::string& bits) { return w_->integer("lshr", bits, w_->literal(std::uint64_t{32})); }

  CodeTarget target_;
  bool robust_;
  Writer* w_ = nullptr;
  std::size_t next_chain_ = 0;
};

}  // namespace gdr::emulator::jit
