// The kernels that gdr brings with it, for libraries that need one.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// Assembles kernels/NAME.vsm of the first data directory that has it (base::data_directories()), with `definitions` as
/// by -D. Throws gdr::Error if none has it, or with the diagnostics if it does not assemble.
[[nodiscard]] isa::Program kernel_program(std::string_view name,
                                          const std::map<std::string, std::string>& definitions = {});

}  // namespace gdr::hostlib
