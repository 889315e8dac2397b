// How far a command is, on standard error: the one progress display of all commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gdr::cli {

enum class ProgressShown : std::uint8_t { never, on_terminal, always };

/// `40 s`, `3 min 05 s`, `2 h 07 min`.
[[nodiscard]] std::string duration_text(double seconds);

/// Shows nothing for work of less than a second. On a terminal a bar with the time that is left, no wider than the
/// terminal and wiped away at the end; elsewhere, if asked for, a line whenever another percent is done, one a second
/// at most.
class Progress {
 public:
  Progress(std::string what, ProgressShown shown);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` from 0 to 1; `detail` stands behind. Cheap: may be called as often as one likes.
  void show(double done, const std::string& detail = {});

 private:
  void draw_bar(double done, const std::string& left, const std::string& detail);

  std::string what_;
  bool terminal_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double last_ = 0;  // seconds since the start
  int last_percent_ = -1;
};

}  // namespace gdr::cli
