// The schedule of a chip: the clocks that a program takes, known before it runs. A line takes four clocks, and more if
// it has to wait for the only port of the broadcast memories. Nothing here depends on data, so a run takes the clocks
// that are counted here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/emulator/machine.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// What a chip waits for when it issues no line.
enum class StallReason : std::uint8_t {
  bm_port_idp,   // the port of the BMs takes in a word from IDP, whose buffer is full
  bm_port_tree,  // the tree reads through the port of the BMs
  idp,           // the next record is on its way through the input port
  em,            // the same, but limited by external memory
  odp,           // results are on their way through the output port
  refresh,       // external memory refreshes
  unexplained    // measured, cause unknown: the machine's loop_stall
};
inline constexpr std::size_t kStallReasons = 7;
/// Name in reports: `BM port: IDP`, ...
[[nodiscard]] std::string_view name_of(StallReason reason);
/// Name as a JSON key: `bm_port_idp`, ...
[[nodiscard]] std::string_view key_of(StallReason reason);

/// Clocks by StallReason.
using StallClocks = std::array<std::uint64_t, kStallReasons>;

/// Timing and arbitration of the port of the BMs, the input port and the output port. All BMs act alike in a line.
struct PortTiming {
  double idp_interval = 1;  // clocks between two words from external memory through the input port
  bool em_bound = false;    // external memory limits the interval, not the port
  unsigned odp_clocks = 2;  // clocks for which a word keeps the output port busy
  unsigned idp_burst = 1;   // consecutive words for one BM before the next BM gets some
  unsigned bm_buffer = 4;   // size of the buffer before a BM, in words
  unsigned odp_buffer = 4;  // size of the buffer before the output port, in words
  bool line_first = false;  // when a buffer is full, the stream waits and not the line
};
[[nodiscard]] PortTiming port_timing(const MachineDescription& machine);

/// Words that sequencers move during the lines of one pass. All of them are available when the pass begins, and have
/// moved when it ends.
struct SideTraffic {
  std::uint64_t idp_words = 0;   // through the input port, to the 16 BMs in turn
  bool broadcast = false;        // each word goes into all BMs instead
  std::uint64_t tree_words = 0;  // each read from all BMs at once, reduced, sent through the output port
  double tree_interval = 0;      // clocks between two words for which lines must wait; 0: as fast as words can leave
};

/// A line with its place in the schedule.
struct ScheduledLine {
  std::uint64_t start = 0;  // clock of the pass
  std::uint32_t clocks = isa::kClocksPerLine;
  std::uint8_t bm_reads = 0;  // words through the port of a BM
  std::uint8_t bm_writes = 0;
  bool adder = false;  // units that the line keeps busy
  bool multiplier = false;
  bool alu = false;
  std::uint32_t stall_idp = 0;  // clocks beyond four, because the port served IDP or the tree
  std::uint32_t stall_tree = 0;

  [[nodiscard]] std::uint32_t stall() const { return stall_idp + stall_tree; }
};

/// One execution of the lines of a section, from the first to the last, with the words that move meanwhile.
struct Pass {
  std::vector<ScheduledLine> lines;
  SideTraffic beside;
  std::uint64_t clocks = 0;     // until lines and traffic are done
  std::uint64_t lines_end = 0;  // until the last line is done
  std::uint64_t idp_end = 0;    // until the last word from IDP is in its BM
  std::uint64_t tree_end = 0;   // until the output port is free again
  std::uint64_t port_busy = 0;  // clocks in which the port of the busiest BM moves a word
  StallClocks stalls{};         // clocks == 4 x lines + sum of stalls
};

/// Simulates one pass clock by clock.
[[nodiscard]] Pass schedule_pass(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing);

/// Returns `beside` with the tree_interval that makes the pass shortest. This matters where the port of the BMs is the
/// bound: if the tree takes all its words as early as it can, only lines are left for the end of the pass.
[[nodiscard]] SideTraffic paced(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing);

/// Chip clocks of one run of 128 i-particles, by part. Parts of the loop body cover all iterations.
struct RunClocks {
  std::uint64_t i_load = 0;               // i-data through IDP and into the PEs
  std::uint64_t loop_initialization = 0;  // its lines
  std::uint64_t first_record = 0;         // waits for the first record, which streams in during loop initialization
  std::uint64_t loop_body = 0;            // its lines, without stalls
  std::uint64_t stall = 0;                // stalls of the loop body; `stalls` has them by reason
  std::uint64_t loop_termination = 0;     // its lines
  std::uint64_t collection = 0;           // PE to BM, tree, ODP
  StallClocks stalls{};

  [[nodiscard]] std::uint64_t total() const;
  /// Clocks of the loop alone: from the first line to the last, without loading i-data and collecting results.
  [[nodiscard]] std::uint64_t loop() const { return total() - i_load - collection; }
  RunClocks& operator+=(const RunClocks& other);
  [[nodiscard]] RunClocks times(std::uint64_t runs) const;
};

/// The schedule of a Type I program on a machine.
class Schedule {
 public:
  Schedule() = default;
  Schedule(const isa::Program& program, const MachineDescription& machine);

  /// The pass of a section. The first record streams in during `loop_initialization`, the next one during the lines of
  /// `loop_body`.
  [[nodiscard]] const Pass& pass(isa::Section section) const { return passes_[static_cast<std::size_t>(section)]; }
  /// The pass of the last iteration, during which no record streams in.
  [[nodiscard]] const Pass& last_iteration() const { return last_iteration_; }
  /// Clocks to load one field of 128 i-particles: all words through IDP, then from BM into one PE after the other.
  [[nodiscard]] std::uint64_t i_field_clocks() const { return i_field_clocks_; }
  /// Clocks to collect one field of 128 results: PE to BM, then tree and ODP.
  [[nodiscard]] std::uint64_t result_field_clocks() const { return result_field_clocks_; }
  [[nodiscard]] unsigned i_fields() const { return i_fields_; }
  [[nodiscard]] unsigned result_fields() const { return result_fields_; }

  /// Clocks of a run with `records` j-records on the chip. Refresh and loop_stall are converted to whole clocks once
  /// for the whole run.
  [[nodiscard]] RunClocks run(std::uint64_t records) const;

 private:
  std::array<Pass, isa::kSections> passes_;
  Pass last_iteration_;
  std::uint64_t i_field_clocks_ = 0;
  std::uint64_t result_field_clocks_ = 0;
  std::uint64_t initialization_alone_ = 0;
  unsigned i_fields_ = 0;
  unsigned result_fields_ = 0;
  double loop_stall_ = 0;     // clocks per iteration
  double refresh_share_ = 0;  // of all clocks of a loop
};

}  // namespace gdr::emulator
