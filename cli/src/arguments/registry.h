// What the program knows of its commands beside what CLI11's App holds.
#pragma once

#include <map>
#include <string>

#include "command_line.h"

namespace gdr::cli {

struct Registry {
  /// Old names of a command's options, with what they are called now: --out, --output.
  std::map<const CLI::App*, std::map<std::string, std::string>> old_names;
};

}  // namespace gdr::cli
