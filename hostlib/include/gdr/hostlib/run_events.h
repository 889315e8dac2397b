// Floating-point events of a device as all faces of gdr report them: of pairs that exist, and on the paths that a
// result takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/emulator/conversion.h"
#include "gdr/emulator/events.h"

namespace gdr {

class Device;
namespace emulator {
class Fault;
}

/// Events since a program was loaded. An engine counts every event. A compiled function computes both sides of its
/// conditions, and blocks without a j-record compute on zeros, so right programs have events whose values no result
/// takes. A device that follows events (Device::follow_events()) leaves these out.
struct RunEvents {
  emulator::FpEvents counts;                       // of PEs and junctions, without `untaken`
  emulator::FpEvents untaken;                      // of PEs: no result took a value that depends on them
  emulator::FpEvents unfollowed;                   // those of `counts` of which this is not known
  std::string_view why;                            // they are not known: "the run is too large"
  std::vector<emulator::PlacedEvent> first;        // in PEs, at most kKeptEvents
  std::vector<emulator::PlacedEvent> of_last_run;  // the first of the last call of run(), if events are followed
};

namespace hostlib {

[[nodiscard]] bool any(const emulator::FpEvents& events);

/// What a device has counted, to tell later what came after.
struct EventTotals {
  emulator::ConversionEvents conversions;
  emulator::FpEvents counts;  // as in RunEvents
  emulator::FpEvents untaken;
  emulator::FpEvents unfollowed;
};
[[nodiscard]] EventTotals event_totals(const Device& device);

/// Conversion events, and floating-point events (Device::events()) since `before`, a text each: sums, then the first
/// ones with their places, which begin with two blanks. None if there were no events.
[[nodiscard]] std::vector<std::string> event_texts(const Device& device, const EventTotals& before = {});

/// The field `events` of a report: numbers of events by kind, the places of the first ones, and the fault that ended
/// the run, if there was one.
[[nodiscard]] base::Json events_json(const Device& device, const emulator::Fault* fault);

}  // namespace hostlib
}  // namespace gdr
