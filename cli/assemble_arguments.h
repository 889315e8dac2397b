// Options of every command that assembles a source as its user asks.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "gdr/assembler/assembler.h"

namespace gdr::cli {

struct AssembleArguments {
  std::vector<std::string> definitions;
  std::vector<std::string> warnings;
  std::vector<std::string> include_directories;
  bool compat_il = false;
  std::string schedule;  // empty: lines as written
  bool pipeline = false;

  void add_to(Command command);
  /// Without those that choose how lines are packed.
  void add_source_options(Command command);
  /// Throws UsageError for a definition or warning that is none.
  [[nodiscard]] assembler::AssembleOptions options() const;
  /// Throws UsageError for those of assembly alone that were given: a kernel in C++ takes definitions and folders.
  void refuse_for_compiled(const std::string& source) const;
  /// Throws UsageError for those that were given: an object file is assembled already.
  void refuse_for_object(const std::string& object) const;
};

}  // namespace gdr::cli
