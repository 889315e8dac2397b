// Mistakes on the command line, found by names before CLI11 parses it: CLI11 would say what is missing before it says
// what is wrong, and would not say what was meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gdr/commandline/command_line.h"

namespace gdr::commandline {

/// A command line as CLI11 is to parse it.
struct ReadWords {
  std::vector<std::string> words;    // with the names that options have now
  std::vector<std::string> notes;    // on old names
  const CLI::App* command;           // the innermost that the words name
  std::optional<std::string> wrong;  // the first mistake
};

/// Follows the words behind the program's name through commands and options. Finds unknown commands, options and
/// arguments, options without their value, and options given twice. With a request for help among the words there is no
/// mistake but an unknown command.
[[nodiscard]] ReadWords read_words(const CLI::App& program, const Registry& registry,
                                   const std::vector<std::string>& words);

/// What is missing, if CLI11 refused a command line without another mistake because of that; else an empty text.
[[nodiscard]] std::string what_is_missing(const CLI::App& command);

/// The names of a command and of those around it: "gdr net map".
[[nodiscard]] std::string path_of(const CLI::App& command);

}  // namespace gdr::commandline
