// Requests of a person to end a long run early, after which it still saves its results.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "gdr/commandline/progress.h"

namespace gdr::commandline {

/// While an object exists, SIGINT and SIGTERM only leave their number; a second signal ends the program at once.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  /// The signal that requested the end, or 0.
  [[nodiscard]] static int signal();

 private:
  std::pair<struct sigaction, struct sigaction> before_{};
};

/// A file whose existence requests the end.
class StopFile {
 public:
  /// An empty path requests nothing.
  explicit StopFile(std::string path) : path_(std::move(path)) {}
  /// Looks for it at most twice a second.
  [[nodiscard]] bool is_there();

 private:
  std::string path_;
  Stopwatch watch_;
  double last_ = -1;
};

}  // namespace gdr::commandline
