// Explains an operation in text, from the tables of the isa component.
#pragma once

#include <string>
#include <vector>

#include "gdr/isa/isa.h"

namespace gdr::assembler {

/// Description of the operation in Markdown: form, meaning, unit and latencies.
[[nodiscard]] std::string explain(isa::Op operation);

/// All names that an explain() has a text for: numbers such as E0123, warnings, operations.
[[nodiscard]] std::vector<std::string> explained_names();

}  // namespace gdr::assembler
