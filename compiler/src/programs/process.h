// Runs other programs, with files in memory that they read and write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::compiler {

/// A file in memory that child processes read and write. Throws gdr::Error if there is no memory for it.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name, std::string_view content = {});
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string content() const;
  /// A path that any process of this user can open.
  [[nodiscard]] std::filesystem::path path() const;

 private:
  int descriptor_;
};

/// The folder of a file as an argument of a compiler; `.` if the path names none.
[[nodiscard]] std::string folder_argument(const std::filesystem::path& path);

/// Those of the arguments for the host's compiler that the compiler of the board's loops needs, too: definitions,
/// folders of headers and the standard of the language, also where the value is an argument of its own.
[[nodiscard]] std::vector<std::string> language_arguments(const std::vector<std::string>& host);

/// Arguments of clang for a C program: also for one from before C99, in which the host's compiler only warns of
/// functions without a type or a declaration.
[[nodiscard]] std::vector<std::string> c_arguments();

/// The name of a file as an argument of a compiler, which takes what begins with @ for a file of arguments and what
/// begins with - for an option, and would load a plug-in that these name.
[[nodiscard]] std::string file_argument(const std::filesystem::path& path);

inline constexpr int kNoProgram = 127;

/// Runs a program found on PATH and returns its exit status; kNoProgram if it is not there. Its standard input is
/// empty. Throws gdr::Error if a signal ends it.
[[nodiscard]] int run_program(const std::vector<std::string>& command, const MemoryFile& out,
                              const MemoryFile& messages);

}  // namespace gdr::compiler
