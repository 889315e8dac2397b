// How a pair function changes its results: sums, minima, maxima and the like, under conditions.
#pragma once

#include <string>
#include <vector>

#include "conditions.h"
#include "nearest.h"
#include "pair_function.h"

namespace gdr::compiler {

/// Message for a result that is not accumulated; other languages have a message of their own.
inline constexpr const char* kResultForms =
    "a result must be accumulated: f.x += ..., f.x -= ..., f.x = fmin(f.x, ...) or fmax; integers also |=, &=, ^=, min "
    "and max; and under a condition";

/// One operation on a word of the result record.
struct Change {
  unsigned field = 0;
  unsigned element = 0;
  Act act = Act::add;  // add, sub, minimum, maximum, iadd, isub, imin, imax, iand, ior or ixor
  int addend = -1;     // node; its word may be wider than the result, which is rounded once
  int condition = -1;  // truth node; -1: always
  Place place;
};

/// All changes of a pair function.
struct Changes {
  std::vector<std::vector<Change>> of_stores;  // of each store, in their order; none for a number that has a key
  std::vector<KeyedNumber> numbers;

  /// The nodes that the changes need, once for each use.
  [[nodiscard]] std::vector<int> roots() const;
};

/// Nodes are appended to `function`. A store that is no sequence of changes is told of in `errors`.
[[nodiscard]] Changes changes_of(PairFunction& function, std::vector<Message>& errors);

}  // namespace gdr::compiler
