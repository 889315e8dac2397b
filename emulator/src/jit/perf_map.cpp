#include "perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "loop/code/body_function.h"

namespace gdr::emulator::jit {

bool is_on(const char* variable) {
  const std::string wanted = base::environment(variable);
  if (wanted.empty() || wanted == "off") return false;
  if (wanted == "on") return true;
  throw Error(fmt::format("{}: '{}' is refused: it must be on or off", variable, wanted));
}

void add_to_perf_map(const LoadedCode& code, const std::string& body) {
  const auto uniform = reinterpret_cast<std::uintptr_t>(code.uniform);
  const auto turns = reinterpret_cast<std::uintptr_t>(code.turns);
  const auto end = reinterpret_cast<std::uintptr_t>(code.end());
  // A function ends where the other one begins, or at the end of the code. last_turns() follows turns() and counts as
  // part of it.
  const auto line = [&](std::uintptr_t from, std::uintptr_t other, const char* what) {
    return fmt::format("{:x} {:x} {}: {}\n", from, (other > from ? std::min(other, end) : end) - from, body, what);
  };
  const std::string lines =
      line(uniform, turns, name_of(BodyFunction::uniform)) + line(turns, uniform, name_of(BodyFunction::turns));
  // Other users can write to /tmp, so neither a link nor another user's file is written to.
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  struct stat about{};
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid()) {
    [[maybe_unused]] const ssize_t written = write(file, lines.data(), lines.size());  // else perf shows addresses
  }
  close(file);
}

}  // namespace gdr::emulator::jit
