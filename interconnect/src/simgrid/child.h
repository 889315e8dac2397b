// Runs a simulation in a process of its own: SimGrid keeps one engine per process, and ends the process when it is
// unhappy.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

struct ChildResult {
  std::vector<double> numbers;
  double processor_seconds = 0;  // of the child
  double memory_bytes = 0;       // largest growth of the child beyond its size at the fork
};

/// A number that this process and the children that it has from then on see alike.
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

/// Numbers that `compute` returns in a child process. Throws gdr::Error with the text of what it throws there, or with
/// the last line that it printed if it ends the process; `what` names it. What it prints is otherwise lost. While the
/// child computes, `meanwhile` is called about ten times a second, where the system tells ends of processes that way.
[[nodiscard]] ChildResult compute_in_child(std::string_view what, const std::function<std::vector<double>()>& compute,
                                           const std::function<void()>& meanwhile = {});

}  // namespace gdr::interconnect
