// The two halves of a compilation: reading a pair function, and making a kernel from it.
#pragma once

#include <filesystem>
#include <string>

#include "gdr/compiler/compiler.h"
#include "pair/pair_function.h"

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

}  // namespace gdr::compiler
