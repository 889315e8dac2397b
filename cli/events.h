// What a run met in the machine: floating-point events and faults, and where.
#pragma once

#include <cstdio>

#include "command.h"
#include "gdr/hostlib/device.h"

namespace gdr::cli {

/// Numbers of events by kind, the first of them with their places, and the fault that ended the run, if one did.
[[nodiscard]] Json events_json(const Device& device, const emulator::Fault* fault = nullptr);
/// The same in words; nothing if nothing happened.
void print_events(std::FILE* out, const Device& device);

}  // namespace gdr::cli
