#include "process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "gdr/base/error.h"
#include "gdr/base/memory_file.h"

namespace gdr::compiler {

MemoryFile::MemoryFile(const char* name, std::string_view content) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw Error("a file in memory cannot be made: " + base::memory_file_reason(errno));
  while (!content.empty()) {
    const ssize_t done = write(descriptor_, content.data(), content.size());
    if (done < 0) {
      const int why = errno;
      close(descriptor_);
      throw Error("a file in memory cannot be written: " + base::memory_file_reason(why));
    }
    content.remove_prefix(static_cast<std::size_t>(done));
  }
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::string MemoryFile::content() const {
  std::string all;
  std::array<char, 65536> part{};
  ssize_t got = 0;
  for (off_t at = 0; (got = pread(descriptor_, part.data(), part.size(), at)) > 0; at += got) {
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

std::filesystem::path MemoryFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

std::vector<std::string> c_arguments() {
  return {"-xc", "-std=gnu17", "-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration"};
}

std::string file_argument(const std::filesystem::path& path) {
  const std::string& name = path.native();
  return name.starts_with('@') || name.starts_with('-') ? "./" + name : name;
}

std::string folder_argument(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? "." : file_argument(folder);
}

std::vector<std::string> language_arguments(const std::vector<std::string>& host) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < host.size(); ++at) {
    const std::string& argument = host[at];
    if (argument.starts_with("-D") || argument.starts_with("-I") || argument.starts_with("-U") ||
        argument.starts_with("-std=")) {
      found.push_back(argument);
      constexpr std::size_t kName = 2;
      if (argument.size() == kName && at + 1 < host.size()) found.push_back(host[++at]);
    }
  }
  return found;
}

int run_program(const std::vector<std::string>& command, const MemoryFile& out, const MemoryFile& messages) {
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
  if (failed != 0) return kNoProgram;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return kNoProgram;
  }
  if (WIFSIGNALED(status)) {
    throw Error(fmt::format("{} was ended by signal {} ({}), before it could say anything about the source",
                            command.front(), WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  return WEXITSTATUS(status);
}

}  // namespace gdr::compiler
