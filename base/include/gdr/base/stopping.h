// Long computations that a caller may end, as Ctrl-C does in Python. What computes for long calls pause() between its
// parts; what makes it stop is set up by the caller, for its own thread.
#pragma once

#include <exception>
#include <functional>

namespace gdr::base {

/// Ends a computation whose caller does not want its result any more. No gdr::Error: nothing was wrong.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the computation was stopped"; }
};

/// For as long as it exists, pause() on this thread asks `goes_on`. The innermost one is asked.
class Stopping {
 public:
  explicit Stopping(std::function<bool()> goes_on);
  ~Stopping();
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

 private:
  friend bool is_stoppable();
  friend void pause();
  std::function<bool()> goes_on_;
  Stopping* outer_;
};

/// True if there is somebody to ask. A computation that is faster in one part may then be divided into parts.
[[nodiscard]] bool is_stoppable();

/// Throws Stopped if there is somebody to ask who wants the computation to end. Takes some nanoseconds otherwise, and
/// what `goes_on` takes. Call it some hundred times a second, where an exception leaves everything usable.
void pause();

}  // namespace gdr::base
