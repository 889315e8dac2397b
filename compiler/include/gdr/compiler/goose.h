// Loops over pairs in C and C++ programs that a goose pragma marks: the program with calls of the board in their place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

struct GooseOptions {
  CompileOptions compile;
  std::vector<std::string> host{};  // further arguments for the host's compiler, such as -O3, -lm or other files
};

/// One loop: its kernel, and where it stood.
struct GooseKernel {
  CompileResult compiled;
  unsigned line = 0;  // of the pragma
};

struct GooseResult {
  std::string source;                   // the program for the host's compiler; empty if there are errors
  std::vector<GooseKernel> kernels;     // in the order of the file
  std::vector<Diagnostic> diagnostics;  // errors, in the order of the file
  std::string clang;                    // what clang said
};

/// What the host's compiler did.
struct HostBuild {
  bool done = false;
  std::string messages;
};

/// Whether the library that reads C and C++ programs is there.
[[nodiscard]] bool goose_available();

/// Whether a file of this name may hold marked loops: .c, .cc, .cpp or .cxx.
[[nodiscard]] bool is_program(std::string_view name);

/// Compiles the marked loops of a C or C++ file. A file without any is an error. Throws gdr::Error if the file cannot
/// be read, clang is not found, or a library is missing.
[[nodiscard]] GooseResult compile_goose(const std::filesystem::path& path, const GooseOptions& options = {});

/// Has the host's compiler (CC or CXX in the environment, else cc or c++) make `output` of the program that `path` has
/// become: an object file if its name ends in .o, else an executable linked with libgdr. Throws gdr::Error if the
/// compiler cannot be run.
[[nodiscard]] HostBuild build_goose(const GooseResult& result, const std::filesystem::path& path,
                                    const std::filesystem::path& output, const GooseOptions& options = {});

/// As format_diagnostics() of a kernel.
[[nodiscard]] std::string format_diagnostics(const GooseResult& result);

}  // namespace gdr::compiler
