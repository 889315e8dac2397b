// When a chip does what: clocks of a program, known before it runs. Lines take four clocks each; they wait where the
// one port of the broadcast memories is not theirs. Nothing here depends on data, so the static count is what a run
// takes.
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
  bm_port_idp,   // the port of the BMs takes in a word whose buffer is full
  bm_port_tree,  // the port of the BMs is read by the tree
  idp,           // the next record is on its way through the input port
  em,            // the same, held up by external memory
  odp,           // results are on their way through the output port
  refresh,       // external memory refreshes
  unexplained    // measured, cause unknown: the machine's loop_stall
};
inline constexpr std::size_t kStallReasons = 7;
/// `BM port: IDP`, ...
[[nodiscard]] std::string_view name_of(StallReason reason);
/// As a JSON key: `bm_port_idp`, ...
[[nodiscard]] std::string_view key_of(StallReason reason);

/// Clocks by StallReason.
using StallClocks = std::array<std::uint64_t, kStallReasons>;

/// How the port of the BMs, the input and the output port are timed and arbitrated; all BMs act alike in a line.
struct PortTiming {
  double idp_interval = 1;  // clocks between two words from external memory through the input port
  bool em_bound = false;    // the interval is external memory's, not the port's
  unsigned odp_clocks = 2;  // clocks a word keeps the output port busy
  unsigned idp_burst = 1;   // words that one BM gets before the next has its turn
  unsigned bm_buffer = 4;   // words that wait before a BM
  unsigned odp_buffer = 4;  // words that wait before the output port
  bool line_first = false;  // a full buffer makes the stream wait, not the line
};
[[nodiscard]] PortTiming port_timing(const MachineDescription& machine);

/// What sequencers move beside the lines of one pass. All of it is there when the pass begins, and is done when it
/// ends.
struct SideTraffic {
  std::uint64_t idp_words = 0;   // through the input port, dealt out to the 16 BMs in turn
  bool broadcast = false;        // each of them into all BMs instead
  std::uint64_t tree_words = 0;  // each read from all BMs at once, reduced, sent through the output port
  double tree_interval = 0;      // clocks between two words that lines must give way to; 0: as fast as they can leave
};

/// A line in its place.
struct ScheduledLine {
  std::uint64_t start = 0;  // clock of the pass
  std::uint32_t clocks = isa::kClocksPerLine;
  std::uint8_t bm_reads = 0;  // words through the port of a BM
  std::uint8_t bm_writes = 0;
  bool adder = false;  // units it keeps busy
  bool multiplier = false;
  bool alu = false;
  std::uint32_t stall_idp = 0;  // clocks beyond four, because the port served IDP or the tree
  std::uint32_t stall_tree = 0;

  [[nodiscard]] std::uint32_t stall() const { return stall_idp + stall_tree; }
};

/// Lines once from the first to the last, with what moves beside them.
struct Pass {
  std::vector<ScheduledLine> lines;
  SideTraffic beside;
  std::uint64_t clocks = 0;     // until lines and traffic are done
  std::uint64_t lines_end = 0;  // until the last line is done
  std::uint64_t idp_end = 0;    // until the last word from IDP stands in its BM
  std::uint64_t tree_end = 0;   // until the output port is free again
  std::uint64_t port_busy = 0;  // clocks in which the port of the busiest BM moves a word
  StallClocks stalls{};         // clocks == 4 x lines + their sum
};

/// Plays the clocks of one pass.
[[nodiscard]] Pass schedule_pass(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing);

/// `beside` with the tree_interval that makes the pass shortest: where the port of the BMs is the limit, a tree that
/// takes all it can early leaves lines alone at the end.
[[nodiscard]] SideTraffic paced(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing);

/// Chip clocks of one run of 128 i-particles, part by part; loop parts are those of all iterations.
struct RunClocks {
  std::uint64_t i_load = 0;               // i-data through IDP and into the PEs
  std::uint64_t loop_initialization = 0;  // its lines
  std::uint64_t first_record = 0;         // waits for it; it streams beside loop initialization
  std::uint64_t loop_body = 0;            // lines
  std::uint64_t stall = 0;                // of the loop body, by reason in `stalls`
  std::uint64_t loop_termination = 0;     // its lines
  std::uint64_t collection = 0;           // PE to BM, tree, ODP
  StallClocks stalls{};

  [[nodiscard]] std::uint64_t total() const;
  /// The run's loop alone: from the first line to the last, without i-data and results.
  [[nodiscard]] std::uint64_t loop() const { return total() - i_load - collection; }
  RunClocks& operator+=(const RunClocks& other);
  [[nodiscard]] RunClocks times(std::uint64_t runs) const;
};

/// The schedule of a program of Type I on a machine.
class Schedule {
 public:
  Schedule() = default;
  Schedule(const isa::Program& program, const MachineDescription& machine);

  /// The first record streams in beside `loop_initialization`, the next one beside the lines of `loop_body`.
  [[nodiscard]] const Pass& pass(isa::Section section) const { return passes_[static_cast<std::size_t>(section)]; }
  /// The last iteration, which no record follows.
  [[nodiscard]] const Pass& last_iteration() const { return last_iteration_; }
  /// One field of 128 i-particles into the PEs: all through IDP, then from BM into one PE after the other.
  [[nodiscard]] std::uint64_t i_field_clocks() const { return i_field_clocks_; }
  /// One field of 128 results: PE to BM, then tree and ODP.
  [[nodiscard]] std::uint64_t result_field_clocks() const { return result_field_clocks_; }
  [[nodiscard]] unsigned i_fields() const { return i_fields_; }
  [[nodiscard]] unsigned result_fields() const { return result_fields_; }

  /// `records`: j-records of the chip. Refresh and loop_stall come to whole clocks once for the run.
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
