#include "gdr/emulator/turn_schedule.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gdr/isa/effects.h"
#include "ports.h"

namespace gdr::emulator {
namespace {

// Turns repeat after one or two, as soon as the words on their way are the same at the end of a turn. A sequence that
// does not repeat by then is taken to go on as its second half did.
constexpr std::size_t kMostPlayed = 256;

/// The lines and moves of one section, clock by clock.
class Player {
 public:
  Player(const PortTiming& timing, double tree_interval, const PendingDrain& pending)
      : timing_(timing), tree_interval_(tree_interval), stream_({}, timing_), drain_(pending, tree_interval, timing_) {
    if (!drain_.done(0)) play_.drains.push_back({0, 0});
  }

  void line(const ScheduledLine& uses) {
    // The lines must stay where they are while one of them is executed.
    ScheduledLine line = uses;
    Issue issue;
    issue.begin(line, clock_);
    while (!issue.done()) step(issue);
    play_.pass.lines.push_back(line);
    play_.pass.lines_end = clock_;
    of(play_.pass.stalls, StallReason::bm_port_idp) += line.stall_idp;
    of(play_.pass.stalls, StallReason::bm_port_tree) += line.stall_tree;
  }

  void transfer(std::uint64_t words) {
    wait_for_record();
    stream_ = Stream({words, false, 0}, timing_, clock_);
    play_.pass.beside.idp_words += words;
    if (words > 0) play_.transfers.push_back({clock_, clock_});
  }

  void collect(std::uint64_t words) {
    wait_for_words();
    drain_ = Drain(SideTraffic{0, false, words, tree_interval_}, timing_, clock_);
    play_.pass.beside.tree_words += words;
    play_.drains.push_back({clock_, clock_});
  }

  void wait_for_record() {
    wait(timing_.em_bound ? StallReason::em : StallReason::idp, [this] { return stream_.done(clock_); });
  }
  void wait_for_words() {
    wait(StallReason::odp, [this] { return drain_.done(clock_); });
  }
  /// The last word passes through the tree.
  void wait_for_tree(std::uint64_t clocks) {
    if (clocks == 0) return;
    play_.waits.push_back({{clock_, clock_ + clocks}, StallReason::odp});
    of(play_.pass.stalls, StallReason::odp) += clocks;
    clock_ += clocks;
    if (!play_.drains.empty()) play_.drains.back().end = clock_;
  }

  [[nodiscard]] SectionPlay end(PendingDrain& pending) {
    pending = drain_.pending(clock_);
    play_.pass.clocks = clock_;
    if (!drain_.done(clock_)) play_.drains.back().end = clock_;
    return std::move(play_);
  }

 private:
  template <class Done>
  void wait(StallReason reason, Done done) {
    Issue nothing;
    const std::uint64_t begin = clock_;
    while (!done()) step(nothing);
    if (clock_ == begin) return;
    play_.waits.push_back({{begin, clock_}, reason});
    of(play_.pass.stalls, reason) += clock_ - begin;
  }

  void step(Issue& issue) {
    const bool stored = stream_.stored();
    const bool drained = drain_.done(clock_);
    if (step_ports(clock_, issue, stream_, drain_, timing_.line_first)) ++play_.pass.port_busy;
    ++clock_;
    if (stream_.stored() && !stored) {
      play_.transfers.back().end = clock_;
      play_.pass.idp_end = clock_;
    }
    if (drain_.done(clock_) && !drained) {
      play_.drains.back().end = clock_;
      play_.pass.tree_end = clock_;
    }
  }

  PortTiming timing_;
  double tree_interval_;
  Stream stream_;
  Drain drain_;
  std::uint64_t clock_ = 0;
  SectionPlay play_;
};

/// Clocks of a section beyond four for each line.
std::uint64_t stalled(const Pass& pass) { return pass.clocks - pass.lines.size() * isa::kClocksPerLine; }

}  // namespace

TurnSchedule::TurnSchedule(const isa::Program& program, const MachineDescription& machine)
    : timing_(port_timing(machine)),
      from_host_(timing_),
      record_words_(std::uint64_t{kBlocks} * program.record_words),
      i_fields_(static_cast<unsigned>(program.record_fields(isa::Transfer::hlt))),
      tree_latency_(machine.tree_latency),
      refresh_share_(machine.em_refresh_ns / (machine.em_refresh_interval_us * 1e3)) {
  from_host_.em_bound = false;  // i-data come from the control processor, not from external memory
  from_host_.idp_interval = machine.idp_clocks;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    const isa::Visitor take{
        [&](const isa::ProgramLine& line) {
          steps_[section].push_back({Step::Kind::line, uses_of(isa::decoded(line.word)), 0, false});
        },
        [&](const isa::TransferStep&) {
          steps_[section].push_back({Step::Kind::transfer, {}, 0, false});
          if (static_cast<isa::Section>(section) == isa::Section::loop_body) streams_ = true;
        },
        [&](const isa::CollectStep& collect) {
          steps_[section].push_back({Step::Kind::collect, {}, collect.words_out(), collect.not_first});
          collects_ = true;
        }};
    for (const isa::Step& step : program.sections[section]) std::visit(take, step);
  }

  play_turns();
  pace();
  PendingDrain at_end = played_[index_of(played_.size())].before;
  termination_ = play_section(isa::Section::loop_termination, false, Streams::no, at_end);
}

void TurnSchedule::play_turns() {
  played_.clear();
  PendingDrain pending;
  initialization_ = play_section(isa::Section::loop_initialization, false, Streams::yes, pending);
  after_initialization_ = pending;
  // Turns until one begins as an earlier one did; the first turn leaves out collects.
  std::optional<std::size_t> again;
  while (!again && played_.size() < kMostPlayed) {
    const PendingDrain before = pending;
    for (std::size_t n = 1; n < played_.size() && !again; ++n) {
      if (played_[n].before == before) again = n;
    }
    if (again) break;
    played_.push_back({before, play_section(isa::Section::loop_body, played_.empty(), Streams::yes, pending)});
  }
  repeats_from_ = again.value_or(kMostPlayed / 2);
}

double TurnSchedule::mean_turn() const {
  double sum = 0;
  for (std::size_t n = repeats_from_; n < played_.size(); ++n) sum += static_cast<double>(played_[n].play.pass.clocks);
  return sum / static_cast<double>(played_.size() - repeats_from_);
}

void TurnSchedule::pace() {
  const std::uint64_t words = played_.back().play.pass.beside.tree_words;
  if (words == 0) return;
  // Even steps from the output port's own rate to the average rate of turns that are not paced.
  constexpr unsigned kSteps = 16;
  // Parts of a clock that are exact in a double, so that turns which are alike have equal numbers.
  constexpr double kParts = 1024;
  double fewest = mean_turn();
  double best = 0;
  const double slowest = fewest / static_cast<double>(words);
  for (unsigned step = 1; step <= kSteps; ++step) {
    const double spread = timing_.odp_clocks + (slowest - timing_.odp_clocks) * step / kSteps;
    tree_interval_ = std::floor(spread * kParts) / kParts;
    play_turns();
    if (const double clocks = mean_turn(); clocks < fewest) {
      fewest = clocks;
      best = tree_interval_;
    }
  }
  tree_interval_ = best;
  play_turns();
}

SectionPlay TurnSchedule::play_section(isa::Section section, bool first_turn, Streams streams,
                                       PendingDrain& pending) const {
  Player player(timing_, tree_interval_, pending);
  for (const Step& step : steps_[static_cast<std::size_t>(section)]) {
    switch (step.kind) {
      case Step::Kind::line:
        player.line(step.line);
        break;
      case Step::Kind::transfer:
        player.transfer(streams == Streams::yes ? record_words_ : 0);
        break;
      case Step::Kind::collect:
        if (!step.not_first || !first_turn) player.collect(step.words_out);
        break;
    }
  }
  player.wait_for_record();
  if (section == isa::Section::loop_termination) {
    player.wait_for_words();
    if (collects_) player.wait_for_tree(tree_latency_);
  }
  return player.end(pending);
}

std::size_t TurnSchedule::index_of(std::uint64_t turn) const {
  if (turn < played_.size()) return static_cast<std::size_t>(turn);
  const std::uint64_t period = played_.size() - repeats_from_;
  return repeats_from_ + static_cast<std::size_t>((turn - repeats_from_) % period);
}

const SectionPlay& TurnSchedule::play(isa::Section section) const {
  switch (section) {
    case isa::Section::initialization:
    case isa::Section::loop_initialization:
      return initialization_;
    case isa::Section::loop_body:
      return played_.back().play;
    case isa::Section::loop_termination:
      break;
  }
  return termination_;
}

TurnSchedule::End TurnSchedule::end(std::uint64_t turns) const {
  End end;
  PendingDrain pending = after_initialization_;
  if (turns > 0) {
    pending = played_[index_of(turns - 1)].before;
    end.last_turn = play_section(isa::Section::loop_body, turns == 1, Streams::no, pending);
  }
  end.termination = play_section(isa::Section::loop_termination, false, Streams::no, pending);
  return end;
}

std::vector<std::uint64_t> TurnSchedule::clocks_per_turn() const {
  std::vector<std::uint64_t> clocks;
  for (std::size_t n = repeats_from_; n < played_.size(); ++n) clocks.push_back(played_[n].play.pass.clocks);
  return clocks;
}

std::uint64_t TurnSchedule::i_field_clocks(unsigned i_blocks) const {
  if (i_blocks == 0) return 0;
  return schedule_pass({}, {std::uint64_t{kParticlesPerRun} * i_blocks, false, 0}, from_host_).clocks +
         schedule_pass(transfer_lines(isa::BmMode::read), {}, timing_).clocks;
}

RunClocks TurnSchedule::run(std::uint64_t turns, unsigned i_blocks) const {
  RunClocks clocks;
  clocks.i_load = i_fields_ * i_field_clocks(i_blocks);
  clocks.loop_initialization = initialization_.pass.lines.size() * isa::kClocksPerLine;
  if (turns > 0) clocks.first_record = stalled(initialization_.pass);

  const auto add_turns = [&](const Pass& pass, std::uint64_t times) {
    clocks.loop_body += times * pass.lines.size() * isa::kClocksPerLine;
    for (std::size_t reason = 0; reason < kStallReasons; ++reason) clocks.stalls[reason] += times * pass.stalls[reason];
  };
  const std::uint64_t before_last = turns == 0 ? 0 : turns - 1;
  const std::uint64_t period = played_.size() - repeats_from_;
  const std::uint64_t single = std::min<std::uint64_t>(before_last, repeats_from_);
  for (std::uint64_t n = 0; n < single; ++n) add_turns(turn(n).pass, 1);
  for (std::uint64_t n = 0; n < period && single + n < before_last; ++n) {
    add_turns(turn(single + n).pass, (before_last - single - n + period - 1) / period);
  }
  const End ending = end(turns);
  add_turns(ending.last_turn.pass, turns == 0 ? 0 : 1);
  if (streams_ && turns > 0) {
    // The chip waits while external memory refreshes, which takes a fixed share of the time in which it reads.
    std::uint64_t held = clocks.first_record + clocks.loop_body;
    for (const std::uint64_t stall : clocks.stalls) held += stall;
    of(clocks.stalls, StallReason::refresh) =
        static_cast<std::uint64_t>(static_cast<double>(held) * refresh_share_ / (1 - refresh_share_));
  }
  for (const std::uint64_t stall : clocks.stalls) clocks.stall += stall;
  clocks.loop_termination = ending.termination.pass.lines.size() * isa::kClocksPerLine;
  clocks.collection = stalled(ending.termination.pass);
  return clocks;
}

}  // namespace gdr::emulator
