// Reductions of floating-point numbers beyond the chips' words: the host combines doubles of chips, of boards and of
// processes, and all of them do it here.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gdr/emulator/arithmetic.h"

namespace gdr::emulator {

/// A number that had an event, by its index.
struct NumberEvent {
  std::size_t index = 0;
  FpEvent event = FpEvent::none;
  friend bool operator==(const NumberEvent&, const NumberEvent&) = default;
};

/// Reduces `more` into `sums` with `op`, number by number, by the rules of docs/machine/arithmetic.md: one rounding to
/// nearest even, to the 53 bits of a double; no NaN, no subnormal number and no -0, whatever the host would make of
/// them. Returns the numbers that had an event, in order. `op` must be a floating-point reduction, and both spans must
/// have the same length. Integers and bits stay words beyond the chips: reduce() combines them.
[[nodiscard]] std::vector<NumberEvent> reduce_on_host(isa::Op op, std::span<double> sums, std::span<const double> more);

}  // namespace gdr::emulator
