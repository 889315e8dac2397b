// The one function of the library gdr_goose, which alone knows clang's syntax trees.
#pragma once

#include "goose/goose_loop.h"

#define GDR_GOOSE_FUNCTION gdr_goose_1

namespace gdr::compiler {

/// Finds the loops that goose pragmas mark. What cannot be compiled is told in GooseUnit::errors; nothing is thrown.
extern "C" __attribute__((visibility("default"))) void GDR_GOOSE_FUNCTION(const GooseRequest& request, GooseUnit& unit);

}  // namespace gdr::compiler
