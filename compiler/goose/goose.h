// The one function of the library gdr_goose, which alone knows clang's syntax trees.
#pragma once

#include "../src/goose_loop.h"

namespace gdr::compiler {

/// Finds the loops that goose pragmas mark. What cannot be compiled is told in GooseUnit::errors; nothing is thrown.
using GooseFunction = void (*)(const GooseRequest& request, GooseUnit& unit);

}  // namespace gdr::compiler

#define GDR_GOOSE_FUNCTION "gdr_compiler_goose"
