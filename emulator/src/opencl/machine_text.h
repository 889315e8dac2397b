#pragma once

namespace gdr::emulator::opencl {

/// What host and device hand to each other.
extern const char* const kMachineTypes;
/// Text of the machine's kernels, without the names that machine_source() defines, and without these types.
extern const char* const kMachineText;

}  // namespace gdr::emulator::opencl
