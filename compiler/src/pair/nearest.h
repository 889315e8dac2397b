// Numbers that belong to the least or greatest value of a key: `if (r2 < f.r2) { f.r2 = r2; f.near = j.n; }`.
//
// Blocks and chips reduce results word by word, so number and key share a word: bits 63 to 28 are the key as a short
// word, in the order of integers, and bits 27 to 0 are the number. The least word is the one with the least key and,
// among equal keys, the least number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "pair_function.h"

namespace gdr::compiler {

inline constexpr unsigned kNumberBits = 28;
inline constexpr unsigned kShortWholeBits = 25;  // a short word has all whole numbers of so many bits
static_assert(kLargestNumber == (std::int64_t{1} << kNumberBits) - 1);

/// A condition, or its opposite, under which an operation is done.
struct Under {
  int node = -1;
  bool opposite = false;
};

/// A store of a number, and the store of the key that it follows.
struct KeyedNumber {
  std::size_t number_store = 0;
  std::size_t key_store = 0;
  int number = -1;  // node
  int key = -1;     // node
  bool least = true;
  std::vector<Under> conditions;  // further conditions that must hold
};

/// The numbers with keys among the stores of a loop body.
[[nodiscard]] std::vector<KeyedNumber> keyed_numbers(const PairFunction& function);

/// True if the host may give a number only if it fits beside a key: it is a member of j that is Kept::fitting and that
/// nothing rounds.
[[nodiscard]] bool is_fitting_member(const PairFunction& function, int node);

/// Reports numbers that are floating-point and may have a fraction, which a word beside a key has no bits for.
void require_whole_numbers(Imported& imported);

/// Marks the fields that hold such numbers, and the members of j that are such numbers. They need long integers, so all
/// integers of the function become long if one of them is short.
void settle_numbers(Imported& imported);

/// For each node, true if the way it is computed shows that it cannot be below 0.
[[nodiscard]] std::vector<bool> never_negative(const PairFunction& function);

}  // namespace gdr::compiler
