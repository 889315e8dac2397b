// Ctrl-C in calls that compute without Python's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <type_traits>

#include "gdr/base/stopping.h"
#include "lock.h"

namespace gdr::python {

/// tell() is to be called often by the thread that Python called: it looks for signals some 20 times a second, and
/// throws py::error_already_set with what a handler of Python raised. Without Python's lock.
class Interrupts {
 public:
  static constexpr std::chrono::milliseconds kPause{50};

  void tell() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kPause;
    const WithLock lock;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

/// What `body` returns, computed without Python's lock. Wherever the computation pauses (base::pause()) it looks for
/// signals; then this throws as Interrupts does.
template <class Body>
auto computed(Body body) {
  std::exception_ptr raised;
  const WithoutLock unlocked;
  const Computation computation;
  Interrupts interrupts;
  const base::Stopping stopping([&] {
    if (raised || computation.must_stop()) return false;
    try {
      interrupts.tell();
    } catch (...) {
      raised = std::current_exception();
    }
    return !raised;
  });
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      if (!raised) return;
    } else {
      auto result = body();
      if (!raised) return result;
    }
  } catch (const base::Stopped&) {
    if (!raised) throw;  // also while the interpreter ends, when this thread does not come back
  }
  std::rethrow_exception(raised);  // also if the computation ended as its last pause demands, without a word
}

/// What `body` returns, computed on another thread. `body(stop)` is to return soon once `stop` is true, which a signal
/// makes it; its pauses end it then, too. Then this throws as Interrupts does. For work on several threads, and for
/// work whose progress is told by threads of its own. Without Python's lock.
template <class Body>
auto interruptible(Body body) {
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] {
    const base::Stopping stopping([&] { return !stop; });
    return body(stop);
  });
  const Computation computation;
  Interrupts interrupts;
  while (result.wait_for(Interrupts::kPause) != std::future_status::ready) {
    if (computation.must_stop()) {
      stop = true;
      continue;
    }
    try {
      interrupts.tell();
    } catch (...) {
      stop = true;
      result.wait();
      throw;
    }
  }
  return result.get();
}

}  // namespace gdr::python
