// Macros of a source, and the arguments of their uses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expand.h"
#include "file_lines.h"

namespace gdr::assembler {

struct Macro {
  std::vector<std::string> parameters;
  BlockLines body;
  Place where;
};

using Macros = std::map<std::string, Macro, std::less<>>;

/// Adds the macro that stands below `head`, or reports why its name cannot be one.
void define_macro(Macros& macros, const MacroStatement& macro, BlockLines body, const ExpandedStatement& head,
                  Reporter& reporter);

/// The arguments of a use in the order of the parameters: first by position, then as PARAMETER=TEXT. Nothing if they
/// do not match; the error is then reported.
[[nodiscard]] std::optional<std::vector<std::string>> arguments_of(const std::string& name, const Macro& macro,
                                                                   const ExpandedStatement& use, Reporter& reporter);

}  // namespace gdr::assembler
