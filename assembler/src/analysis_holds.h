// What keeps each operation of a loop body from an earlier line.
#pragma once

#include <string>
#include <vector>

#include "code.h"
#include "gdr/assembler/analysis.h"

namespace gdr::assembler {

[[nodiscard]] std::string name_of_operation(const CodeLine& line, isa::Unit unit);

/// Fills LineUse::operations and Analysis::dependences of `analysis`, whose body has as many lines.
void find_holds(const std::vector<CodeLine>& body, unsigned record_words, Analysis& analysis);

}  // namespace gdr::assembler
