// Emulated time of boards and their host. It follows from the schedule of the chip and from the rates and latencies of
// the control processor's units. Results of kernels are not computed here.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/names.h"
#include "gdr/emulator/counters.h"
#include "gdr/emulator/machine.h"
#include "gdr/emulator/schedule.h"
#include "gdr/emulator/turn_schedule.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// The host, the units of a control processor and the chip, in the order in which data pass through them.
enum class BoardUnit : std::uint8_t { host, hic, het, emi, eit, sdi, coc, sci, chip, odprrn, oht };
inline constexpr std::size_t kBoardUnits = base::enumerators<BoardUnit>();
/// Name of a unit: `HIC`, ...
[[nodiscard]] std::string_view name_of(BoardUnit unit);

/// Seconds by stage: the stages of Koike et al. 2009, figure 9, and the host's own work besides the forces.
struct StageSeconds {
  double i_send = 0;
  double j_send = 0;
  double compute = 0;  // start, loop, collection, result DMA
  double add = 0;      // host: sum of the results of chips or, as planned, of the rings of boards
  double host = 0;     // host: integration
  [[nodiscard]] double total() const { return i_send + j_send + compute + add + host; }
  StageSeconds& operator+=(const StageSeconds& other);
  [[nodiscard]] StageSeconds times(double factor) const;
};

/// Seconds of the steps of one run in their order: of 128 i-particles on every chip, or of a kernel of Type II.
struct RunSeconds {
  double i_write = 0;     // host to control processors; as planned as far as it does not overlap with i_load
  double i_load = 0;      // through IDP and BM into the PEs
  double start = 0;       // the host, or its threads, start the run
  double loop = 0;        // loop sections on the chip; Type II: with what the words of turns take beyond the chip
  double collection = 0;  // PEs to BM, tree and ODP, until OHT has all results
  double result_dma = 0;  // OHT to host beyond what overlaps; as planned and of Type II with the ring before it
};

/// Seconds that `items` equal items take to pass through stages that work side by side. Each stage has a double buffer
/// before it: the first item passes through all stages, the others follow at the pace of the slowest stage.
[[nodiscard]] double pipelined(double items, std::initializer_list<double> stage_seconds);

/// One call of the host, for traces. A call begins when the one before it has ended.
struct BoardCall {
  enum class Kind : std::uint8_t { send_j, run, host } kind = Kind::run;
  double begin = 0;  // seconds
  double seconds = 0;
  std::uint64_t particles = 0;  // run: i-particles; otherwise particles sent or integrated
  std::uint64_t records = 0;    // run: j-particles, all chips together, or turns of Type II; host: all particles
};

/// The sums that a BoardTime has formed.
struct BoardTotals {
  StageSeconds seconds;
  RunClocks clocks;                // of the slowest chip, all runs together
  std::uint64_t interactions = 0;  // pairs of an i- and a j-particle
  std::uint64_t runs = 0;
  std::uint64_t iterations = 0;            // of the slowest chip, all runs together
  Counters counters;                       // of all chips; events are not counted
  std::array<double, kBoardUnits> busy{};  // seconds by BoardUnit, of one control processor; host: in total
};

/// Time of one force evaluation or of a whole simulation, added up call by call. The host waits for each call.
class BoardTime {
 public:
  BoardTime(const isa::Program& program, const MachineDescription& machine, unsigned boards, TransferMode mode);

  /// Sends one word into every BM. Its time is part of the start of the next run.
  void set_parameter();
  void send_j(std::uint64_t records);
  /// Runs of 128 i-particles, `particles` in total, with `records` j-particles distributed over all chips.
  void run(std::uint64_t particles, std::uint64_t records);
  /// A run of a kernel of Type II of so many turns, which `particles` i-particles precede, dealt out to chips and
  /// blocks as gdr::Device::run() does.
  void run_turns(std::uint64_t particles, std::uint64_t turns);
  /// Predictor, corrector and new step of `particles` of `n` particles on the host.
  void integrate(std::uint64_t particles, std::uint64_t n);

  /// Seconds of these calls, without adding them up.
  [[nodiscard]] double j_seconds(std::uint64_t records) const;
  [[nodiscard]] StageSeconds run_seconds(std::uint64_t particles, std::uint64_t records) const;
  [[nodiscard]] double integration_seconds(std::uint64_t particles, std::uint64_t n) const;
  /// One run of at most 128 `particles`.
  [[nodiscard]] RunSeconds one_run(std::uint64_t particles, std::uint64_t records) const;
  /// One run of a kernel of Type II.
  [[nodiscard]] RunSeconds one_run_of_turns(std::uint64_t particles, std::uint64_t turns) const;
  /// Clocks of the chip that gets the most i-particles.
  [[nodiscard]] RunClocks clocks_of_turns(std::uint64_t particles, std::uint64_t turns) const;
  /// Seconds that the ring of a board takes to add up `words` long words of each chip. All chips send at the same time,
  /// each of them a part of the words.
  [[nodiscard]] double ring_seconds(std::uint64_t words) const;

  [[nodiscard]] const StageSeconds& seconds() const { return totals_.seconds; }
  /// Clocks of the slowest chip, all runs together.
  [[nodiscard]] const RunClocks& clocks() const { return totals_.clocks; }
  [[nodiscard]] std::uint64_t interactions() const { return totals_.interactions; }
  [[nodiscard]] std::uint64_t runs() const { return totals_.runs; }
  /// Iterations of the slowest chip, all runs together.
  [[nodiscard]] std::uint64_t iterations() const { return totals_.iterations; }
  /// Counters of all chips, as an engine that computes counts them. Events are not counted.
  [[nodiscard]] const Counters& counters() const { return totals_.counters; }
  /// Seconds for which a unit of one control processor was at work; for the host, in total.
  [[nodiscard]] double busy(BoardUnit unit) const { return totals_.busy[static_cast<std::size_t>(unit)]; }
  [[nodiscard]] const BoardTotals& totals() const { return totals_; }
  /// Continues from the sums of another process.
  void resume(const BoardTotals& totals) { totals_ = totals; }

  /// What the time takes for granted because it is not known; empty if everything is known.
  [[nodiscard]] std::string assumed() const;

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  /// Null for kernels of Type I.
  [[nodiscard]] const TurnSchedule* turn_schedule() const { return turns_ ? &*turns_ : nullptr; }
  /// The pass of a section; of the loop body one in the middle of a long run.
  [[nodiscard]] const Pass& pass(isa::Section section) const {
    return turns_ ? turns_->play(section).pass : schedule_.pass(section);
  }
  [[nodiscard]] const MachineDescription& machine() const { return machine_; }
  [[nodiscard]] unsigned chips() const { return chips_; }
  [[nodiscard]] TransferMode mode() const { return mode_; }
  /// Number of j-records of the chip that has the most.
  [[nodiscard]] std::uint64_t records_per_chip(std::uint64_t records) const { return (records + chips_ - 1) / chips_; }

  /// Keeps all calls from now on, for a trace.
  void keep_calls() { keeps_calls_ = true; }
  [[nodiscard]] const std::vector<BoardCall>& calls() const { return calls_; }

 private:
  /// Results of a kernel of Type I that the host adds up: one of each chip in 2009, one of each board's ring as
  /// planned.
  [[nodiscard]] unsigned streams() const;
  /// What of `i_write` is left beside `i_load` if a field is loaded while the next one is written, in seconds.
  [[nodiscard]] double beside_load(double i_write, double i_load) const;
  [[nodiscard]] double clocks_to_seconds(double clocks) const;
  [[nodiscard]] double pio_seconds(double bytes, double swaps) const;
  void count_section(isa::Section section, std::uint64_t times);
  void keep(BoardCall::Kind kind, double seconds, std::uint64_t particles, std::uint64_t records);
  double& busy_of(BoardUnit unit) { return totals_.busy[static_cast<std::size_t>(unit)]; }

  /// Words that a run of Type II sends: those that the chips of a ring add up, and those that every chip sends.
  struct TurnWords {
    std::uint64_t combined = 0;
    std::uint64_t separate = 0;
    [[nodiscard]] std::uint64_t of_chip() const { return combined + separate; }
  };
  struct WordsOfRun {
    TurnWords turns;        // of all turns
    TurnWords termination;  // of loop termination
    TurnWords last;         // of its last collect
  };
  [[nodiscard]] WordsOfRun words_of_turns(std::uint64_t turns) const;
  [[nodiscard]] double ring_seconds_of(const TurnWords& words) const;
  /// Seconds in which one chip sends its part of the words to the host.
  [[nodiscard]] double dma_seconds_of(const TurnWords& words) const;
  [[nodiscard]] RunSeconds seconds_of_turns(const RunClocks& clocks, std::uint64_t particles,
                                            const WordsOfRun& words) const;
  void count_turns(std::uint64_t particles, std::uint64_t turns, const WordsOfRun& words);

  Schedule schedule_;
  std::optional<TurnSchedule> turns_;
  std::vector<isa::CollectStep> body_collects_;
  std::vector<isa::CollectStep> termination_collects_;
  MachineDescription machine_;
  unsigned chips_;
  TransferMode mode_;
  double i_fields_, j_fields_, result_fields_, record_words_;
  BoardTotals totals_;
  bool keeps_calls_ = false;
  std::vector<BoardCall> calls_;
};

}  // namespace gdr::emulator
