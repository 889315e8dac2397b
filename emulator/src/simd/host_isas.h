// The use of compiled loop bodies on this host.
#pragma once

#include "gdr/emulator/host_isa.h"

namespace gdr::emulator::simd {

/// What the environment variable GDR_JIT asks for: `auto`, `on` or `off`. Throws Error for anything else.
[[nodiscard]] JitUse default_jit_use();

}  // namespace gdr::emulator::simd
