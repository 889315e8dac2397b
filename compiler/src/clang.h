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

/// The folder with gdr/kernel.h. Throws gdr::Error if it is not found.
[[nodiscard]] std::string kernel_headers();

/// Throws gdr::Error if clang cannot be run.
[[nodiscard]] ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments);

/// The same of the language that `arguments` name (-xc, -xc++); `name` is that of the file in gdr::Error.
[[nodiscard]] ClangOutput run_clang_as(const std::filesystem::path& source, const std::vector<std::string>& arguments,
                                       const std::string& name);

}  // namespace gdr::compiler
