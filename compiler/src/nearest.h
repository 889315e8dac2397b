// Numbers that a pair leaves together with the least or greatest of a key: `if (r2 < f.r2) { f.r2 = r2; f.near = j.n;
// }`.
//
// Blocks and chips reduce results word by word, so number and key stand in one word of their own: bits 63 to 28 are the
// key as a short word, in the order of integers, bits 27 to 0 the number. The word's least is that of the key, and of
// equal keys that of the least number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

inline constexpr unsigned kNumberBits = 28;
inline constexpr std::int64_t kLargestNumber = (std::int64_t{1} << kNumberBits) - 1;

/// A condition, or its opposite, under which something is done.
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
  std::vector<Under> conditions;  // that hold besides
};

/// The numbers among the stores of a loop body.
[[nodiscard]] std::vector<KeyedNumber> keyed_numbers(const PairFunction& function);

/// A key alone that is kept where other conditions hold as well: `if (c && r2 < f.r2) f.r2 = r2`.
struct KeptKey {
  int key = -1;  // node
  bool least = true;
  std::vector<Under> conditions;
};
[[nodiscard]] std::optional<KeptKey> kept_key(const PairFunction& function, const Store& store);

/// Marks the fields that hold numbers. They want long integers, so that all integers become long where one is short.
void settle_numbers(Imported& imported);

/// Of each node, whether it cannot be below 0 by the way it is computed.
[[nodiscard]] std::vector<bool> never_negative(const PairFunction& function);

}  // namespace gdr::compiler
