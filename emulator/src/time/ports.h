// The port of the broadcast memories, the input port and the output port, clock by clock: who gets the port of the BMs,
// and how long a line takes that has to wait for it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/schedule.h"
#include "gdr/emulator/turn_schedule.h"

namespace gdr::emulator {

inline std::uint64_t& of(StallClocks& clocks, StallReason reason) { return clocks[static_cast<std::size_t>(reason)]; }

/// What a line keeps busy, without its place in the schedule.
[[nodiscard]] ScheduledLine uses_of(const isa::Line& line);
/// Lines that move 128 words between BM and PEs, four in each line, one PE after the other.
[[nodiscard]] std::vector<isa::Line> transfer_lines(isa::BmMode mode);

/// Words that arrive from IDP and are stored into the BMs.
class Stream {
 public:
  /// Words begin to arrive at `clock`.
  Stream(const SideTraffic& beside, const PortTiming& timing, std::uint64_t clock = 0)
      : words_(beside.idp_words), broadcast_(beside.broadcast), timing_(&timing), next_(static_cast<double>(clock)) {}

  /// True if a word arrives at this clock and its buffer is full.
  [[nodiscard]] bool must_store(std::uint64_t clock) const {
    return due(clock) && waiting_[target()] >= timing_->bm_buffer;
  }
  [[nodiscard]] bool can_store() const { return in_buffers_ > 0; }
  [[nodiscard]] bool stored() const { return arrived_ == words_ && in_buffers_ == 0; }
  /// True if all words are stored and the input port is free for the words of the next pass.
  [[nodiscard]] bool done(std::uint64_t clock) const { return stored() && static_cast<double>(clock) >= next_; }

  void arrive(std::uint64_t clock) {
    if (!due(clock) || must_store(clock)) return;
    ++waiting_[target()];
    ++in_buffers_;
    // A word that had to wait delays those behind it.
    next_ =
        (static_cast<double>(clock) > std::floor(next_) ? static_cast<double>(clock) : next_) + timing_->idp_interval;
    ++arrived_;
  }

  /// Stores one word from its buffer into every BM. True if the first BM, which is the busiest, took one.
  bool store() {
    const bool first = waiting_[0] > 0;
    for (unsigned& words : waiting_) {
      if (words == 0) continue;
      --words;
      --in_buffers_;
    }
    return first;
  }

 private:
  [[nodiscard]] bool due(std::uint64_t clock) const {
    return arrived_ < words_ && static_cast<double>(clock) >= std::floor(next_);
  }
  [[nodiscard]] std::size_t target() const { return broadcast_ ? 0 : arrived_ / timing_->idp_burst % kBlocks; }

  std::uint64_t words_;
  bool broadcast_;
  const PortTiming* timing_;
  std::uint64_t arrived_ = 0;
  std::uint64_t in_buffers_ = 0;
  double next_ = 0;
  std::array<unsigned, kBlocks> waiting_{};
};

/// Words that the tree reads from the BMs and sends through the output port.
class Drain {
 public:
  /// Words begin to leave at `clock`.
  Drain(const SideTraffic& beside, const PortTiming& timing, std::uint64_t clock = 0)
      : words_(beside.tree_words), interval_(beside.tree_interval), timing_(&timing), begin_(clock) {}
  /// Goes on at clock 0.
  Drain(const PendingDrain& pending, double interval, const PortTiming& timing)
      : words_(pending.words),
        interval_(interval),
        timing_(&timing),
        ahead_(pending.ahead),
        buffered_(pending.buffered),
        port_free_(pending.port_free) {}

  /// True if the output port would be idle at this clock although a word is due.
  [[nodiscard]] bool must_read(std::uint64_t clock) const {
    const bool due = static_cast<double>(clock - begin_) >= std::floor(static_cast<double>(read_) * interval_ + ahead_);
    return read_ < words_ && due && clock >= port_free_ && buffered_ == 0;
  }
  [[nodiscard]] bool can_read() const { return read_ < words_ && buffered_ < timing_->odp_buffer; }
  [[nodiscard]] bool done(std::uint64_t clock) const {
    return read_ == words_ && buffered_ == 0 && clock >= port_free_;
  }

  void read() {
    ++read_;
    ++buffered_;
  }
  void send(std::uint64_t clock) {
    if (buffered_ == 0 || clock < port_free_) return;
    --buffered_;
    port_free_ = clock + timing_->odp_clocks;
  }

  /// What remains, for a drain that goes on.
  [[nodiscard]] PendingDrain pending(std::uint64_t clock) const {
    const bool reads_on = read_ < words_ && interval_ > 0;
    const double next = static_cast<double>(read_) * interval_ + ahead_ - static_cast<double>(clock - begin_);
    return {words_ - read_, buffered_, port_free_ > clock ? port_free_ - clock : 0, reads_on ? next : 0};
  }

 private:
  std::uint64_t words_;
  double interval_;
  const PortTiming* timing_;
  std::uint64_t begin_ = 0;
  double ahead_ = 0;  // clocks from there on until its next word was due
  std::uint64_t read_ = 0;
  std::uint64_t buffered_ = 0;
  std::uint64_t port_free_ = 0;
};

/// The line that is being executed, if there is one.
class Issue {
 public:
  [[nodiscard]] bool done() const { return line_ == nullptr; }
  [[nodiscard]] bool wants_port() const { return words_ > 0; }
  void take_port() { --words_; }
  void refuse_port(bool by_tree) { refusals_.push_back(by_tree); }

  void begin(ScheduledLine& line, std::uint64_t clock) {
    refusals_.clear();
    line_ = &line;
    line.start = clock;
    words_ = line.bm_reads + line.bm_writes;
  }

  /// The end of a clock.
  void step(std::uint64_t clock) {
    if (done()) return;
    const auto taken = static_cast<std::uint32_t>(clock + 1 - line_->start);
    if (taken < isa::kClocksPerLine || words_ > 0) return;
    line_->clocks = taken;
    // Only the last of the clocks in which the port was refused made the line longer.
    for (std::uint32_t n = 0; n < taken - isa::kClocksPerLine; ++n) {
      ++(refusals_[refusals_.size() - 1 - n] ? line_->stall_tree : line_->stall_idp);
    }
    line_ = nullptr;
  }

 private:
  ScheduledLine* line_ = nullptr;
  unsigned words_ = 0;
  std::vector<bool> refusals_;
};

/// One clock of the ports. A full buffer or an idle output port has priority over the line, the tree before IDP;
/// otherwise the line is first. Returns true if the port of the busiest BM moves a word.
inline bool step_ports(std::uint64_t clock, Issue& issue, Stream& stream, Drain& drain, bool line_first) {
  stream.arrive(clock);
  bool busy = false;
  const bool tree_must = drain.must_read(clock) && !(line_first && issue.wants_port());
  const bool idp_must = stream.must_store(clock) && !(line_first && issue.wants_port());
  if (tree_must || (!idp_must && !issue.wants_port() && drain.can_read())) {
    if (issue.wants_port()) issue.refuse_port(true);
    drain.read();
    busy = true;
  } else if (idp_must || (!issue.wants_port() && stream.can_store())) {
    if (issue.wants_port()) issue.refuse_port(false);
    busy = stream.store();
    stream.arrive(clock);
  } else if (issue.wants_port()) {
    issue.take_port();
    busy = true;
  }
  drain.send(clock);
  issue.step(clock);
  return busy;
}

}  // namespace gdr::emulator
