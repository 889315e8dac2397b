// What the records say of an operation, for people.
#pragma once

#include <string>

#include "gdr/isa/isa.h"

namespace gdr::assembler {

/// Form, meaning, unit and latencies in Markdown.
[[nodiscard]] std::string explain(isa::Op operation);

}  // namespace gdr::assembler
