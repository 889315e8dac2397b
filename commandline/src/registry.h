// What the program knows of its commands beside what CLI11's App holds.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "gdr/commandline/command_line.h"

namespace gdr::commandline {

struct Registry {
  const Program& program;
  /// Old names of a command's options, with what they are called now: --out, --output.
  std::map<const CLI::App*, std::map<std::string, std::string>> old_names = {};
  /// Old values of a command's options, with the flags that they are now: {--engine, timing}, --timing-only.
  std::map<const CLI::App*, std::map<std::pair<std::string, std::string>, std::string>> old_values = {};
};

}  // namespace gdr::commandline
