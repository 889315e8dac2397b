// Which of the compiled kernels run on this host.
#pragma once

#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::simd {

/// The fastest, or the one that the environment names. Throws Error if it names one that this host cannot run.
[[nodiscard]] HostIsa default_host_isa();

/// What the environment variable GDR_JIT asks for: `auto`, `on` or `off`. Throws Error for anything else.
[[nodiscard]] JitUse default_jit_use();

/// Throws Error, on behalf of `caller`, if the host lacks it.
void require_host_isa(const char* caller, HostIsa isa);

}  // namespace gdr::emulator::simd
