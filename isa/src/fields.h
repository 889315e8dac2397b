// What the generated field tables offer to the rest of the component.
#pragma once

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Checks reserved bits and the codes of single fields; what fields mean together is decode()'s part.
[[nodiscard]] DecodeResult decode_fields(const InstructionWord& word);

}  // namespace gdr::isa
