// Digests that reports and outputs give for the kernel and the machine that made them. A name alone does not identify
// the content of a file.
#pragma once

#include <string>

#include "gdr/emulator/machine.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// SHA-256 of a kernel's assembly text as the disassembler writes it, 64 hex digits. The source, its object file and
/// sources that differ only in comments have the same digest.
[[nodiscard]] std::string kernel_digest(const isa::Program& program);
/// SHA-256 of all parameters of the description as its file gives them, 64 hex digits. A clock that was set elsewhere
/// (DeviceOptions::clock_mhz) does not change the digest.
[[nodiscard]] std::string machine_digest(const emulator::MachineDescription& machine);

}  // namespace gdr::hostlib
