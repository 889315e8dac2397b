// Reports the events of a run, of floating point and of conversions, its faults, and where they happened.
#pragma once

#include <cstdio>
#include <optional>

#include "command/command.h"
#include "gdr/debugger/debugger.h"
#include "gdr/hostlib/device.h"

namespace gdr::cli {

/// Nothing if it is not known which events were taken.
using TakenEvents = std::optional<debugger::Debugger::TakenEvents>;

/// Numbers of events by kind, the places of the first ones, and the fault that ended the run, if there was one.
[[nodiscard]] Json events_json(const Device& device, const emulator::Fault* fault = nullptr,
                               const TakenEvents& taken = {});
/// Prints the events as text, those of conversions too, without those that were not taken; prints nothing if there was
/// none.
void print_events(std::FILE* out, const Device& device, const TakenEvents& taken = {});

}  // namespace gdr::cli
