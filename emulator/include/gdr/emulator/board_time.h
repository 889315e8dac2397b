// Emulated time of boards and their host: what a program asked of them, told in seconds by the schedule of the chip and
// by the rates and latencies of the control processor's units. Nothing is computed here but time.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/emulator/counters.h"
#include "gdr/emulator/machine.h"
#include "gdr/emulator/schedule.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// Who works: the host, the units of a control processor in the order in which data pass them, the chip.
enum class BoardUnit : std::uint8_t { host, hic, het, emi, eit, sdi, coc, sci, chip, odprrn, oht };
inline constexpr std::size_t kBoardUnits = 11;
/// `HIC`, ...
[[nodiscard]] std::string_view name_of(BoardUnit unit);

/// Seconds by stage, the stages of Koike et al. 2009, figure 9, and the host's own work beside the forces.
struct StageSeconds {
  double i_send = 0;
  double j_send = 0;
  double compute = 0;  // start, loop, collection, result DMA
  double add = 0;      // host: sum of the chips' results
  double host = 0;     // host: integration
  [[nodiscard]] double total() const { return i_send + j_send + compute + add + host; }
  StageSeconds& operator+=(const StageSeconds& other);
  [[nodiscard]] StageSeconds times(double factor) const;
};

/// The steps of one run of 128 i-particles on every chip, in their order.
struct RunSeconds {
  double i_write = 0;     // host to control processors
  double i_load = 0;      // IDP, BM, PEs
  double start = 0;       // host, or its threads
  double loop = 0;        // loop sections on the chip
  double collection = 0;  // PEs, BM, tree, ODP, until OHT has all
  double result_dma = 0;  // what of OHT's way to the host the collection does not hide
};

/// Seconds that `items` equal items take through stages that work side by side, each stage with a double buffer before
/// it: the first item passes them all, the others follow at the pace of the slowest.
[[nodiscard]] double pipelined(double items, std::initializer_list<double> stage_seconds);

/// One call of the host, for traces: calls follow one another.
struct BoardCall {
  enum class Kind : std::uint8_t { send_j, run, host } kind = Kind::run;
  double begin = 0;  // seconds
  double seconds = 0;
  std::uint64_t particles = 0;  // of a run: i-particles; else particles sent or integrated
  std::uint64_t records = 0;    // of a run: j-particles, all chips together
};

/// What a BoardTime has added up.
struct BoardTotals {
  StageSeconds seconds;
  RunClocks clocks;                // of the slowest chip, all runs together
  std::uint64_t interactions = 0;  // pairs
  std::uint64_t runs = 0;
  std::uint64_t iterations = 0;            // of the slowest chip, all runs together
  Counters counters;                       // of all chips; no events
  std::array<double, kBoardUnits> busy{};  // seconds by BoardUnit, of one control processor (the host: in all)
};

/// Work of one force evaluation or of a whole simulation, added up call by call. The host waits for each call.
class BoardTime {
 public:
  BoardTime(const isa::Program& program, const MachineDescription& machine, unsigned boards, TransferMode mode);

  /// One word into every BM; its time is part of the start of the next run.
  void set_parameter();
  void send_j(std::uint64_t records);
  /// `particles` i-particles, in runs of 128, against `records` j-particles dealt out to all chips.
  void run(std::uint64_t particles, std::uint64_t records);
  /// Predictor, corrector and new step of `particles` of `n` particles on the host.
  void integrate(std::uint64_t particles, std::uint64_t n);

  /// The same without adding it up.
  [[nodiscard]] double j_seconds(std::uint64_t records) const;
  [[nodiscard]] StageSeconds run_seconds(std::uint64_t particles, std::uint64_t records) const;
  [[nodiscard]] double integration_seconds(std::uint64_t particles, std::uint64_t n) const;
  /// One run of `particles` at most 128.
  [[nodiscard]] RunSeconds one_run(std::uint64_t particles, std::uint64_t records) const;
  /// Sum of `words` long words over the chips of a board in their ring, all chips sending at once, each a part.
  [[nodiscard]] double ring_seconds(std::uint64_t words) const;

  [[nodiscard]] const StageSeconds& seconds() const { return totals_.seconds; }
  /// Of the slowest chip, all runs together.
  [[nodiscard]] const RunClocks& clocks() const { return totals_.clocks; }
  [[nodiscard]] std::uint64_t interactions() const { return totals_.interactions; }
  [[nodiscard]] std::uint64_t runs() const { return totals_.runs; }
  /// Iterations of the slowest chip, all runs together.
  [[nodiscard]] std::uint64_t iterations() const { return totals_.iterations; }
  /// What passes every unit of all chips, as an engine that computes counts it; events are none.
  [[nodiscard]] const Counters& counters() const { return totals_.counters; }
  /// Seconds for which a unit of one control processor (the host: in all) was at work.
  [[nodiscard]] double busy(BoardUnit unit) const { return totals_.busy[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] const BoardTotals& totals() const { return totals_; }
  /// Goes on from what another process added up.
  void resume(const BoardTotals& totals) { totals_ = totals; }

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  [[nodiscard]] const MachineDescription& machine() const { return machine_; }
  [[nodiscard]] unsigned chips() const { return chips_; }
  [[nodiscard]] TransferMode mode() const { return mode_; }
  /// j-records of the chip that has most.
  [[nodiscard]] std::uint64_t records_per_chip(std::uint64_t records) const { return (records + chips_ - 1) / chips_; }

  /// From here on calls are kept, for a trace.
  void keep_calls() { keeps_calls_ = true; }
  [[nodiscard]] const std::vector<BoardCall>& calls() const { return calls_; }

 private:
  [[nodiscard]] double clocks_to_seconds(double clocks) const;
  [[nodiscard]] double pio_seconds(double bytes, double swaps) const;
  void count_section(isa::Section section, std::uint64_t times);
  void keep(BoardCall::Kind kind, double seconds, std::uint64_t particles, std::uint64_t records);
  double& busy_of(BoardUnit unit) { return totals_.busy[static_cast<std::size_t>(unit)]; }

  Schedule schedule_;
  MachineDescription machine_;
  unsigned chips_;
  TransferMode mode_;
  double i_fields_, j_fields_, result_fields_, record_words_;
  BoardTotals totals_;
  bool keeps_calls_ = false;
  std::vector<BoardCall> calls_;
};

}  // namespace gdr::emulator
