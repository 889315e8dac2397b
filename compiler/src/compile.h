// The two halves of a compilation: a pair function as it is read, and the kernel that is made of it.
#pragma once

#include <filesystem>
#include <string>

#include "gdr/compiler/compiler.h"
#include "pair_function.h"

namespace gdr::compiler {

/// A pair function with its numbers settled, or errors.
struct ReadFunction {
  Imported imported;
  std::string name;       // of the file
  bool is_lsump = false;  // messages are in that language's words
  std::string clang;      // what clang said
};

/// Throws as compile_file().
[[nodiscard]] ReadFunction read_function(const std::filesystem::path& path, const CompileOptions& options);

[[nodiscard]] CompileResult compile_function(const ReadFunction& function, const CompileOptions& options);

}  // namespace gdr::compiler
