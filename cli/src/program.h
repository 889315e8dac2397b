// The program gdr, as its command line and its manual pages name it.
#pragma once

#include "gdr/commandline/command_line.h"

namespace gdr::cli {

extern const commandline::Program kProgram;

}  // namespace gdr::cli
