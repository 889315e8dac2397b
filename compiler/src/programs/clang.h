// Runs the program clang, which compiles C++ to bitcode.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gdr::compiler {

struct ClangOutput {
  std::string bitcode;   // empty if clang reports errors
  std::string messages;  // as it prints them
};

/// The folder that contains gdr/kernel.h. Throws gdr::Error if it is not found.
[[nodiscard]] std::string kernel_headers();

/// Compiles `source`. Throws gdr::Error if clang cannot be run.
[[nodiscard]] ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments);

/// The same for the text of a source of this name, whose file cannot be read again.
[[nodiscard]] ClangOutput run_clang_on(const std::string& text, const std::string& name,
                                       const std::vector<std::string>& arguments);

/// The same for the language that `arguments` select (-xc, -xc++). `name` is the file's name in gdr::Error.
[[nodiscard]] ClangOutput run_clang_as(const std::filesystem::path& source, const std::vector<std::string>& arguments,
                                       const std::string& name);

}  // namespace gdr::compiler
