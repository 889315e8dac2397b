// The program clang, from C++ to bitcode.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gdr::compiler {

struct ClangOutput {
  std::string bitcode;   // empty if clang reports errors
  std::string messages;  // as it prints them
};

/// Throws gdr::Error if clang cannot be run.
[[nodiscard]] ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments);

}  // namespace gdr::compiler
