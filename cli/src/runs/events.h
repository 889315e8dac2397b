// Tells the events of a run, of floating point and of conversions, its faults, and where they happened.
#pragma once

#include <cstdio>
#include <optional>

#include "command/command.h"
#include "gdr/debugger/events_json.h"
#include "gdr/hostlib/device.h"

namespace gdr::cli {

/// Nothing if it is not known which events were taken.
using TakenEvents = std::optional<debugger::Debugger::TakenEvents>;

using debugger::events_json;

/// Prints the events as text, those of conversions too, without those that were not taken; prints nothing if there was
/// none.
void print_events(std::FILE* out, const Device& device, const TakenEvents& taken = {});

}  // namespace gdr::cli
