// Compiles C programs with directives of XcalableMP and OpenACC (XcalableACC) to MPI programs: arrays are distributed
// over ranks, loops are split, halos are exchanged. docs/networks/xacc.md describes the directives.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gdr/compiler/compiler.h"
#include "gdr/compiler/goose.h"

namespace gdr::compiler {

struct XaccOptions {
  CompileOptions compile;           // of loops for the board; its arguments for clang are the program's -D and -I
  std::vector<std::string> host{};  // further arguments for the host's compiler
};

struct XaccResult {
  std::string source;                   // the program for the host's compiler; empty if there are errors
  std::vector<GooseKernel> kernels;     // of loops for the board, in the order of the file
  std::vector<Diagnostic> diagnostics;  // errors, in the order of the file
  std::vector<Diagnostic> warnings;     // of loops for the board
  std::string clang;                    // messages of clang
};

/// True if the library that reads programs is available.
[[nodiscard]] bool xacc_available();

/// Puts calls of the runtime `libgdr_xmp` in place of the directives of a C file, and calls of the board in place of
/// loops that goose pragmas mark (goose.h). A file without directives is an error. Throws gdr::Error if the file cannot
/// be read or is no C file, MPI's compiler is not found, or a library is missing.
[[nodiscard]] XaccResult compile_xacc(const std::filesystem::path& path, const XaccOptions& options = {});

/// Runs MPI's compiler (MPICC in the environment, else mpicc) on the program. `output` is an object file if its name
/// ends in .o, else an executable linked with libgdr_xmp, and with libgdr if there are loops for the board. Throws
/// gdr::Error if the compiler cannot be run.
[[nodiscard]] HostBuild build_xacc(const XaccResult& result, const std::filesystem::path& path,
                                   const std::filesystem::path& output, const XaccOptions& options = {});

[[nodiscard]] std::string format_diagnostics(const XaccResult& result);

}  // namespace gdr::compiler
