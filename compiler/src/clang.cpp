#include "clang.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "gdr/base/data_file.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::compiler {
namespace {

/// A file in memory that a child process writes to.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw Error(fmt::format("a file in memory cannot be made: {}", std::strerror(errno)));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string content() const {
    std::string all;
    std::array<char, 65536> part{};
    ssize_t got = 0;
    for (off_t at = 0; (got = pread(descriptor_, part.data(), part.size(), at)) > 0; at += got) {
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int descriptor_;
};

/// The exit status of a program found on PATH; 127 if it is not there.
int run(const std::vector<std::string>& command, const MemoryFile& out, const MemoryFile& messages) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Straight lines without vectors of the host: what clang does for a processor with wide registers is of no use here.
std::vector<std::string> options() {
  const std::string headers = base::data_file("kernels/cc/gdr/kernel.h").parent_path().parent_path().string();
  return {"-xc++",
          "-std=c++20",
          "-O2",
          "-g",
          "-fstandalone-debug",
          "-fno-exceptions",
          "-fno-math-errno",
          "-fno-signed-zeros",
          "-fno-honor-nans",
          "-ffp-contract=off",
          "-fno-vectorize",
          "-fno-slp-vectorize",
          "-fno-builtin-memset",
          "-mllvm",
          "-unroll-threshold=20000",
          "-mllvm",
          "-unroll-max-percent-threshold-boost=1000",
          "-mllvm",
          "-inline-threshold=5000",
          "-mllvm",
          "-simplifycfg-sink-common=false",  // stores of different results would become one through a pointer
          "-D__GDR__=1",
          "-I" + headers,
          "-fno-color-diagnostics",
          "-emit-llvm",
          "-c",
          "-o",
          "-"};
}

}  // namespace

ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments) {
  const std::string chosen = base::environment("GDR_CLANG");
  const std::vector<std::string> programs =
      chosen.empty() ? std::vector<std::string>{"clang++-19", GDR_CLANG_PROGRAM} : std::vector<std::string>{chosen};
  for (const std::string& program : programs) {
    std::vector<std::string> command{program};
    const std::vector<std::string> own = options();
    command.insert(command.end(), own.begin(), own.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(source.string());
    const MemoryFile bitcode("bitcode");
    const MemoryFile messages("messages");
    const int status = run(command, bitcode, messages);
    if (status == 127) continue;
    return {status == 0 ? bitcode.content() : std::string(), messages.content()};
  }
  throw Error(fmt::format(
      "{}: it takes clang 19 to compile C++, which is not found as {}: install it (clang-19), or name it in GDR_CLANG",
      source.string(), programs.front()));
}

}  // namespace gdr::compiler
