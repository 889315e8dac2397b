// Disassembles a program: makes source from it.
#pragma once

#include <string>

#include "gdr/isa/program.h"

namespace gdr::assembler {

/// Source text with raw register addresses. If `program` came from the assembler, the text assembles to the same words,
/// variables and parameters. Views, names of registers and source positions are not in the text.
[[nodiscard]] std::string disassemble(const isa::Program& program);

/// The same in a form to be read and changed: names of variables replace their register addresses. The warnings that
/// these words cause were already reported when the program was assembled, so an `# allow` comment after the kernel's
/// name turns them off.
[[nodiscard]] std::string disassemble_with_names(const isa::Program& program);

}  // namespace gdr::assembler
