// Explains an operation in text, from the tables of the isa component, and what else has a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/isa/isa.h"

namespace gdr::assembler {

/// Description of the operation in Markdown: form, meaning, unit and latencies.
[[nodiscard]] std::string explain(isa::Op operation);

/// All names that an explain() has a text for: numbers such as E0123, warnings, operations.
[[nodiscard]] std::vector<std::string> explained_names();
/// The text of one of these names; of a number also without its letter or zeros. Throws gdr::Error with the nearest
/// name if there is none.
[[nodiscard]] std::string explain(std::string_view name);
/// All diagnostics in a line each, and the other names.
[[nodiscard]] std::string list_of_explained();
/// The page docs/kernels/diagnostics.md: the texts of all diagnostics.
[[nodiscard]] std::string page_of_diagnostics();

}  // namespace gdr::assembler
