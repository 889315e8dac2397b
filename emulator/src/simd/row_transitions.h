// How often words of chips have moved, in this process: tests make sure that they have walked every way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gdr/base/names.h"

namespace gdr::emulator::simd {

enum class Transition : std::uint8_t {
  packed,             // blocks became a group
  gone_on,            // a run went on in the group of the run before
  ended_by_packing,   // a group ended since its blocks were packed otherwise
  ended_by_run,       // ... since its blocks run by themselves
  ended_by_look,      // ... since the host reads or writes
  ended_across,       // a group ended that has blocks besides those that were asked for
  given_up_going_on,  // a run that went on was refused by compiled code
  given_up,           // one that did not go on was
  stopped,            // a run stopped between iterations
  landed,             // late words were written to the packed states
  viewed,             // results were read from packed states
  viewed_in_part,     // ... while other blocks had theirs in their own states
  copied,             // a group was copied into a clone
  alike_put,          // the host gave a row alike to all blocks
  alike_given         // blocks got such rows into their own states
};
inline constexpr std::size_t kTransitions = base::enumerators<Transition>();

[[nodiscard]] std::string_view name_of(Transition transition);
/// Counts since the process began, by Transition.
[[nodiscard]] std::array<std::uint64_t, kTransitions> row_transitions();
void count(Transition transition);

}  // namespace gdr::emulator::simd
