// Explains an operation in text, from the tables of the isa component.
#pragma once

#include <string>

#include "gdr/isa/isa.h"

namespace gdr::assembler {

/// Description of the operation in Markdown: form, meaning, unit and latencies.
[[nodiscard]] std::string explain(isa::Op operation);

}  // namespace gdr::assembler
