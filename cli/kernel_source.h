// Kernels from their files: assembly, C++ with the options of its compiler, object files.
#pragma once

#include <string>
#include <vector>

#include "assemble_arguments.h"
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

/// A program with the texts of its source files, of which an object file's may be lost: empty where one cannot be read.
struct LoadedKernel {
  isa::Program program;
  std::vector<assembler::SourceFile> files;
  std::vector<compiler::NumberedResult> numbered;  // of a kernel from C++: what holds a number besides a key

  [[nodiscard]] std::vector<std::string> texts() const;
};

/// What help says of an argument that load_kernel_file() reads.
inline constexpr const char* kKernelFile =
    "a source (.vsm, or C++: .cc), an object file (.gdro), or the name of a kernel that comes with gdr";

/// The kernel of a source (.vsm, assembled; C++, compiled and assembled; diagnostics on standard error), of an object
/// file (.gdro), or one of ours by its name. Throws gdr::Error, and UsageError for arguments that have no effect on it.
[[nodiscard]] LoadedKernel load_kernel_file(const std::string& file, const AssembleArguments& arguments = {});

}  // namespace gdr::cli
