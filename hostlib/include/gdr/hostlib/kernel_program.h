// Programs of the kernels that come with gdr, for libraries that need one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// Names of the kernels that come with gdr, in alphabetical order.
[[nodiscard]] std::vector<std::string> kernel_names();

/// Assembles kernels/NAME.vsm from the first data directory that has it (base::data_directories()). `definitions` has
/// the same effect as -D on the command line. Throws gdr::Error if no directory has the file, with the known names
/// and the most similar one, or with the diagnostics if it does not assemble.
[[nodiscard]] isa::Program kernel_program(std::string_view name,
                                          const std::map<std::string, std::string>& definitions = {});

}  // namespace gdr::hostlib
