// What is made of the shape of a program's commands beside their help: manual pages, and scripts for shells. It always
// matches the program.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/commandline/command_line.h"

namespace gdr::commandline {

/// Names of things that come with a program, by the option or argument that takes them: "--machine", "kernel". A file
/// may stand in place of most. What throws gdr::Error has none.
using KnownNames = std::map<std::string, std::function<std::vector<std::string>()>, std::less<>>;

/// A script with which `shell` (bash, zsh or fish) completes commands, options and values.
[[nodiscard]] std::string completion_script(std::string_view shell, const CommandShape& program,
                                            const KnownNames& known);

/// Writes the pages of the program and of all its commands, as gdr.1, gdr-net.1 and gdr-net-map.1, into this folder,
/// which is made if it is not there. `end` is roff for the program's page. The date is that of the environment variable
/// SOURCE_DATE_EPOCH, else today. Throws gdr::Error.
void write_manual(const Program& program, const CommandShape& shape, std::string_view end,
                  const std::filesystem::path& folder);

}  // namespace gdr::commandline
