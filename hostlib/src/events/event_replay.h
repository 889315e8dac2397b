// Executes a recorded run again to find which of its floating-point events had values that a result took.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gdr/emulator/events.h"
#include "gdr/hostlib/recording.h"
#include "kernel_words.h"

namespace gdr::hostlib {

/// What the engine and the host did in a recorded run. Its starts of the loop have the numbers 1, 2, ...
struct CountedRun {
  struct Start {
    emulator::FpEvents counted;  // events of PEs and junctions
    unsigned collected = 0;      // i-particles whose results the host takes; the others fill a PE
  };
  std::vector<Start> starts;
  bool junctions = false;  // some of the events may be those of junctions
};

struct FollowedEvents {
  /// A block of a chip in a start of the loop, in the order in which they are followed.
  struct Place {
    unsigned chip = 0;
    std::uint64_t run = 0;
    unsigned block = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  emulator::FpEvents untaken;
  /// Events that were not followed, because `most_work` was done before, or because the run began with words that
  /// earlier ones had left.
  emulator::FpEvents unfollowed;
  emulator::FirstEvents first;     // of those that were taken
  std::optional<Place> end;        // from here on nothing was followed
  std::vector<bool> unknown_runs;  // [start]: nothing is known of its events
  std::uint64_t work = 0;

  [[nodiscard]] bool has_followed(const emulator::PePlace& place) const;
};

/// Follows the events of the run, chip by chip. Places in the answer have the recording's numbers of runs. `most_work`
/// is a number of lines that the reference engine executes in one PE, each some 0.2 us; other work counts as much as
/// takes the same time.
[[nodiscard]] FollowedEvents followed_events(const Recording& recording, const KernelWords& words,
                                             const CountedRun& run, std::uint64_t most_work);

}  // namespace gdr::hostlib
