// Whether a function for the end gives what it says. It runs in each block, before blocks and chips are reduced, so it
// has to commute with the reduction of every result that it changes.
#pragma once

#include <span>
#include <vector>

#include "microcode.h"
#include "pair/pair_function.h"

namespace gdr::compiler {

/// Reports changes at the end that do not commute: of a sum everything but a multiple by factors that are free of
/// results, of a minimum or maximum everything but what grows with it, of a bit by bit reduction every change.
/// `reductions` are those of the words of the result record, in order. A result of the end's own, which the loop does
/// not change, gets the reduction of what it is made of.
void check_ending(const PairFunction& finish, std::span<Reduction> reductions, std::vector<Message>& errors);

}  // namespace gdr::compiler
