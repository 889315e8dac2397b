// Simulates one pass clock by clock, and combines the passes of a run.
#include "gdr/emulator/schedule.h"

#include <algorithm>
#include <cmath>

#include "gdr/base/units.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/effects.h"

namespace gdr::emulator {
namespace {

struct ReasonNames {
  std::string_view name;
  std::string_view key;
};
constexpr std::array<ReasonNames, kStallReasons> kReasonNames{{{"BM port: IDP", "bm_port_idp"},
                                                               {"BM port: tree", "bm_port_tree"},
                                                               {"IDP", "idp"},
                                                               {"external memory", "em"},
                                                               {"ODP", "odp"},
                                                               {"refresh", "refresh"},
                                                               {"unexplained", "unexplained"}}};

std::uint64_t& of(StallClocks& clocks, StallReason reason) { return clocks[static_cast<std::size_t>(reason)]; }

ScheduledLine uses_of(const isa::Line& line) {
  const isa::Effects effects = isa::effects(line);
  ScheduledLine scheduled;
  (effects.writes_bm() ? scheduled.bm_writes : scheduled.bm_reads) = static_cast<std::uint8_t>(effects.bm_clocks());
  scheduled.adder = effects.busy(isa::Unit::adder);
  scheduled.multiplier = effects.busy(isa::Unit::multiplier);
  scheduled.alu = effects.busy(isa::Unit::alu);
  return scheduled;
}

/// Words that arrive from IDP and are stored into the BMs.
class Stream {
 public:
  Stream(const SideTraffic& beside, const PortTiming& timing)
      : words_(beside.idp_words), broadcast_(beside.broadcast), timing_(timing) {}

  /// True if a word arrives at this clock and its buffer is full.
  [[nodiscard]] bool must_store(std::uint64_t clock) const {
    return due(clock) && waiting_[target()] >= timing_.bm_buffer;
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
        (static_cast<double>(clock) > std::floor(next_) ? static_cast<double>(clock) : next_) + timing_.idp_interval;
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
  [[nodiscard]] std::size_t target() const { return broadcast_ ? 0 : arrived_ / timing_.idp_burst % kBlocks; }

  std::uint64_t words_;
  bool broadcast_;
  const PortTiming& timing_;
  std::uint64_t arrived_ = 0;
  std::uint64_t in_buffers_ = 0;
  double next_ = 0;
  std::array<unsigned, kBlocks> waiting_{};
};

/// Words that the tree reads from the BMs and sends through the output port.
class Drain {
 public:
  Drain(const SideTraffic& beside, const PortTiming& timing)
      : words_(beside.tree_words), interval_(beside.tree_interval), timing_(timing) {}

  /// True if the output port would be idle at this clock although a word is due.
  [[nodiscard]] bool must_read(std::uint64_t clock) const {
    const bool due = static_cast<double>(clock) >= std::floor(static_cast<double>(read_) * interval_);
    return read_ < words_ && due && clock >= port_free_ && buffered_ == 0;
  }
  [[nodiscard]] bool can_read() const { return read_ < words_ && buffered_ < timing_.odp_buffer; }
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
    port_free_ = clock + timing_.odp_clocks;
  }

 private:
  std::uint64_t words_;
  double interval_;
  const PortTiming& timing_;
  std::uint64_t read_ = 0;
  std::uint64_t buffered_ = 0;
  std::uint64_t port_free_ = 0;
};

/// The lines of a pass, executed one at a time.
class Issue {
 public:
  explicit Issue(std::vector<ScheduledLine>& lines) : lines_(lines) { begin(0); }

  [[nodiscard]] bool done() const { return at_ == lines_.size(); }
  [[nodiscard]] bool wants_port() const { return !done() && words_ > 0; }
  void take_port() { --words_; }
  void refuse_port(bool by_tree) { refusals_.push_back(by_tree); }

  /// The end of a clock.
  void step(std::uint64_t clock) {
    if (done()) return;
    ScheduledLine& line = lines_[at_];
    const auto taken = static_cast<std::uint32_t>(clock + 1 - line.start);
    if (taken < isa::kClocksPerLine || words_ > 0) return;
    line.clocks = taken;
    // Only the last of the clocks in which the port was refused made the line longer.
    for (std::uint32_t n = 0; n < taken - isa::kClocksPerLine; ++n) {
      ++(refusals_[refusals_.size() - 1 - n] ? line.stall_tree : line.stall_idp);
    }
    ++at_;
    begin(clock + 1);
  }

 private:
  void begin(std::uint64_t clock) {
    refusals_.clear();
    if (done()) return;
    lines_[at_].start = clock;
    words_ = lines_[at_].bm_reads + lines_[at_].bm_writes;
  }

  std::vector<ScheduledLine>& lines_;
  std::size_t at_ = 0;
  unsigned words_ = 0;
  std::vector<bool> refusals_;
};

/// Lines that move 128 words between BM and PEs, four in each line, one PE after the other.
std::vector<isa::Line> transfer_lines(isa::BmMode mode) {
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.bm.mode = mode;
  line.bm.vector = true;
  return std::vector<isa::Line>(kPesPerBlock, line);
}

std::vector<isa::Line> lines_of(const isa::Program& program, isa::Section section) {
  std::vector<isa::Line> lines;
  for (const isa::ProgramLine& coded : program.lines(section)) lines.push_back(isa::decoded(coded.word));
  return lines;
}

}  // namespace

std::string_view name_of(StallReason reason) { return kReasonNames[static_cast<std::size_t>(reason)].name; }
std::string_view key_of(StallReason reason) { return kReasonNames[static_cast<std::size_t>(reason)].key; }

PortTiming port_timing(const MachineDescription& machine) {
  // A row of external memory is opened, then read at the memory's full rate.
  const double em_word = 1 / (machine.em_rate * kMega) + machine.em_row_ns * kNano / machine.em_row_words;
  const double em_interval = em_word * machine.clock_mhz * kMega;
  PortTiming timing;
  timing.em_bound = em_interval > machine.idp_clocks;
  timing.idp_interval = timing.em_bound ? em_interval : machine.idp_clocks;
  timing.odp_clocks = machine.odp_clocks;
  timing.idp_burst = machine.idp_burst;
  timing.bm_buffer = machine.bm_buffer;
  timing.odp_buffer = machine.odp_buffer;
  timing.line_first = machine.bm_line_first != 0;
  return timing;
}

Pass schedule_pass(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing) {
  Pass pass;
  pass.beside = beside;
  for (const isa::Line& line : lines) pass.lines.push_back(uses_of(line));
  Issue issue(pass.lines);
  Stream stream(beside, timing);
  Drain drain(beside, timing);
  std::uint64_t clock = 0;
  for (; !issue.done() || !stream.done(clock) || !drain.done(clock); ++clock) {
    const bool lines_done = issue.done();
    const bool idp_done = stream.done(clock);
    const bool idp_stored = stream.stored();
    stream.arrive(clock);
    // A full buffer or an idle output port has priority over the line, the tree before IDP; otherwise the line is
    // first.
    const bool tree_must = drain.must_read(clock) && !(timing.line_first && issue.wants_port());
    const bool idp_must = stream.must_store(clock) && !(timing.line_first && issue.wants_port());
    if (tree_must || (!idp_must && !issue.wants_port() && drain.can_read())) {
      if (issue.wants_port()) issue.refuse_port(true);
      drain.read();
      ++pass.port_busy;
    } else if (idp_must || (!issue.wants_port() && stream.can_store())) {
      if (issue.wants_port()) issue.refuse_port(false);
      if (stream.store()) ++pass.port_busy;
      stream.arrive(clock);
    } else if (issue.wants_port()) {
      issue.take_port();
      ++pass.port_busy;
    }
    drain.send(clock);
    issue.step(clock);
    if (lines_done) {
      const StallReason input = timing.em_bound ? StallReason::em : StallReason::idp;
      ++of(pass.stalls, idp_done ? StallReason::odp : input);
    }
    if (issue.done() && !lines_done) pass.lines_end = clock + 1;
    if (stream.stored() && !idp_stored) pass.idp_end = clock + 1;
  }
  pass.clocks = clock;
  pass.tree_end = beside.tree_words == 0 ? 0 : clock;
  for (const ScheduledLine& line : pass.lines) {
    of(pass.stalls, StallReason::bm_port_idp) += line.stall_idp;
    of(pass.stalls, StallReason::bm_port_tree) += line.stall_tree;
  }
  return pass;
}

SideTraffic paced(std::span<const isa::Line> lines, const SideTraffic& beside, const PortTiming& timing) {
  SideTraffic best = beside;
  if (beside.tree_words == 0) return best;
  std::uint64_t fewest = schedule_pass(lines, best, timing).clocks;
  // Even steps from the output port's own rate to the average rate in the unpaced pass.
  constexpr unsigned kSteps = 16;
  const double slowest = static_cast<double>(fewest) / static_cast<double>(beside.tree_words);
  for (unsigned step = 1; step <= kSteps; ++step) {
    SideTraffic slower = beside;
    slower.tree_interval = timing.odp_clocks + (slowest - timing.odp_clocks) * step / kSteps;
    const std::uint64_t clocks = schedule_pass(lines, slower, timing).clocks;
    if (clocks < fewest) {
      fewest = clocks;
      best = slower;
    }
  }
  return best;
}

std::uint64_t RunClocks::total() const {
  return i_load + loop_initialization + first_record + loop_body + stall + loop_termination + collection;
}

RunClocks& RunClocks::operator+=(const RunClocks& other) {
  for (const auto part :
       {&RunClocks::i_load, &RunClocks::loop_initialization, &RunClocks::first_record, &RunClocks::loop_body,
        &RunClocks::stall, &RunClocks::loop_termination, &RunClocks::collection}) {
    this->*part += other.*part;
  }
  for (std::size_t reason = 0; reason < kStallReasons; ++reason) stalls[reason] += other.stalls[reason];
  return *this;
}

RunClocks RunClocks::times(std::uint64_t runs) const {
  RunClocks all = *this;
  for (const auto part :
       {&RunClocks::i_load, &RunClocks::loop_initialization, &RunClocks::first_record, &RunClocks::loop_body,
        &RunClocks::stall, &RunClocks::loop_termination, &RunClocks::collection}) {
    all.*part *= runs;
  }
  for (std::uint64_t& clocks : all.stalls) clocks *= runs;
  return all;
}

Schedule::Schedule(const isa::Program& program, const MachineDescription& machine)
    : i_fields_(static_cast<unsigned>(program.record_fields(isa::Transfer::hlt))),
      result_fields_(static_cast<unsigned>(program.record_fields(isa::Transfer::rrn))),
      loop_stall_(machine.loop_stall),
      refresh_share_(machine.em_refresh_ns / (machine.em_refresh_interval_us * 1e3)) {
  const PortTiming timing = port_timing(machine);
  const SideTraffic records{std::uint64_t{kBlocks} * program.record_words, false, 0};
  for (std::size_t n = 0; n < isa::kSections; ++n) {
    const auto section = static_cast<isa::Section>(n);
    const bool streams = section == isa::Section::loop_initialization || section == isa::Section::loop_body;
    passes_[n] = schedule_pass(lines_of(program, section), streams ? records : SideTraffic{}, timing);
  }
  last_iteration_ = schedule_pass(lines_of(program, isa::Section::loop_body), {}, timing);
  initialization_alone_ = schedule_pass(lines_of(program, isa::Section::loop_initialization), {}, timing).clocks;

  PortTiming from_host = timing;  // i-data come from the control processor, not from external memory
  from_host.em_bound = false;
  from_host.idp_interval = machine.idp_clocks;
  i_field_clocks_ = schedule_pass({}, {kParticlesPerRun, true, 0}, from_host).clocks +
                    schedule_pass(transfer_lines(isa::BmMode::read), {}, timing).clocks;
  result_field_clocks_ = schedule_pass(transfer_lines(isa::BmMode::write), {}, timing).clocks +
                         schedule_pass({}, {0, false, kParticlesPerRun}, timing).clocks + machine.tree_latency;
}

RunClocks Schedule::run(std::uint64_t records) const {
  const std::uint64_t iterations = (records + kBlocks - 1) / kBlocks;
  const Pass& body = pass(isa::Section::loop_body);
  RunClocks clocks;
  clocks.i_load = i_fields_ * i_field_clocks_;
  clocks.loop_initialization = initialization_alone_;
  clocks.loop_termination = pass(isa::Section::loop_termination).clocks;
  clocks.collection = result_fields_ * result_field_clocks_;
  if (iterations == 0) return clocks;

  clocks.first_record = pass(isa::Section::loop_initialization).clocks - clocks.loop_initialization;
  clocks.loop_body = iterations * body.lines.size() * isa::kClocksPerLine;
  for (std::size_t reason = 0; reason < kStallReasons; ++reason) {
    clocks.stalls[reason] = (iterations - 1) * body.stalls[reason] + last_iteration_.stalls[reason];
  }
  of(clocks.stalls, StallReason::unexplained) =
      static_cast<std::uint64_t>(static_cast<double>(iterations) * loop_stall_);
  const auto stalled = [&] {
    std::uint64_t sum = 0;
    for (const std::uint64_t stall : clocks.stalls) sum += stall;
    return sum;
  };
  // The chip waits while external memory refreshes, which takes a fixed share of all time.
  const auto held = static_cast<double>(clocks.first_record + clocks.loop_body + stalled());
  of(clocks.stalls, StallReason::refresh) = static_cast<std::uint64_t>(held * refresh_share_ / (1 - refresh_share_));
  clocks.stall = stalled();
  return clocks;
}

}  // namespace gdr::emulator
