// Options of all commands that assemble or compile a source.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/commandline/terminal.h"

namespace gdr::cli {

/// Adds -D and -I, which apply to sources in assembly and in C++.
void add_preprocessor_options(Command command, std::vector<std::string>& definitions,
                              std::vector<std::string>& include_directories);

/// Options that choose how a pair function is compiled.
struct CompileChoices {
  std::uint64_t effort = 2;
  std::uint64_t seed = 1;
  bool fast = false;
  std::string function;

  /// `with_seed`: with --seed, which means something else for some commands.
  void add_to(Command command, bool with_seed = true);
  /// Throws UsageError if any of these options was given: `kernel` is not compiled.
  void refuse_for(const std::string& kernel) const;
  friend bool operator==(const CompileChoices&, const CompileChoices&) = default;
};

using ShowDiagnostics = std::function<void(const std::string& diagnostics)>;

struct AssembleArguments {
  std::vector<std::string> definitions;
  std::vector<std::string> warnings;
  std::vector<std::string> include_directories;
  bool directories_are_shared = false;  // by several kernels, some of which include nothing
  bool compat_il = false;
  std::string schedule;  // empty: lines as written
  bool pipeline = false;
  CompileChoices compile{};  // for commands that take sources of both kinds
  ShowDiagnostics show = commandline::print_diagnostics;

  void add_to(Command command);
  /// Adds also the options for kernels in C++.
  void add_with_compile_options(Command command);
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
