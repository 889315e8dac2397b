// The events of a run and its fault, with their places: which of them matter, as texts, and as a field of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// Which events of the run that `job` describes a result took. Nothing if there were none on `device`, which has run it
/// with exact results, or if the run is too long to follow all values through it.
[[nodiscard]] std::optional<Debugger::TakenEvents> taken_events_of(const Device& device, Job job);

/// hostlib::event_texts() without the events that no result took, as far as that is known.
[[nodiscard]] std::vector<std::string> event_texts(const Device& device,
                                                   const std::optional<Debugger::TakenEvents>& taken);

/// The field `events`: numbers of events by kind, the places of the first ones, and the fault that ended the run, if
/// there was one. `taken` is nothing if it is not known which events' values a result took.
[[nodiscard]] base::Json events_json(const Device& device, const emulator::Fault* fault,
                                     const std::optional<Debugger::TakenEvents>& taken);

}  // namespace gdr::debugger
