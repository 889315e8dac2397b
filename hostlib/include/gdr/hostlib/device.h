// A board, or several, as a host program drives them: load a program, write, run, read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/board.h"
#include "gdr/emulator/board_time.h"
#include "gdr/isa/program.h"

namespace gdr {

struct DeviceOptions {
  std::string machine = "model1800";  // a name, or a file that ends in .toml
  unsigned boards = 1;                // 1 to 64
  std::optional<double> clock_mhz;    // instead of the machine's
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string engine{emulator::Engine::simd};  // one of emulator::engine_names()
  bool timing = true;                          // emulated time is kept; results do not depend on it
  unsigned threads = 0;                        // host threads, up to 1024; 0: as many as the host has
};

/// From GDR_MACHINE, GDR_BOARDS, GDR_CLOCK (MHz), GDR_ENGINE, GDR_THREADS where they are set. Throws gdr::Error naming
/// variable and value.
[[nodiscard]] DeviceOptions device_options_from_environment();

/// All that a device has added up since load(), for a run that goes on in another process.
struct DeviceTotals {
  emulator::BoardTotals emulated;
  emulator::Counters counters;
};

/// A value; several may live in one process. Records are runs of 8-byte fields, one per element of the variables in
/// declaration order: a double for floating-point conversions, a 64-bit integer for the others (use std::bit_cast). Not
/// thread safe; different devices may be used from different threads.
class Device {
 public:
  /// Throws gdr::Error for a machine that is unknown or wrong and for options out of range.
  explicit Device(const DeviceOptions& options = {});
  /// The same on an engine that has no name; options.engine is not looked at.
  Device(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  /// Loads a program, sets its parameters to their defaults and runs its section `initialization`. Throws
  /// gdr::Error (emulator::Fault among them) if it cannot run here.
  void load(isa::Program program);

  /// Throws gdr::Error if there is no such parameter or it cannot take the value.
  void set_parameter(std::string_view name, double value);

  /// j-records `first` and following. `fields` holds whole records. Throws gdr::Error for values that the conversions
  /// refuse (naming variable and record) and for more records than external memory holds (saying how many fit); records
  /// before the refused one are written.
  void write_j(std::size_t first, std::span<const std::uint64_t> fields);

  /// What write_j() of `records` records and run() of `ni` against `nj` would take, with no data: engine timing alone.
  /// Throws gdr::Error for another engine, and for more records than external memory holds.
  void time_j(std::size_t records);
  void time_run(std::size_t ni, std::size_t nj);
  /// Adds the host's integration of `particles` of `n` particles by one step to the emulated time.
  void time_integration(std::size_t particles, std::size_t n);

  /// Runs the loop for any number of i-records against j-records 0 .. nj - 1 and returns their results in order.
  /// Engine timing returns none.
  /// Records never written are zero. Throws as write_j().
  /// Of a kernel of Type II, nj is the number of turns, i-record n belongs to chip n / 2048, block n / 128 mod 16, and
  /// the results are words, in the order of the `collect` lines, added over the chips of the one board.
  [[nodiscard]] std::vector<std::uint64_t> run(std::span<const std::uint64_t> i_fields, std::size_t nj);

  /// Calls `told` after every 128 i-records of a run with how many are done and how many there are; on the thread that
  /// computes, which of start() may be another. What it throws ends the run.
  void on_progress(std::function<void(std::size_t done, std::size_t all)> told);

  /// The same in the background, on a copy of `i_fields`. Until wait() the device takes no other call.
  void start(std::span<const std::uint64_t> i_fields, std::size_t nj);
  [[nodiscard]] std::vector<std::uint64_t> wait();

  [[nodiscard]] const isa::Program& program() const;
  /// 8-byte fields of an i-record (hlt), j-record (elt) or result (rrn).
  [[nodiscard]] std::size_t fields(isa::Transfer transfer) const;
  /// j-records that external memory holds, all chips together.
  [[nodiscard]] std::size_t j_capacity() const;
  [[nodiscard]] const emulator::MachineDescription& machine() const;
  [[nodiscard]] const DeviceOptions& options() const;
  /// What went through the machine since load(), chips added up.
  [[nodiscard]] emulator::Counters counters() const;
  /// True if the engine computes; false for timing.
  [[nodiscard]] bool computes() const;
  /// Of all boards.
  [[nodiscard]] unsigned chips() const;
  /// The first floating-point events since load(), with their places; counters() has their number.
  [[nodiscard]] std::vector<emulator::PlacedEvent> first_events() const;
  /// The same of the chips' reduction trees and of the rings between chips.
  [[nodiscard]] std::vector<emulator::JunctionEvent> first_junction_events() const;
  /// A look into the chips, between runs or at a breakpoint; until the next load().
  [[nodiscard]] emulator::Inspector& inspect();
  /// Emulated time of what was asked for since load(). Throws gdr::Error if options().timing is off.
  [[nodiscard]] const emulator::BoardTime& emulated() const;
  /// Throws gdr::Error if options().timing is off.
  [[nodiscard]] DeviceTotals totals() const;
  /// Counts on from `totals`, as if what was done since load() had not been.
  void resume(const DeviceTotals& totals);
  /// From here on calls are kept one by one, for a trace; a program loaded later begins anew.
  void keep_calls();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr
