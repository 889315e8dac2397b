// The interface of the generated field tables to the rest of the component.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Decodes a word and checks reserved bits and the codes of single fields; decode() checks fields against each other.
[[nodiscard]] DecodeResult decode_fields(const InstructionWord& word);

}  // namespace gdr::isa
