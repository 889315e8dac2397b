// From a program back to source.
#pragma once

#include <string>

#include "gdr/isa/program.h"

namespace gdr::assembler {

/// Source text, with raw registers, that assembles to the same words, variables and parameters, if `program` came from
/// the assembler. Views, names of registers and places in the source are not in the text.
[[nodiscard]] std::string disassemble(const isa::Program& program);

/// The same to be read and changed: with the names of variables in place of their registers. Warnings of the words as
/// they are were told when the program was assembled; a comment `# allow` behind the kernel's name leaves them out.
[[nodiscard]] std::string disassemble_with_names(const isa::Program& program);

}  // namespace gdr::assembler
