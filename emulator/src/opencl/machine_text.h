#pragma once

namespace gdr::emulator::opencl {

/// The types that host and device exchange.
extern const char* const kMachineTypes;
/// Text of the machine's kernels, without the definitions of machine_source() and without these types.
extern const char* const kMachineText;

}  // namespace gdr::emulator::opencl
