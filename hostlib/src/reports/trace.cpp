#include "gdr/hostlib/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/json.h"
#include "gdr/emulator/chip.h"
#include "line_texts.h"

namespace gdr::hostlib {
namespace {

using emulator::BoardCall;
using emulator::Pass;
using emulator::ScheduledLine;
using emulator::StallReason;
using isa::Section;

// Tracks of a chip, from top to bottom.
enum Track : unsigned { kLines = 1, kAdder, kMultiplier, kAlu, kPort, kIdp, kOdp, kBlocks };
constexpr std::string_view kTrackNames[] = {"",    "lines and stalls", "adder", "multiplier",
                                            "ALU", "BM port",          "IDP",   "tree and ODP"};

/// Bytes that stay free for the text after the last event.
constexpr std::uint64_t kTail = 200;

class Writer {
 public:
  Writer(const emulator::BoardTime& board, const isa::Program& program, const TraceOptions& options)
      : board_(board), schedule_(board.schedule()), options_(options), texts_(program) {}

  Trace write() {
    trace_.json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    name_tracks();
    for (const BoardCall& call : board_.calls()) write_call(call);
    trace_.json += "\n]}\n";
    trace_.no_lines = no_lines();
    return std::move(trace_);
  }

 private:
  void add(const std::string& event) {
    if (trace_.json.size() + event.size() + kTail > options_.most_bytes) {
      trace_.complete = false;
      return;
    }
    trace_.json += trace_.events == 0 ? "\n" : ",\n";
    trace_.json += event;
    ++trace_.events;
  }

  void name_track(unsigned process, unsigned track, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", process, track,
                    name));
  }

  void name_tracks() {
    add(R"({"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"host and board"}})");
    name_track(0, 1, "calls");
    for (const unsigned chip : options_.chips) {
      add(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":"chip {}"}}}})", chip + 1,
                      chip));
      for (unsigned track = kLines; track < kBlocks; ++track) name_track(chip + 1, track, kTrackNames[track]);
      for (const unsigned block : options_.blocks) {
        name_track(chip + 1, kBlocks + block, fmt::format("record into block {}", block));
      }
    }
  }

  void host_slice(std::string_view name, double begin, double seconds) {
    if (seconds <= 0) return;
    add(fmt::format(R"({{"ph":"X","pid":0,"tid":1,"name":"{}","ts":{:.4f},"dur":{:.4f}}})", name, begin * 1e6,
                    seconds * 1e6));
  }

  void write_call(const BoardCall& call) {
    if (call.kind == BoardCall::Kind::send_j) {
      return host_slice(fmt::format("j send: {} records", call.particles), call.begin, call.seconds);
    }
    if (call.kind == BoardCall::Kind::host) {
      return host_slice(fmt::format("integrate {}", call.particles), call.begin, call.seconds);
    }
    if (board_.turn_schedule() != nullptr) return write_turns(call);
    host_slice(fmt::format("{} i-particles, {} j-particles", call.particles, call.records), call.begin, call.seconds);
    double at = call.begin;
    for (std::uint64_t first = 0; first < call.particles; first += emulator::kParticlesPerRun) {
      const std::uint64_t count = std::min<std::uint64_t>(emulator::kParticlesPerRun, call.particles - first);
      at = write_run(at, count, call.records);
    }
    host_slice("add", at, call.begin + call.seconds - at);
  }

  /// Where the parts of a run begin that the chip takes part in, and its end. Seconds.
  struct Begins {
    double load, loop, collection, end;
  };
  Begins write_stages(double begin, const emulator::RunSeconds& run) {
    double at = begin;
    const auto stage = [&](std::string_view name, double seconds) {
      host_slice(name, at, seconds);
      at += seconds;
    };
    stage("i send: write", run.i_write);
    const double load = at;
    stage("i send: load", run.i_load);
    stage("start", run.start);
    const double loop = at;
    stage("loop", run.loop);
    const double collection = at;
    stage("collect", run.collection);
    stage("result DMA", run.result_dma);
    return {load, loop, collection, at};
  }

  /// Writes one run; returns the time at which it ends.
  double write_run(double begin, std::uint64_t particles, std::uint64_t records) {
    const Begins begins = write_stages(begin, board_.one_run(particles, records));
    if (run_++ >= options_.run) {
      note_clocks(schedule_.run((records + board_.chips() - 1) / board_.chips()).total());
      for (const unsigned chip : options_.chips) {
        write_chip(chip, records, begins.load, begins.loop, begins.collection);
      }
    }
    return begins.end;
  }

  /// Writes a run of a kernel of Type II. All chips do the same.
  void write_turns(const BoardCall& call) {
    host_slice(fmt::format("{} i-particles, {} turns", call.particles, call.records), call.begin, call.seconds);
    const Begins begins = write_stages(call.begin, board_.one_run_of_turns(call.particles, call.records));
    if (run_++ < options_.run) return;
    note_clocks(board_.clocks_of_turns(call.particles, call.records).total());
    for (const unsigned chip : options_.chips) write_turns_of_chip(chip, call, begins);
  }

  void note_clocks(std::uint64_t clocks) { longest_ = std::max(longest_, clocks); }

  [[nodiscard]] std::string no_lines() const {
    if (run_ == 0) return "";  // the board did nothing
    if (run_ <= options_.run) {
      return fmt::format("lines were requested from run {} on, and the last run is {}", options_.run, run_ - 1);
    }
    if (longest_ <= options_.first_clock) {
      return fmt::format("lines were requested from chip clock {} on, and the last one of a run is {}",
                         options_.first_clock, longest_ - 1);
    }
    return "";
  }

  void write_turns_of_chip(unsigned chip, const BoardCall& call, const Begins& begins) {
    chip_ = chip;
    const emulator::TurnSchedule& turns = *board_.turn_schedule();
    const emulator::RunClocks clocks = board_.clocks_of_turns(call.particles, call.records);
    base_ = 0;
    begin_ = begins.load;
    for (unsigned field = 0; field < turns.i_fields(); ++field) {
      const std::uint64_t of_field = clocks.i_load / turns.i_fields();
      slice(kLines, "i-data field", field * of_field, of_field);
    }
    std::uint64_t at = clocks.i_load;
    base_ = at;
    begin_ = begins.loop;
    const auto write_section = [&](std::string_view name, Section section, const emulator::SectionPlay& play) {
      slice(kLines, name, at, play.pass.clocks);
      write_pass(play.pass, section, at, false);
      for (const auto& wait : play.waits) {
        slice(kLines, fmt::format("stall: {}", emulator::name_of(wait.reason)), at + wait.clocks.begin,
              wait.clocks.end - wait.clocks.begin);
      }
      for (const emulator::ClockSpan& record : play.transfers) {
        slice(kIdp, "next record", at + record.begin, record.end - record.begin);
        for (const unsigned block : options_.blocks) {
          slice(kBlocks + block, "record", at + record.begin, record.end - record.begin);
        }
      }
      for (const emulator::ClockSpan& words : play.drains) {
        slice(kOdp, "tree and ODP", at + words.begin, words.end - words.begin);
      }
      at += play.pass.clocks;
    };
    write_section("loop initialization", Section::loop_initialization, turns.play(Section::loop_initialization));
    for (std::uint64_t n = 0; n + 1 < call.records && at < options_.last_clock && trace_.complete; ++n) {
      write_section(fmt::format("turn {}", n), Section::loop_body, turns.turn(n));
    }
    // Refresh is counted for the whole loop.
    const emulator::TurnSchedule::End end = turns.end(call.records);
    at = clocks.total() - clocks.loop_termination - clocks.collection - end.last_turn.pass.clocks;
    if (call.records > 0) {
      write_section(fmt::format("turn {}", call.records - 1), Section::loop_body, end.last_turn);
    }
    write_section("loop termination", Section::loop_termination, end.termination);
  }

  /// Writes a slice of chip clocks on one track, if the window of clocks and the limit of bytes allow it.
  void slice(unsigned track, std::string_view name, std::uint64_t clock, std::uint64_t clocks) {
    if (clocks == 0 || clock >= options_.last_clock || clock + clocks <= options_.first_clock || !trace_.complete)
      return;
    const double mhz = board_.machine().clock_mhz;
    add(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"name":"{}","ts":{:.4f},"dur":{:.4f},"args":{{"clock":{},"clocks":{}}}}})",
        chip_ + 1, track, name, begin_ * 1e6 + static_cast<double>(clock - base_) / mhz,
        static_cast<double>(clocks) / mhz, clock, clocks));
  }

  /// Clocks count from the first clock of the run; `begin_` is the time of clock `base_`.
  void write_chip(unsigned chip, std::uint64_t records, double load, double loop, double collection) {
    chip_ = chip;
    const unsigned chips = board_.chips();
    const std::uint64_t own = (records + chips - 1 - chip) / chips;
    const emulator::RunClocks clocks = schedule_.run(own);
    base_ = 0;
    begin_ = load;
    for (unsigned field = 0; field < schedule_.i_fields(); ++field) {
      slice(kLines, "i-data field", field * schedule_.i_field_clocks(), schedule_.i_field_clocks());
    }
    base_ = clocks.i_load;
    begin_ = loop;
    const std::uint64_t end = write_loop(own, clocks, clocks.i_load);
    base_ = end;
    begin_ = collection;
    for (unsigned field = 0; field < schedule_.result_fields(); ++field) {
      const std::uint64_t at = end + field * schedule_.result_field_clocks();
      slice(kLines, "result field", at, schedule_.result_field_clocks());
      slice(kOdp, "tree and ODP", at + emulator::kParticlesPerRun,
            schedule_.result_field_clocks() - emulator::kParticlesPerRun);
    }
  }

  std::uint64_t write_loop(std::uint64_t records, const emulator::RunClocks& clocks, std::uint64_t start) {
    const std::uint64_t iterations = (records + emulator::kBlocks - 1) / emulator::kBlocks;
    slice(kLines, "loop", start, clocks.loop());
    std::uint64_t at = start;
    const Pass& initialization = schedule_.pass(Section::loop_initialization);
    const std::uint64_t initialized = clocks.loop_initialization + clocks.first_record;
    slice(kLines, "loop initialization", at, initialized);
    write_pass(initialization, Section::loop_initialization, at, iterations > 0);
    slice(kLines, "stall: first record", at + clocks.loop_initialization, clocks.first_record);
    at += initialized;
    const double stall = board_.machine().loop_stall;
    std::uint64_t stalled = 0;
    for (std::uint64_t n = 0; n < iterations && at < options_.last_clock && trace_.complete; ++n) {
      const bool last = n + 1 == iterations;
      const Pass& pass = last ? schedule_.last_iteration() : schedule_.pass(Section::loop_body);
      const auto stalls = static_cast<std::uint64_t>(stall * static_cast<double>(n + 1));
      slice(kLines, fmt::format("iteration {}", n), at, pass.clocks + stalls - stalled);
      write_pass(pass, Section::loop_body, at, !last);
      at += pass.clocks;
      slice(kLines, "stall: unexplained", at, stalls - stalled);
      at += stalls - stalled;
      stalled = stalls;
    }
    const std::uint64_t end = start + clocks.loop();
    const std::uint64_t refresh = clocks.stalls[static_cast<std::size_t>(StallReason::refresh)];
    slice(kLines, "stall: refresh", end - clocks.loop_termination - refresh, refresh);
    write_pass(schedule_.pass(Section::loop_termination), Section::loop_termination, end - clocks.loop_termination,
               false);
    return end;
  }

  /// The name in JSON form, kept because the same lines are written again and again.
  const std::string& name_of_line(Section section, std::size_t number) {
    const auto [found, fresh] = names_.try_emplace({section, number});
    if (fresh) {
      const std::string quoted = base::Json("line " + texts_.placed(section, number)).text(base::Json::kCompact);
      found->second = quoted.substr(1, quoted.size() - 2);
    }
    return found->second;
  }

  void write_pass(const Pass& pass, Section section, std::uint64_t at, bool streams) {
    if (at >= options_.last_clock || at + pass.clocks <= options_.first_clock) return;
    for (std::size_t n = 0; n < pass.lines.size(); ++n) {
      const ScheduledLine& line = pass.lines[n];
      const std::uint64_t clock = at + line.start;
      slice(kLines, name_of_line(section, n), clock, line.clocks);
      slice(kLines, "stall: BM port: IDP", clock + line.clocks - line.stall(), line.stall_idp);
      slice(kLines, "stall: BM port: tree", clock + line.clocks - line.stall_tree, line.stall_tree);
      if (line.adder) slice(kAdder, "add", clock, isa::kClocksPerLine);
      if (line.multiplier) slice(kMultiplier, "multiply", clock, isa::kClocksPerLine);
      if (line.alu) slice(kAlu, "ALU", clock, isa::kClocksPerLine);
      if (line.bm_reads > 0) slice(kPort, "read", clock, line.bm_reads);
      if (line.bm_writes > 0) slice(kPort, "write", clock, line.bm_writes);
    }
    if (!streams || pass.idp_end == 0) return;
    slice(kIdp, "next record", at, pass.idp_end);
    for (const unsigned block : options_.blocks) slice(kBlocks + block, "record", at, pass.idp_end);
    if (section == Section::loop_body) {
      slice(kLines, "stall: next record", at + pass.lines_end, pass.clocks - pass.lines_end);
    }
  }

  const emulator::BoardTime& board_;
  const emulator::Schedule& schedule_;
  const TraceOptions& options_;
  LineTexts texts_;
  std::map<std::pair<Section, std::size_t>, std::string> names_;
  Trace trace_;
  unsigned chip_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t longest_ = 0;  // chip clocks of the longest run of those whose lines may be shown
  std::uint64_t base_ = 0;
  double begin_ = 0;
};

}  // namespace

void validate(const TraceOptions& options, unsigned chips) {
  for (const unsigned chip : options.chips) {
    if (chip >= chips) throw Error(fmt::format("chip {} is outside 0..{}", chip, chips - 1));
  }
  for (const unsigned block : options.blocks) {
    if (block >= emulator::kBlocks) throw Error(fmt::format("block {} is outside 0..{}", block, emulator::kBlocks - 1));
  }
  if (options.first_clock >= options.last_clock) {
    throw Error(fmt::format("the window from chip clock {} to {} holds none: it must end after it begins",
                            options.first_clock, options.last_clock));
  }
}

Trace make_trace(const emulator::BoardTime& board, const isa::Program& program, const TraceOptions& options) {
  validate(options, board.chips());
  return Writer(board, program, options).write();
}

}  // namespace gdr::hostlib
