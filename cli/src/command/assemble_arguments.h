// Options of all commands that assemble a source.
#pragma once

#include <string>
#include <vector>

#include "arguments/command_line.h"
#include "gdr/assembler/assembler.h"

namespace gdr::cli {

/// Adds -D and -I, which apply to sources in assembly and in C++.
void add_preprocessor_options(Command command, std::vector<std::string>& definitions,
                              std::vector<std::string>& include_directories);

struct AssembleArguments {
  std::vector<std::string> definitions;
  std::vector<std::string> warnings;
  std::vector<std::string> include_directories;
  bool compat_il = false;
  std::string schedule;  // empty: lines as written
  bool pipeline = false;

  void add_to(Command command);
  /// Adds all options except those that choose how lines are packed.
  void add_source_options(Command command);
  /// Throws UsageError for an invalid definition or an unknown warning.
  [[nodiscard]] assembler::AssembleOptions options() const;
  /// Throws UsageError if options were given that only assembly has: a kernel in C++ takes definitions and include
  /// directories.
  void refuse_for_compiled(const std::string& source) const;
  /// Throws UsageError if any of these options was given: an object file is already assembled.
  void refuse_for_object(const std::string& object) const;
};

}  // namespace gdr::cli
