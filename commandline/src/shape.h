// What CLI11 knows of a command, as help, completion and manual pages need it.
#pragma once

#include "gdr/commandline/command_line.h"

namespace gdr::commandline {

[[nodiscard]] CommandShape shape_of(const CLI::App& app);

}  // namespace gdr::commandline
