// Python's lock (the GIL) in calls that compute.
//
// A daemon thread that waits for the lock while the interpreter ends never gets it. CPython up to 3.13 ends such a
// thread by unwinding its stack, which no noexcept destructor of C++ survives: the process would abort. From 3.14 on
// the thread sleeps until the process has ended. Here it does so with every version.
#pragma once

#include <pybind11/pybind11.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gdr::python {

/// What `call` returns, a function of Python's C interface that may wait for the lock. Does not return in a thread that
/// Python ends.
template <class Call>
auto or_sleep(Call call) noexcept {
  try {
    return call();
  } catch (...) {  // no exception of C++ comes from there
    while (true) ::pause();
  }
}

/// Without Python's lock for as long as it exists. All calls that compute use this, not pybind11's gil_scoped_release.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() {
    or_sleep([this] { PyEval_RestoreThread(state_); });
  }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

/// With Python's lock for as long as it exists, which is inside of a WithoutLock.
class WithLock {
 public:
  WithLock() : state_(or_sleep(&PyGILState_Ensure)) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock&) = delete;
  WithLock& operator=(const WithLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// A computation without Python's lock. The interpreter ends only when those that had begun are over, since they use
/// what the process takes apart at its end; they are to stop soon once must_stop() is true. Their threads then sleep.
class Computation {
 public:
  Computation() { ++count; }
  ~Computation() {
    const bool sleeps = must_stop();
    --count;
    while (sleeps) ::pause();
  }
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  [[nodiscard]] bool must_stop() const { return began_before_ && is_ending; }

  /// To be called once by each module: lets the interpreter wait, for two seconds at most.
  static void end_before_the_interpreter() {
    pthread_atfork(nullptr, nullptr, [] { count = 0; });  // the other threads are not in the child
    pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function([] {
      is_ending = true;
      const WithoutLock unlocked;
      for (int waits = 0; count > 0 && waits < 200; ++waits) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }));
  }

 private:
  static inline std::atomic<int> count = 0;
  static inline std::atomic<bool> is_ending = false;
  const bool began_before_ = !is_ending;  // a handler of the exit may compute, too
};

/// What a function of Python returns. Python's code gives the lock to other threads now and then.
template <class... Arguments>
pybind11::object call_python(const pybind11::object& function, const Arguments&... arguments) {
  const pybind11::tuple given = pybind11::make_tuple(arguments...);
  PyObject* result = or_sleep([&] { return PyObject_CallObject(function.ptr(), given.ptr()); });
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

/// The truth value of any object of Python.
inline bool is_true(const pybind11::object& object) {
  const int truth = or_sleep([&] { return PyObject_IsTrue(object.ptr()); });
  if (truth < 0) throw pybind11::error_already_set();
  return truth != 0;
}

}  // namespace gdr::python
