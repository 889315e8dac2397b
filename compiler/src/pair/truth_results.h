// Results that are bool: how a pair changes one, whatever way C++ says it.
#pragma once

#include <optional>

#include "conditions.h"
#include "pair_function.h"

namespace gdr::compiler {

/// What pairs do to a bool: where `condition` holds they make it true (ior), false (iand) or its opposite (ixor).
struct TruthChange {
  Act act = Act::ior;
  int condition = -1;  // truth node
};

/// The change that a store makes of a bool: its value is looked at for both values of the result before the pair.
/// Nothing if the result after the pair is none of the three, or depends on another result. Nodes are appended to
/// `function`, that of `conditions`.
[[nodiscard]] std::optional<TruthChange> truth_change(PairFunction& function, Conditions& conditions,
                                                      const Store& store);

}  // namespace gdr::compiler
