// Runs what a library computes in a process of its own, because the library ends its process on errors, as SimGrid and
// GLib do. SimGrid also allows only one engine in a process.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::interconnect {

/// The child ended without results: by a signal, or by an exit of the library.
class ChildEnded : public Error {
 public:
  ChildEnded(const std::string& what, std::string reason) : Error(what), reason_(std::move(reason)) {}
  /// The line of the child's output that says why.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

struct ChildWork {
  std::string_view what;
  std::string_view library;  // that ends the process on errors
  std::function<std::string()> compute;
  /// Called about ten times a second while the child computes; an exception ends both.
  std::function<void()> meanwhile = {};
};

/// Of a child: what it computed, and what that cost.
template <class Computed>
struct ChildResult {
  Computed computed{};
  double processor_seconds = 0;
  double memory_bytes = 0;  // largest growth beyond its size at the fork
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

/// Runs `compute` in a child process and returns its bytes. If `compute` throws there, throws gdr::Error with the same
/// text; if it ends the process, ChildEnded with `what`, the library and the line that it printed as the reason. Its
/// output is otherwise lost.
[[nodiscard]] ChildResult<std::string> run_in_child(const ChildWork& work);

/// The same for numbers that SimGrid computes.
[[nodiscard]] ChildResult<std::vector<double>> compute_in_child(std::string_view what,
                                                                const std::function<std::vector<double>()>& compute,
                                                                const std::function<void()>& meanwhile = {});

}  // namespace gdr::interconnect
