// Libraries of ours that are loaded when they are needed.
#pragma once

namespace gdr::emulator {

/// The library of this file name, beside the code that asks, as it is built or as it is installed; null if there is
/// none. It is never unloaded.
[[nodiscard]] void* load_plugin(const char* name);

}  // namespace gdr::emulator
