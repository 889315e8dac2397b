// Generates the host interface of a kernel: a C header, its source, and a Fortran module.
#pragma once

#include <string>

#include "gdr/isa/program.h"

namespace gdr::assembler {

/// Texts of the files NAME_grape.h, NAME_grape.c and NAME_grape.f90 for a kernel called NAME.
struct Stubs {
  std::string header;   // C99, usable from C++: structs and prototypes
  std::string source;   // C99: the object file as an array of bytes, and calls to gdr/hostlib/runtime.h
  std::string fortran;  // module NAME_grape, which uses iso_c_binding
};

/// Makes the files for `program`. A record has one 8-byte field for each element of a variable, in declaration order: a
/// double for floating-point conversions, a 64-bit integer for the others. A kernel without i-data, j-data or results
/// has no struct and no functions for them.
[[nodiscard]] Stubs generate_stubs(const isa::Program& program);

}  // namespace gdr::assembler
