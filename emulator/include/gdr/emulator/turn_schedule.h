// The schedule of a chip for a kernel of Type II, which says itself when data move. A transfer begins where its line
// stands and a collect where its line stands; both go on beside the lines after it, also into the next turn. A transfer
// waits for the transfer before it, a collect for the collect before it, and a turn for its record.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gdr/emulator/schedule.h"

namespace gdr::emulator {

/// Clocks in which something lasts, from `begin` up to `end`, within a section.
struct ClockSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// One execution of a section of a kernel of Type II.
struct SectionPlay {
  Pass pass;                         // clocks == 4 x lines + sum of stalls; what the tree still moves goes on
  std::vector<ClockSpan> transfers;  // records on their way through IDP
  std::vector<ClockSpan> drains;     // words on their way through the tree and ODP
  struct Wait {
    ClockSpan clocks;
    StallReason reason = StallReason::odp;
  };
  std::vector<Wait> waits;  // in which no line is executed
};

/// Words that the tree still moves when a section ends.
struct PendingDrain {
  std::uint64_t words = 0;      // that it has not read yet
  std::uint64_t buffered = 0;   // that wait for the output port
  std::uint64_t port_free = 0;  // clocks until the output port is free
  double ahead = 0;             // clocks until the next word is due, if words are spread; negative: it is late
  friend bool operator==(const PendingDrain&, const PendingDrain&) = default;
};

class TurnSchedule {
 public:
  /// `program` is of Type II.
  TurnSchedule(const isa::Program& program, const MachineDescription& machine);

  /// Clocks of a run of `turns` turns whose i-data fill `i_blocks` blocks of the chip, 0 if it brings none. Loading
  /// them is i_load. What loop initialization waits for is first_record. What loop termination waits for, the words
  /// that are on their way when its last line is done, and tree_latency for the last of them are collection.
  [[nodiscard]] RunClocks run(std::uint64_t turns, unsigned i_blocks) const;

  /// The section as it is executed once; of the loop body a turn in the middle of a long run.
  [[nodiscard]] const SectionPlay& play(isa::Section section) const;
  /// Turn `turn` of those that are not the last of their run.
  [[nodiscard]] const SectionPlay& turn(std::uint64_t turn) const { return played_[index_of(turn)].play; }
  /// The last turn, in which no record streams in, and loop termination until all words have left. Its drains end with
  /// tree_latency.
  struct End {
    SectionPlay last_turn;  // without lines if there is no turn
    SectionPlay termination;
  };
  [[nodiscard]] End end(std::uint64_t turns) const;

  /// Clocks of a turn when turns follow one another: of turn n + clocks.size() as of turn n, on and on.
  [[nodiscard]] std::vector<std::uint64_t> clocks_per_turn() const;

  /// Clocks between two words of a collect for which lines must wait, chosen so that turns are short, as paced()
  /// chooses it; 0: as fast as words can leave.
  [[nodiscard]] double tree_interval() const { return tree_interval_; }

  /// Clocks to load one field of i-data into so many blocks: all words through IDP, then from the BMs into one PE after
  /// the other.
  [[nodiscard]] std::uint64_t i_field_clocks(unsigned i_blocks) const;
  [[nodiscard]] unsigned i_fields() const { return i_fields_; }
  [[nodiscard]] bool streams() const { return streams_; }

 private:
  struct Step {
    enum class Kind : std::uint8_t { line, transfer, collect } kind = Kind::line;
    ScheduledLine line;           // of Kind::line
    std::uint64_t words_out = 0;  // of Kind::collect
    bool not_first = false;
  };
  struct PlayedTurn {
    PendingDrain before;
    SectionPlay play;
  };
  enum class Streams : std::uint8_t { no, yes };

  /// Plays a section that begins in the state `pending`, and leaves there the state in which it ends.
  [[nodiscard]] SectionPlay play_section(isa::Section section, bool first_turn, Streams streams,
                                         PendingDrain& pending) const;
  [[nodiscard]] std::size_t index_of(std::uint64_t turn) const;
  /// Plays loop initialization and turns, until they repeat.
  void play_turns();
  /// Clocks of a turn in a long run.
  [[nodiscard]] double mean_turn() const;
  /// Chooses tree_interval_.
  void pace();

  std::array<std::vector<Step>, isa::kSections> steps_;
  PortTiming timing_;
  PortTiming from_host_;  // of i-data
  std::uint64_t record_words_ = 0;
  unsigned i_fields_ = 0;
  bool streams_ = false;   // the loop body has a transfer
  bool collects_ = false;  // some section has a collect
  unsigned tree_latency_ = 0;
  double tree_interval_ = 0;
  double refresh_share_ = 0;  // of all clocks of turns in which records stream in

  PendingDrain after_initialization_;
  SectionPlay initialization_;
  SectionPlay termination_;  // after a turn in the middle of a long run
  std::vector<PlayedTurn> played_;
  std::size_t repeats_from_ = 0;  // played_[repeats_from_] follows the last one
};

}  // namespace gdr::emulator
