// Compiles loops over pairs that a goose pragma marks in C and C++ programs. Calls to the board replace them in the
// program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

struct GooseOptions {
  CompileOptions compile;
  std::vector<std::string> host{};  // further arguments for the host's compiler, such as -O3, -lm or more files
  std::string after_run{};          // lines of C behind each run of the board, whose loop is `gdr_goose_loop`
};

/// One marked loop: its kernel, and its place in the source.
struct GooseKernel {
  CompileResult compiled;
  unsigned line = 0;  // line of the pragma
};

struct GooseResult {
  std::string source;                   // the program for the host's compiler; empty if there are errors
  std::vector<GooseKernel> kernels;     // in the order of the file
  std::vector<Diagnostic> diagnostics;  // errors, in the order of the file
  std::vector<Diagnostic> warnings;     // likewise
  std::string clang;                    // messages of clang
};

/// Result of running the host's compiler.
struct HostBuild {
  bool done = false;
  std::string messages;
};

/// True if the library that reads C and C++ programs is available.
[[nodiscard]] bool goose_available();

/// True if a file of this name may contain marked loops: .c, .cc, .cpp or .cxx.
[[nodiscard]] bool is_program(std::string_view name);

/// Compiles the marked loops of a C or C++ file. A file without marked loops is an error. Throws gdr::Error if the file
/// cannot be read, clang is not found, or a library is missing.
[[nodiscard]] GooseResult compile_goose(const std::filesystem::path& path, const GooseOptions& options = {});

/// The same for the text of a file of this name.
[[nodiscard]] GooseResult compile_goose_text(const std::string& text, const std::string& file,
                                             const GooseOptions& options = {});

/// Runs the host's compiler (CC or CXX in the environment, else cc or c++) on the program made from `path`. `output` is
/// an object file if its name ends in .o, else an executable linked with libgdr. Throws gdr::Error if the compiler
/// cannot be run.
[[nodiscard]] HostBuild build_goose(const GooseResult& result, const std::filesystem::path& path,
                                    const std::filesystem::path& output, const GooseOptions& options = {});

/// The same format as format_diagnostics() of a kernel.
[[nodiscard]] std::string format_diagnostics(const GooseResult& result);

}  // namespace gdr::compiler
