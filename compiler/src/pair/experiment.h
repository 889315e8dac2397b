// Experiments: what `begin`, `step`, `done` and `end` must have done for each other, and which of their words are one.
#pragma once

#include "pair_function.h"

namespace gdr::compiler {

/// Appends an error for a word of the state that is read but has no value yet, and for a result that has none.
void check_words(Imported& experiment);

/// A result that is a copy of a field of the state takes that field's words: steps then work on the result itself,
/// which saves local memory and the copy.
void share_words(Imported& experiment);

}  // namespace gdr::compiler
