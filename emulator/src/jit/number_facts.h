// What is known of the numbers in a body before it runs: their form, and the range of their exponents.
#pragma once

#include <cstdint>
#include <vector>

#include "body_graph.h"

namespace gdr::emulator::jit {

/// Words that enter a body as numbers are zero or have exponents of at most this size; the code checks it.
inline constexpr int kInputExponent = 80;
/// What a check inside the body lets through: down to noise, such as a particle's difference from itself.
inline constexpr int kLowestChecked = -420;
inline constexpr int kHighestChecked = 220;

/// Bits of a significand that the multiplier takes.
inline constexpr int kPortBits = 50;

/// How a number is held.
enum class NumberForm : std::uint8_t {
  short_number,  // a double of 25 bits
  one_double,    // a double of `bits` bits
  pair           // a head and a rest below its last place, together 61 bits
};

/// Exponents of the values that are not zero; none if lowest > highest.
struct ExponentRange {
  bool zero = true;
  int lowest = 1;
  int highest = 0;
  [[nodiscard]] bool empty() const { return lowest > highest; }
};

struct NumberFacts {
  NumberForm form = NumberForm::short_number;
  int bits = 25;
  bool never_negative = false;
  bool phi = false;  // the number that a turn takes over from the turn before
  ExponentRange range;
  bool check_lowest = false;   // the code makes sure that exponents are at least kLowestChecked,
  bool check_highest = false;  // at most kHighestChecked
};

struct BodyFacts {
  std::vector<NumberFacts> of;        // by node; of numbers alone
  std::vector<NodeId> number_of_phi;  // by carried word: the node that is its number; kNoNode: handed on as bits
  std::string refusal;
};

/// `turns`: after how many the words carried are looked at again. `last`: whatever the body leaves is wanted.
[[nodiscard]] BodyFacts make_number_facts(const BodyGraph& graph, unsigned turns, bool last);
/// Of numbers that are the host's doubles, whose range is nobody's concern.
[[nodiscard]] BodyFacts make_double_facts(const BodyGraph& graph, bool last);

}  // namespace gdr::emulator::jit
