// Finds why each operation of a loop body cannot be on an earlier line.
#pragma once

#include <string>
#include <vector>

#include "encode/code.h"
#include "gdr/assembler/analysis.h"

namespace gdr::assembler {

[[nodiscard]] std::string name_of_operation(const CodeLine& line, isa::Unit unit);

/// Fills LineUse::operations and Analysis::dependences of `analysis`, whose body must have the same number of lines.
void find_holds(const std::vector<CodeLine>& body, unsigned record_words, Analysis& analysis);

}  // namespace gdr::assembler
