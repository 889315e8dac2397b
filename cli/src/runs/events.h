// Reports the events of a run, of floating point and of conversions, its faults, and where they happened.
#pragma once

#include <cstdio>

#include "command/command.h"
#include "gdr/hostlib/device.h"

namespace gdr::cli {

/// Numbers of events by kind, the places of the first ones, and the fault that ended the run, if there was one.
[[nodiscard]] Json events_json(const Device& device, const emulator::Fault* fault = nullptr);
/// Prints the events as text, those of conversions too; prints nothing if there was none.
void print_events(std::FILE* out, const Device& device);

}  // namespace gdr::cli
