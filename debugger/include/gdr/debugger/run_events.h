// The events of a run and its fault, with their places, as a field of a report.
#pragma once

#include <optional>

#include "gdr/base/json.h"
#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// The field `events`: numbers of events by kind, the places of the first ones, and the fault that ended the run, if
/// there was one. `taken` is nothing if it is not known which events' values a result took.
[[nodiscard]] base::Json events_json(const Device& device, const emulator::Fault* fault,
                                     const std::optional<Debugger::TakenEvents>& taken);

}  // namespace gdr::debugger
