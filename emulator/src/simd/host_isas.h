// Which of the compiled kernels run on this host.
#pragma once

#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::simd {

/// The fastest, or the one that the environment names. Throws Error if it names one that this host cannot run.
[[nodiscard]] HostIsa default_host_isa();

/// Throws Error, on behalf of `caller`, if the host lacks it.
void require_host_isa(const char* caller, HostIsa isa);

}  // namespace gdr::emulator::simd
