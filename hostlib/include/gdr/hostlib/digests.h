// What reports and outputs call the kernel and the machine that made them, beside their names, which say nothing of
// what stands in the files.
#pragma once

#include <string>

#include "gdr/emulator/machine.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// SHA-256 of a kernel's assembly text as the disassembler writes it, 64 hex digits: the same for the source, its
/// object file and sources that differ in comments alone.
[[nodiscard]] std::string kernel_digest(const isa::Program& program);
/// SHA-256 of all parameters of the description as its file gives them, 64 hex digits. A clock that was set beside the
/// file is not in it.
[[nodiscard]] std::string machine_digest(const emulator::MachineDescription& machine);

}  // namespace gdr::hostlib
