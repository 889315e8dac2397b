#include "child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "gdr/base/error.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

/// A way from the child to this process, which reads while the child works. Unlike a file in memory, it is not subject
/// to the user's limit on the size of files.
class Pipe {
 public:
  explicit Pipe(const char* what) {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0 || fcntl(ends_[0], F_SETFL, O_NONBLOCK) != 0) {
      throw Error(fmt::format("no pipe for {} of a process: {}", what, std::strerror(errno)));
    }
  }
  ~Pipe() {
    for (const int end : ends_) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int from() const { return ends_[0]; }
  [[nodiscard]] int into() const { return ends_[1]; }
  [[nodiscard]] const std::string& content() const { return content_; }

  /// False if not all of it could be written.
  [[nodiscard]] bool write_all(const void* data, std::size_t size) const {
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = write(into(), next, size);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      next += written;
      size -= static_cast<std::size_t>(written);
    }
    return true;
  }

  /// Takes what is there, without waiting for more.
  void take() {
    std::array<char, 65536> part;
    ssize_t got = 0;
    while ((got = read(from(), part.data(), part.size())) > 0 || (got < 0 && errno == EINTR)) {
      if (got > 0) content_.append(part.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  std::string content_;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

 private:
  int number_;
};

// The first byte of the results says what follows: the growth of the memory, a double, and what was computed, or why
// nothing was.
constexpr char kComputed = 'c';
constexpr char kErrorText = 'e';

/// Largest memory of this process so far.
double peak_memory_bytes() {
  constexpr double kKibi = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * kKibi;
}

[[noreturn]] void run_child(const std::function<std::string()>& compute, const Pipe& results, const Pipe& output) {
  constexpr int kNoResults = 1;
  // If the parent is gone, nobody wants results.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output.into(), STDOUT_FILENO);
  dup2(output.into(), STDERR_FILENO);
  bool written = false;
  try {
    const double memory_at_birth = peak_memory_bytes();
    const std::string computed = compute();
    const double memory = peak_memory_bytes() - memory_at_birth;
    written = results.write_all(&kComputed, 1) && results.write_all(&memory, sizeof memory) &&
              results.write_all(computed.data(), computed.size());
  } catch (const std::exception& error) {
    written = results.write_all(&kErrorText, 1) && results.write_all(error.what(), std::strlen(error.what()));
  }
  if (!written) dprintf(STDERR_FILENO, "its results cannot be kept: %s\n", std::strerror(errno));
  // _exit() neither writes the parent's buffers again nor runs the library's destructors.
  _exit(written ? 0 : kNoResults);
}

/// The last thing that SimGrid reported as critical, without time and place in its source; else the last line. The
/// functions that led there follow the former, one a line.
std::string reason_in(const std::string& text) {
  constexpr std::string_view kCritical = "/CRITICAL] ";
  if (const std::size_t critical = text.rfind(kCritical); critical != std::string::npos) {
    const std::size_t begin = critical + kCritical.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "nothing was printed";
  const std::size_t before = text.find_last_of('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end - begin + 1);
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/// Reads what the child writes until it has ended, and calls `meanwhile` ten times a second, but does not reap the
/// child. Nobody waits for the ends of the pipes: children of other threads may have them open, too.
void listen_to(pid_t child, Pipe& results, Pipe& output, const std::function<void()>& meanwhile) {
  constexpr std::chrono::milliseconds kPause{100};
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));  // readable when the child has ended
  const Descriptor closed_at_the_end(descriptor);
  auto next = std::chrono::steady_clock::now() + kPause;
  while (!has_ended(child)) {
    // poll() ignores an entry whose descriptor is negative: then the child's end is noticed after a pause.
    std::array<pollfd, 3> sources{{{descriptor, POLLIN, 0}, {results.from(), POLLIN, 0}, {output.from(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now());
    poll(sources.data(), sources.size(),
         static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kPause).count()));
    results.take();
    output.take();
    if (std::chrono::steady_clock::now() < next) continue;
    next = std::chrono::steady_clock::now() + kPause;
    if (meanwhile) meanwhile();
  }
  results.take();
  output.take();
}

/// The child's status and processor time, once it has ended.
int wait_for(pid_t child, double& processor_seconds) {
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) throw Error(fmt::format("a process was lost: {}", std::strerror(errno)));
  }
  processor_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * kMicro;
  return status;
}

/// Forks a child that computes. If another thread of this process held the lock of the C library's list of exit
/// handlers at that time, the child can register none and would wait for ever, for instance for a static object's. So
/// it registers one before all else, and if it does not come back from that, another child is forked.
pid_t started_child(const ChildWork& work, const Pipe& results, const Pipe& output) {
  constexpr std::chrono::milliseconds kFirstPatience{200};  // doubled each time: a busy machine may be slow
  constexpr std::chrono::microseconds kPause{100};
  constexpr int kMostTries = 10;
  for (int tries = 0; tries < kMostTries; ++tries) {
    SharedNumber is_alive;
    const pid_t child = fork();
    if (child < 0) throw Error(fmt::format("{}: no process for it: {}", work.what, std::strerror(errno)));
    if (child == 0) {
      static_cast<void>(std::atexit([] {}));
      is_alive.set(1);
      run_child(work.compute, results, output);
    }
    const auto patience = std::chrono::steady_clock::now() + kFirstPatience * (1 << tries);
    while (is_alive.get() == 0 && !has_ended(child) && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(kPause);
    }
    if (is_alive.get() != 0 || has_ended(child)) return child;
    double unused = 0;
    kill(child, SIGKILL);
    static_cast<void>(wait_for(child, unused));
  }
  throw Error(fmt::format("{}: no process for it begins to work", work.what));
}

}  // namespace

SharedNumber::SharedNumber() {
  static_assert(std::atomic<double>::is_always_lock_free, "a lock would not reach over to another process");
  void* const page =
      mmap(nullptr, sizeof(std::atomic<double>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw Error(fmt::format("no memory to share with a process: {}", std::strerror(errno)));
  value_ = new (page) std::atomic<double>(0);
}

SharedNumber::~SharedNumber() { munmap(value_, sizeof(std::atomic<double>)); }

ChildResult<std::string> run_in_child(const ChildWork& work) {
  Pipe results("the results");
  Pipe output("the output");
  const pid_t child = started_child(work, results, output);
  ChildResult<std::string> result;
  try {
    listen_to(child, results, output, work.meanwhile);
  } catch (...) {
    kill(child, SIGKILL);
    static_cast<void>(wait_for(child, result.processor_seconds));
    throw;
  }
  const int status = wait_for(child, result.processor_seconds);
  std::string content = results.content();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !content.empty()) {
    if (content[0] == kErrorText) throw Error(content.substr(1));
    std::memcpy(&result.memory_bytes, content.data() + 1, sizeof result.memory_bytes);
    result.computed = content.erase(0, 1 + sizeof result.memory_bytes);
    return result;
  }
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : fmt::format("status {}", WEXITSTATUS(status));
  const std::string reason = reason_in(output.content());
  throw ChildEnded(fmt::format("{}: {} ended with {}: {}", work.what, work.library, how, reason), reason);
}

ChildResult<std::vector<double>> compute_in_child(std::string_view what,
                                                  const std::function<std::vector<double>()>& compute,
                                                  const std::function<void()>& meanwhile) {
  const auto bytes_of = [&] {
    const std::vector<double> numbers = compute();
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  };
  const ChildResult<std::string> bytes = run_in_child({what, "SimGrid", bytes_of, meanwhile});
  ChildResult<std::vector<double>> result{.processor_seconds = bytes.processor_seconds,
                                          .memory_bytes = bytes.memory_bytes};
  result.computed.resize(bytes.computed.size() / sizeof(double));
  std::memcpy(result.computed.data(), bytes.computed.data(), bytes.computed.size());
  return result;
}

}  // namespace gdr::interconnect
