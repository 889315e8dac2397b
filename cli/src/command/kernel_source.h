// Loads kernels from files: assembly, C++ with the options of its compiler, or object files.
#pragma once

#include <string>
#include <vector>

#include "assemble_arguments.h"
#include "command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"

namespace gdr::cli {

/// Options of `gdr cc` that choose how a pair function is compiled.
struct CompileArguments : CompileChoices {
  std::vector<std::string> definitions;
  std::vector<std::string> include_directories;

  void add_to(Command command);
  [[nodiscard]] compiler::CompileOptions options() const;
};

struct CompiledKernel {
  compiler::CompileResult compiled;
  assembler::AssembleResult assembled;  // without a program if the compiler or the assembler reports errors
};

/// The purpose of a compiled kernel: a program, or source to be read, with the lines as the compiler wrote them.
enum class Wanted : std::uint8_t { program, source };

/// Compiles and assembles; diagnostics go to `show`. Throws gdr::Error as compiler::compile_file() does.
[[nodiscard]] CompiledKernel compile_kernel(const std::string& path, const compiler::CompileOptions& options = {},
                                            Wanted wanted = Wanted::program,
                                            const ShowDiagnostics& show = commandline::print_diagnostics);

/// A program with the texts of its source files. For an object file they may be missing; the text of a file that cannot
/// be read is empty.
struct LoadedKernel {
  isa::Program program;
  std::vector<assembler::SourceFile> files;

  [[nodiscard]] std::vector<std::string> texts() const;
};

/// How load_kernel_file() compiles the kernel, for reports; null if it does not.
[[nodiscard]] Json compiled_json(const std::string& file, const AssembleArguments& arguments);

/// hostlib::kernel_file(); throws UsageError for a name that no kernel has.
[[nodiscard]] std::string kernel_path(const std::string& file_or_name);

/// Throws gdr::Error for an object file, whose bytes are no text of a source.
void require_source(const std::string& path);

/// A check for the name of one of these kernels, with .vsm behind it or not.
[[nodiscard]] Check kernel_named(const std::vector<std::string>& allowed);

/// Help text for an argument that load_kernel_file() reads.
inline constexpr const char* kKernelFile =
    "a source (.vsm, or C++: .cc), an object file (.gdro), or the name of a kernel that comes with gdr";

/// The kernel of a source (.vsm, assembled; C++, compiled and assembled; diagnostics to `arguments.show`), of an object
/// file (.gdro), or one that comes with gdr by its name. Throws gdr::Error, and UsageError for arguments that have no
/// effect on it.
[[nodiscard]] LoadedKernel load_kernel_file(const std::string& file, const AssembleArguments& arguments = {});

}  // namespace gdr::cli
