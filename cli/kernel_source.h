// Kernels from C++: the options of the compiler, and its outcome assembled.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::cli {

/// Options of `gdr cc` that choose how a pair function is compiled.
struct CompileArguments {
  std::uint64_t effort = 2;
  std::uint64_t seed = 1;
  std::string function;
  std::vector<std::string> definitions;
  std::vector<std::string> include_directories;

  void add_to(Command command);
  [[nodiscard]] compiler::CompileOptions options() const;
};

struct CompiledKernel {
  compiler::CompileResult compiled;
  assembler::AssembleResult assembled;  // without a program if either reports errors
};

/// What is wanted of a kernel: a program, or source to be read, whose lines are those that the compiler wrote.
enum class Wanted : std::uint8_t { program, source };

/// Compiles and assembles; diagnostics go to standard error. Throws gdr::Error as compiler::compile_file().
[[nodiscard]] CompiledKernel compile_kernel(const std::string& path, const compiler::CompileOptions& options = {},
                                            Wanted wanted = Wanted::program);

/// A kernel from C++ as it is run, and which words of its results hold a number besides a key.
struct RunnableKernel {
  isa::Program program;
  std::vector<std::string> sources;
  std::vector<compiler::NumberedResult> numbered;
};

/// The same as compile_kernel(), but throws gdr::Error if there is no program.
[[nodiscard]] RunnableKernel load_compiled(const std::string& path);

}  // namespace gdr::cli
