// From a program back to source.
#pragma once

#include <string>

#include "gdr/isa/program.h"

namespace gdr::assembler {

/// Source text, with raw registers, that assembles to the same words, variables and parameters, if `program` came from
/// the assembler. Views, names of registers and places in the source are not in the text.
[[nodiscard]] std::string disassemble(const isa::Program& program);

}  // namespace gdr::assembler
