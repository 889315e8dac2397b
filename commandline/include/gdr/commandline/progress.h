// The progress display of all commands, on standard error, and their clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace gdr::commandline {

/// Wall-clock time since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

enum class ProgressShown : std::uint8_t { never, on_terminal, always };

/// Shows nothing for work that takes less than a second. On a terminal it shows a bar with the remaining time, no wider
/// than the terminal, and clears it at the end. Elsewhere, if requested, it prints a line for each further percent, at
/// most one a second, and also after `longest_pause` seconds without one.
class Progress {
 public:
  Progress(std::string what, ProgressShown shown, double longest_pause = std::numeric_limits<double>::infinity());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether show() would print something now, for callers whose detail takes time to find.
  [[nodiscard]] bool due(double done) const;
  /// `done` is 0 to 1; `detail` is printed after the bar. Cheap enough to be called at any rate.
  void show(double done, const std::string& detail = {});
  /// The same for `done` of `all`, with the detail "3 of 8 particles" if the things have a name.
  void show_count(std::size_t done, std::size_t all, std::string_view things = {});

 private:
  void draw_bar(double done, const std::string& left, const std::string& detail);

  std::string what_;
  double longest_pause_;
  bool terminal_;
  bool visible_;
  bool drawn_ = false;
  Stopwatch watch_;
  double last_ = 0;  // seconds since the start
  int last_percent_ = -1;
};

}  // namespace gdr::commandline
