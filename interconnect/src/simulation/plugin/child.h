// Runs a simulation in a process of its own, because SimGrid allows one engine per process and ends the process on
// errors.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::interconnect {

/// The child ended without results: by a signal, or by an exit of SimGrid.
class ChildEnded : public Error {
 public:
  ChildEnded(const std::string& what, std::string reason) : Error(what), reason_(std::move(reason)) {}
  /// The line of the child's output that says why.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

struct ChildResult {
  std::vector<double> numbers;
  double processor_seconds = 0;  // of the child
  double memory_bytes = 0;       // largest growth of the child beyond its size at the fork
};

/// A number in memory that this process shares with the children that it starts from then on.
class SharedNumber {
 public:
  /// Throws gdr::Error if there is no memory for it.
  SharedNumber();
  ~SharedNumber();
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;

  void set(double value) { value_->store(value, std::memory_order_relaxed); }
  [[nodiscard]] double get() const { return value_->load(std::memory_order_relaxed); }

 private:
  std::atomic<double>* value_;  // in a page of its own
};

/// Runs `compute` in a child process and returns its numbers. If `compute` throws there, throws gdr::Error with the
/// same text; if it ends the process, ChildEnded with `what` and the line that it printed as the reason. Its output is
/// otherwise lost.
/// While the child computes, `meanwhile` is called about ten times a second, if the system can report the end of a
/// process by a file descriptor.
[[nodiscard]] ChildResult compute_in_child(std::string_view what, const std::function<std::vector<double>()>& compute,
                                           const std::function<void()>& meanwhile = {});

}  // namespace gdr::interconnect
