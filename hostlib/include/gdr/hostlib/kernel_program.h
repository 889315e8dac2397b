// Programs of the kernels that come with gdr, for libraries that need one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// Names of the kernels that come with gdr, in alphabetical order.
[[nodiscard]] std::vector<std::string> kernel_names();

/// The name of a kernel that comes with gdr, without .vsm if that is behind it.
[[nodiscard]] std::string_view kernel_name(std::string_view name);

/// Assembles kernels/NAME.vsm from the first data directory that has it (base::data_directories()). `definitions` has
/// the same effect as -D on the command line. Throws gdr::Error if no directory has the file, with the known names
/// and the most similar one, or with the diagnostics if it does not assemble.
[[nodiscard]] isa::Program kernel_program(std::string_view name,
                                          const std::map<std::string, std::string>& definitions = {});

/// Thrown for a name that no kernel has.
class NoKernel : public Error {
 public:
  using Error::Error;
};
/// The file of a kernel's source: the file itself, or for a name such as `gravity`, `gravity.vsm` or
/// `kernels/cc/gravity.cc` that is no file here one that comes with gdr. Throws NoKernel for a folder and for a name
/// without extension that no kernel has, and gdr::Error for a file that is not there; the messages have the most
/// similar names.
[[nodiscard]] std::string kernel_file(const std::string& file_or_name);

}  // namespace gdr::hostlib
