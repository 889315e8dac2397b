// What the parts of grapedr._core share.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "gdr/hostlib/device.h"
#include "interrupts.h"
#include "lock.h"
#include "made.h"

namespace gdr::python {

namespace py = pybind11;

/// Rows of doubles.
using Vectors = py::array_t<double, py::array::c_style>;

template <>
inline constexpr bool kIsBound<DeviceOptions> = true;

/// Lets threads use an object one after the other. No thread may hold Python's lock while it waits for its turn: the
/// one whose turn it is needs that lock to end.
class Turns {
 public:
  /// Waits until no other call is under way. Throws gdr::Error in a process that was forked during one, which never
  /// ends there.
  void take();
  /// The same, looking for Ctrl-C. May throw base::Stopped.
  void take_or_stop();
  void give() noexcept;

 private:
  /// True if this call has the turn now.
  bool try_take();

  std::atomic<pid_t> taken_in_{0};         // the process whose thread has the turn; 0: nobody has it
  std::atomic<std::thread::id> taken_by_;  // that thread
};

/// A turn, for as long as it exists.
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) { turns_.take_or_stop(); }
  ~Turn() { turns_.give(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

/// The other way round: gives the turn back for as long as it exists.
class Pause {
 public:
  explicit Pause(Turns& turns) : turns_(turns) { turns_.give(); }
  ~Pause() noexcept(false) { turns_.take(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Turns& turns_;
};

/// What `body` returns, computed when it is this thread's turn. Other Python threads go on.
template <class Body>
auto in_turn(Turns& turns, Body body) {
  return computed([&] {
    const Turn turn(turns);
    return body();
  });
}

/// What the host integrated beside the board: this number of steps of one particle, in a system of `particles`.
struct HostSteps {
  std::uint64_t steps = 0;
  std::uint64_t particles = 0;
};

/// Emulated seconds by stage since the kernel was loaded, and interactions.
struct StageTimes {
  emulator::StageSeconds seconds;
  std::uint64_t interactions = 0;
};
[[nodiscard]] StageTimes stage_times(const Device& device, const HostSteps& host = {});
/// As Python has them, with their total.
[[nodiscard]] py::dict timing(const StageTimes& times);

/// What limits the runs since the kernel was loaded, as hostlib gives it.
[[nodiscard]] std::string profile_json(const Device& device, const HostSteps& host = {});
[[nodiscard]] std::string profile_page(const Device& device, const HostSteps& host = {});

/// Start models, Nbody and NbodyRun.
void add_runs(py::module_& module);

}  // namespace gdr::python
