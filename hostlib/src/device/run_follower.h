// Which floating-point events of a device's runs mean something (Device::follow_events()).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "events/event_replay.h"
#include "gdr/emulator/board.h"
#include "gdr/hostlib/device.h"

namespace gdr::hostlib {

/// Values of parameters by name, those that were set.
using ParameterValues = std::vector<std::pair<std::string, double>>;

/// Of one loaded program. Call begin(), end_start() after each start of the loop, then end() or fail().
class RunFollower {
 public:
  RunFollower(const emulator::Boards& boards, std::uint64_t most_lines_of_run)
      : boards_(boards), most_lines_of_run_(most_lines_of_run) {}

  void begin();
  /// `collected`: i-particles whose results the host takes.
  void end_start(unsigned collected);
  /// Follows the events of the run, which is that of these fields.
  void end(const isa::Program& program, const DeviceOptions& options, const ParameterValues& values,
           std::span<const std::uint64_t> i_fields, std::size_t nj, const emulator::Inspector& inspector);
  /// The run ended with a fault: nothing is known of its events.
  void fail();

  /// Without `counts`.
  [[nodiscard]] const RunEvents& followed() const { return followed_; }

 private:
  [[nodiscard]] emulator::FpEvents new_events();
  [[nodiscard]] FollowedEvents found(const isa::Program& program, const DeviceOptions& options,
                                     const ParameterValues& values, std::span<const std::uint64_t> i_fields,
                                     std::size_t nj, const emulator::Inspector& inspector);
  void add_first(const FollowedEvents& found);

  const emulator::Boards& boards_;
  std::uint64_t most_lines_of_run_;
  std::unique_ptr<const KernelWords> words_;  // null until a run has events
  emulator::FpEvents counted_;                // by the boards, until the last start
  CountedRun run_;
  std::uint64_t starts_ = 0;  // before this run
  std::uint64_t work_ = 0;    // of all runs
  RunEvents followed_;
};

}  // namespace gdr::hostlib
