// The two halves of a compilation: reading a pair function, and making a kernel from it.
#pragma once

#include <filesystem>
#include <string>

#include "gdr/compiler/compiler.h"
#include "microcode/microcode.h"
#include "pair/pair_function.h"
#include "schedule/print.h"

namespace gdr::compiler {

/// A pair function with its numbers settled by settle_numbers(), or errors.
struct ReadFunction {
  Imported imported;
  std::string name;       // name of the file
  bool is_lsump = false;  // true if messages use the words of that language
  std::string clang;      // messages of clang
};

/// Throws as compile_file() does.
[[nodiscard]] ReadFunction read_function(const std::filesystem::path& path, const CompileOptions& options);

[[nodiscard]] CompileResult compile_function(const ReadFunction& function, const CompileOptions& options);

// What both kinds of kernels are compiled with: compile.cpp.

/// Schedules that are compared for a section.
[[nodiscard]] unsigned tries_of(unsigned effort, std::size_t operations);
void tell(CompileResult& result, const std::vector<Message>& errors);
void report_precision(const Microcode& code, CompileResult& result);
[[nodiscard]] std::string too_many(const Microcode& code, const Operations& section);
/// Source, lines and warnings of a kernel of this function.
void take(CompileResult& result, PrintedKernel printed);

/// Makes a kernel of experiments from their functions: compile_experiment.cpp.
void compile_experiment(const Imported& imported, const std::string& file, const CompileOptions& options,
                        CompileResult& result);

}  // namespace gdr::compiler
