// What a device did, in the fields that reports of runs share.
#pragma once

#include "gdr/base/json.h"
#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

/// The field `counters`. Events are null for an engine that computes no results.
[[nodiscard]] base::Json counters_json(const emulator::Counters& counters, bool computes);
/// Adds the fields `kernel_sha256` and `machine_sha256`, which distinguish files of the same name.
void add_digests(base::Json& report, const isa::Program& program, const emulator::MachineDescription& machine);
/// Adds digests, emulated seconds, Gflops, clocks and counters of a device.
void add_device_results(base::Json& report, const Device& device);

}  // namespace gdr::hostlib
