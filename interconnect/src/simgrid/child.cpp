#include "simgrid/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// A file in memory that both processes have open: the child writes it, the parent reads it once the child has ended.
class SharedFile {
 public:
  explicit SharedFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw Error(fmt::format("no memory for the results of a simulation: {}", std::strerror(errno)));
  }
  ~SharedFile() { close(descriptor_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// False if not all of it could be written.
  [[nodiscard]] bool write_all(const void* data, std::size_t size) const {
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = write(descriptor_, next, size);
      if (written <= 0) return false;
      next += written;
      size -= static_cast<std::size_t>(written);
    }
    return true;
  }

  [[nodiscard]] std::string read_all() const {
    struct stat status{};
    if (fstat(descriptor_, &status) != 0) return {};
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < content.size()) {
      const ssize_t got = pread(descriptor_, content.data() + done, content.size() - done, static_cast<off_t>(done));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    content.resize(done);
    return content;
  }

 private:
  int descriptor_;
};

// What the first byte of the results says about the rest.
constexpr char kNumbers = 'n';
constexpr char kErrorText = 'e';

[[noreturn]] void run_child(const std::function<std::vector<double>()>& compute, const SharedFile& results,
                            const SharedFile& output) {
  constexpr int kNoResults = 1;
  // A parent that is gone wants no results.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output.descriptor(), STDOUT_FILENO);
  dup2(output.descriptor(), STDERR_FILENO);
  bool written = false;
  try {
    const std::vector<double> numbers = compute();
    written = results.write_all(&kNumbers, 1) && results.write_all(numbers.data(), numbers.size() * sizeof(double));
  } catch (const std::exception& error) {
    written = results.write_all(&kErrorText, 1) && results.write_all(error.what(), std::strlen(error.what()));
  }
  // Neither the parent's buffers are written again nor SimGrid's destructors run.
  _exit(written ? 0 : kNoResults);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "nothing was printed";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

/// The child's status, once it has ended.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(fmt::format("a simulation was lost: {}", std::strerror(errno)));
  }
  return status;
}

}  // namespace

std::vector<double> compute_in_child(std::string_view what, const std::function<std::vector<double>()>& compute) {
  const SharedFile results("gdr-results");
  const SharedFile output("gdr-output");
  const pid_t child = fork();
  if (child < 0) throw Error(fmt::format("{}: no process for it: {}", what, std::strerror(errno)));
  if (child == 0) run_child(compute, results, output);
  const int status = wait_for(child);
  const std::string content = results.read_all();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !content.empty()) {
    if (content[0] == kErrorText) throw Error(content.substr(1));
    std::vector<double> numbers((content.size() - 1) / sizeof(double));
    std::memcpy(numbers.data(), content.data() + 1, numbers.size() * sizeof(double));
    return numbers;
  }
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : fmt::format("status {}", WEXITSTATUS(status));
  throw Error(fmt::format("{}: SimGrid ended with {}: {}", what, how, last_line(output.read_all())));
}

}  // namespace gdr::interconnect
