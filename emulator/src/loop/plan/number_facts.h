// What is known about the numbers of a body before it runs: their form and the range of their exponents.
#pragma once

#include <cstdint>
#include <vector>

#include "loop/graph/body_graph.h"
#include "word/widths.h"

namespace gdr::emulator::jit {

/// A word that enters a body as a number is zero or has an exponent of at most this size; the code checks this.
inline constexpr int kInputExponent = kWidths.input_exponent;
/// Widest limits of a check inside the body. They let noise pass, such as a particle's difference from itself.
inline constexpr int kLowestChecked = kWidths.lowest_checked;
inline constexpr int kHighestChecked = kWidths.highest_checked;

/// Bits of a significand that the multiplier uses.
inline constexpr int kPortBits = widths::kPort;

/// Form in which a number is held.
enum class NumberForm : std::uint8_t {
  short_number,  // a double of 25 bits
  one_double,    // a double of `bits` bits
  pair           // a head and a rest below its last place, together 61 bits
};

/// How a number is held.
struct NumberShape {
  NumberForm form = NumberForm::short_number;
  int bits = widths::kShort;  // of its significand
};

/// Exponents of those values that are not zero. There are no such values if lowest > highest.
struct ExponentRange {
  bool zero = true;
  int lowest = 1;
  int highest = 0;
  [[nodiscard]] bool empty() const { return lowest > highest; }
};

/// Exponents that the checks of a function let through.
struct CheckLimits {
  int lowest = kLowestChecked;
  int highest = kHighestChecked;
};

struct NumberFacts {
  NumberForm form = NumberForm::short_number;
  int bits = widths::kShort;
  bool never_negative = false;
  bool phi = false;  // a number that an iteration takes over from the iteration before
  ExponentRange range;
  bool check_lowest = false;   // the code checks that exponents are at least the lowest that its function lets through,
  bool check_highest = false;  // at most the highest

  [[nodiscard]] NumberShape shape() const { return {form, bits}; }
  void take(const NumberShape& shape) {
    form = shape.form;
    bits = shape.bits;
  }
};

struct BodyFacts {
  std::vector<NumberFacts> of;        // by node; for numbers only
  CheckLimits in_turn;                // of checks in iterations
  CheckLimits in_uniform;             // of those in uniform()
  std::vector<NodeId> number_of_phi;  // by carried word: the node that is its number; kNoNode if carried as bits
  std::string refusal;
};

/// Looks for the limits with which iterations have the fewest checks. `turns`: number of iterations after which carried
/// words are checked again. `last`: all that the body leaves is needed.
[[nodiscard]] BodyFacts make_number_facts(const BodyGraph& graph, unsigned turns, bool last);
/// Facts for numbers that are the host's doubles, whose ranges do not matter.
[[nodiscard]] BodyFacts make_double_facts(const BodyGraph& graph, bool last);

}  // namespace gdr::emulator::jit
