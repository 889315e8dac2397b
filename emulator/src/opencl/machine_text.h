#pragma once

namespace gdr::emulator::opencl {

/// Text of the machine's kernels, without the names that machine_source() defines.
extern const char* const kMachineText;

}  // namespace gdr::emulator::opencl
