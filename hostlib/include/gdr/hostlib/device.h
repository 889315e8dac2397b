// A board, or several, as a host program uses them: it loads a kernel, writes data, runs the kernel and reads results.
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
#include "gdr/hostlib/run_events.h"
#include "gdr/isa/program.h"

namespace gdr {

struct DeviceOptions {
  std::string machine = "model1800";  // a name, or a file that ends in .toml
  unsigned boards = 1;                // 1 to 64
  std::optional<double> clock_mhz;    // replaces the machine's clock
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  std::string engine{emulator::Engine::simd};  // one of emulator::engine_names()
  bool timing = true;                          // keep emulated time; results do not depend on it
  unsigned threads = 0;                        // host threads, up to 1024; 0: as many as the host has
};

/// Options from GDR_MACHINE, GDR_BOARDS, GDR_CLOCK (MHz), GDR_ENGINE and GDR_THREADS (0: all), if these are set.
/// Numbers are taken in all forms of base/quantity.h. Throws gdr::Error with variable and value if a value is refused.
[[nodiscard]] DeviceOptions device_options_from_environment();

/// Everything that a device has counted since load(), for a run that continues in another process.
struct DeviceTotals {
  emulator::BoardTotals emulated;
  emulator::Counters counters;
};

/// Boards and the kernel that is loaded into them. A process may have several devices. A record is a sequence of 8-byte
/// fields, one for each element of the variables in declaration order. A field holds a double if its conversion is a
/// floating-point one, else a 64-bit integer (use std::bit_cast). Results depend on what was written and set since
/// load() and on nothing else, as if the device was fresh then. Not thread safe; different devices may be used from
/// different threads.
class Device {
 public:
  static constexpr std::uint64_t kMostFollowedLines = 16'000'000;  // some seconds

  /// Throws gdr::Error if the machine is unknown, its description is wrong, or an option is out of range.
  explicit Device(const DeviceOptions& options = {});
  /// The same with an engine that has no name; options.engine is ignored.
  Device(const DeviceOptions& options, std::unique_ptr<emulator::Engine> engine);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  /// Loads a program, sets its parameters to their defaults and runs its section `initialization`. Throws gdr::Error
  /// (emulator::Fault is one) if the program cannot run on this device.
  void load(isa::Program program);

  /// The parameter keeps the value until it is set again or a program is loaded. Throws gdr::Error if the program has
  /// no such parameter or the parameter cannot take the value; the parameter then keeps the value before.
  void set_parameter(std::string_view name, double value);

  /// Writes j-records `first`, `first` + 1, ...; `fields` holds whole records. Throws gdr::Error if a conversion
  /// refuses a value (the message names variable and record; the records before it are written), and for more records
  /// than external memory holds (the message says how many fit).
  void write_j(std::size_t first, std::span<const std::uint64_t> fields);

  /// Add to the emulated time what write_j() of `records` records, or run() of `ni` i-records against `nj` j-records
  /// (Type II: in `nj` turns), would take, without any data. `times` runs one after the other take as long as one of
  /// them so often, and only with keep_calls() is each looked at. Throw gdr::Error for engines other than `timing`, for
  /// more records than external memory holds, and for more runs than counters of 64 bits can count.
  void time_j(std::size_t records);
  void time_run(std::size_t ni, std::size_t nj, std::uint64_t times = 1);
  /// Adds to the emulated time what the host takes to integrate `particles` of `n` particles by one step.
  void time_integration(std::size_t particles, std::size_t n);

  /// Runs the loop for any number of i-records against j-records 0 .. nj - 1. Returns the results in the order of the
  /// i-records; engine `timing` returns none. j-records that were never written are zero. Throws gdr::Error as
  /// write_j() does. The i-records replace those of all earlier runs: a place that gets none has the i-data that load()
  /// left there, zero or what section `initialization` sets, which takes no emulated time.
  /// For a kernel of Type II, nj is the number of turns, and i-record n belongs to chip n / 2048, block n / 128 mod 16.
  /// The results are words in the order of the `collect` lines. A line that names blocks gives the words of all chips,
  /// chip 0 first, for each chip block 0 first. Every other line gives words that are added up over the chips of the
  /// board; if there is such a line, the device must have only one board.
  [[nodiscard]] std::vector<std::uint64_t> run(std::span<const std::uint64_t> i_fields, std::size_t nj);

  /// From now on `told` is called after every 128 i-records of a run, with the numbers of i-records done and in all. It
  /// is called on the thread that computes, which after start() may be another one. An exception from it ends the run.
  void on_progress(std::function<void(std::size_t done, std::size_t all)> told);

  /// Starts run() in the background, on a copy of `i_fields`; wait() returns the results. No other call is allowed in
  /// between.
  void start(std::span<const std::uint64_t> i_fields, std::size_t nj);
  [[nodiscard]] std::vector<std::uint64_t> wait();

  [[nodiscard]] const isa::Program& program() const;
  /// Number of 8-byte fields of an i-record (hlt), j-record (elt) or result (rrn).
  [[nodiscard]] std::size_t fields(isa::Transfer transfer) const;
  /// Number of j-records that the external memories of all chips together hold.
  [[nodiscard]] std::size_t j_capacity() const;
  /// Most turns of a run of a kernel of Type II.
  [[nodiscard]] std::size_t turn_capacity() const;
  [[nodiscard]] const emulator::MachineDescription& machine() const;
  [[nodiscard]] const DeviceOptions& options() const;
  /// Counts of operations and data since load(), added up over the chips.
  [[nodiscard]] emulator::Counters counters() const;
  /// Adds an event to those of the run that was last, for callers that combine the results of several devices.
  void count(const emulator::JunctionEvent& event);
  /// True if the engine computes results; false for `timing`.
  [[nodiscard]] bool computes() const;
  /// Number of chips on all boards.
  [[nodiscard]] unsigned chips() const;
  /// The first floating-point events since load(), with the places where they occurred. counters() has the number of
  /// all, events() those of which a result took the values.
  [[nodiscard]] std::vector<emulator::PlacedEvent> first_events() const;
  /// The first events beyond the PEs: in the chips' reduction trees, in the rings between chips, and on the host.
  [[nodiscard]] std::vector<emulator::JunctionEvent> first_junction_events() const;
  /// From now on a run with floating-point events is executed again where they occurred, to find out whether a result
  /// took their values; runs without events take no time for it. Loading another program changes nothing. `most_lines`
  /// limits the work for a run: it counts lines that the reference engine executes in one PE, each some 0.2 us.
  void follow_events(std::uint64_t most_lines = kMostFollowedLines);
  /// Floating-point events since load(). Without follow_events() they are those that the engine counted.
  [[nodiscard]] RunEvents events() const;
  /// Access to the state of the chips, between runs or at a breakpoint. Valid until the next load().
  [[nodiscard]] emulator::Inspector& inspect();
  /// Emulated time of all calls since load(). Throws gdr::Error if options().timing is off.
  [[nodiscard]] const emulator::BoardTime& emulated() const;
  /// Throws gdr::Error if options().timing is off.
  [[nodiscard]] DeviceTotals totals() const;
  /// Continues to count from `totals`; what was counted since load() is dropped.
  void resume(const DeviceTotals& totals);
  /// From now on every call is kept, for a trace. Loading another program drops the calls kept before.
  void keep_calls();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr
