// The help of a command: grouped, and wrapped to the width of the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "gdr/commandline/command_line.h"

namespace gdr::commandline {

struct HelpLook {
  std::size_t columns = 80;
  bool coloured = false;
};

/// `path` has the names of the command and of the commands around it: `gdr net summa`. Ends with a line feed.
[[nodiscard]] std::string help_text(const CommandShape& command, const std::string& path, const HelpLook& look);

/// The same of all commands within it; of those in groups, only the groups.
[[nodiscard]] std::string help_text_of_all(const CommandShape& command, const std::string& path, const HelpLook& look);

}  // namespace gdr::commandline
