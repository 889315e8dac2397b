#include "gdr/commandline/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "gdr/base/quantity.h"
#include "gdr/commandline/terminal.h"

namespace gdr::commandline {
namespace {

constexpr double kFirstAfter = 1.0;        // seconds
constexpr double kTerminalInterval = 0.1;  // seconds
constexpr double kLineInterval = 1.0;      // seconds
constexpr std::size_t kLeastCells = 8;
constexpr std::size_t kMostCells = 32;

}  // namespace

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Progress::Progress(std::string what, ProgressShown shown, double longest_pause)
    : what_(std::move(what)),
      longest_pause_(longest_pause),
      terminal_(isatty(STDERR_FILENO) == 1),
      visible_(shown == ProgressShown::always || (shown == ProgressShown::on_terminal && terminal_)) {}

Progress::~Progress() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

bool Progress::due(double done) const {
  if (!visible_) return false;
  const double now = watch_.seconds();
  if (now < kFirstAfter || now - last_ < (terminal_ ? kTerminalInterval : kLineInterval)) return false;
  const int percent = static_cast<int>(100 * std::clamp(done, 0.0, 1.0));
  return terminal_ || percent != last_percent_ || now - last_ >= longest_pause_;
}

void Progress::show(double done, const std::string& detail) {
  if (!due(done)) return;
  const double now = watch_.seconds();
  done = std::clamp(done, 0.0, 1.0);
  const int percent = static_cast<int>(100 * done);
  last_ = now;
  last_percent_ = percent;
  drawn_ = true;
  const std::string left = done > 0 ? base::duration_text(now * (1 - done) / done) + " left" : "";
  if (terminal_) {
    draw_bar(done, left, detail);
  } else {
    fmt::print(stderr, "{}: {} %{}{}\n", what_, percent, left.empty() ? "" : ", " + left,
               detail.empty() ? "" : ", " + detail);
  }
  std::fflush(stderr);
}

void Progress::show_count(std::size_t done, std::size_t all, std::string_view things) {
  const double share = static_cast<double>(done) / static_cast<double>(all);
  if (due(share)) show(share, things.empty() ? "" : fmt::format("{} of {} {}", done, all, things));
}

void Progress::draw_bar(double done, const std::string& left, const std::string& detail) {
  // One column stays free: some terminals start a new line when the last column is written.
  const std::size_t width = width_of(Stream::error) - 1;
  const std::string numbers = fmt::format("{:3.0f} % {}", 100 * done, left);
  const std::size_t taken = what_.size() + numbers.size() + detail.size() + 6;
  const std::size_t cells = std::clamp(width > taken ? width - taken : 0, kLeastCells, kMostCells);
  const auto filled = static_cast<std::size_t>(done * static_cast<double>(cells));
  const std::string text = fmt::format("{} [{}{}] {}  {}", what_, std::string(filled, '#'),
                                       std::string(cells - filled, '.'), numbers, detail);
  fmt::print(stderr, "\r\033[K{}", text.substr(0, width));
}

}  // namespace gdr::commandline
