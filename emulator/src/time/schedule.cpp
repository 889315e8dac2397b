// Simulates one pass clock by clock, and combines the passes of a run.
#include "gdr/emulator/schedule.h"

#include <algorithm>
#include <cmath>

#include "gdr/base/units.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/effects.h"
#include "ports.h"

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

std::vector<isa::Line> lines_of(const isa::Program& program, isa::Section section) {
  std::vector<isa::Line> lines;
  for (const isa::ProgramLine& coded : program.lines(section)) lines.push_back(isa::decoded(coded.word));
  return lines;
}

}  // namespace

ScheduledLine uses_of(const isa::Line& line) {
  const isa::Effects effects = isa::effects(line);
  ScheduledLine scheduled;
  (effects.writes_bm() ? scheduled.bm_writes : scheduled.bm_reads) = static_cast<std::uint8_t>(effects.bm_clocks());
  scheduled.adder = effects.busy(isa::Unit::adder);
  scheduled.multiplier = effects.busy(isa::Unit::multiplier);
  scheduled.alu = effects.busy(isa::Unit::alu);
  return scheduled;
}

std::vector<isa::Line> transfer_lines(isa::BmMode mode) {
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.bm.mode = mode;
  line.bm.vector = true;
  return std::vector<isa::Line>(kPesPerBlock, line);
}

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
  Issue issue;
  Stream stream(beside, timing);
  Drain drain(beside, timing);
  std::uint64_t clock = 0;
  std::size_t at = 0;  // the line after the one that is being executed
  if (!pass.lines.empty()) issue.begin(pass.lines[at++], clock);
  for (; !issue.done() || !stream.done(clock) || !drain.done(clock); ++clock) {
    const bool lines_done = issue.done();
    const bool idp_done = stream.done(clock);
    const bool idp_stored = stream.stored();
    if (step_ports(clock, issue, stream, drain, timing.line_first)) ++pass.port_busy;
    if (issue.done() && at < pass.lines.size()) issue.begin(pass.lines[at++], clock + 1);
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
