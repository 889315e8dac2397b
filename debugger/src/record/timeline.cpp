#include "timeline.h"

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/isa/effects.h"

namespace gdr::debugger {
namespace {

using emulator::LoopRun;
using emulator::Piece;
using isa::Section;

// Moving a block to the vector engine and back takes about as long as so many lines.
constexpr std::uint64_t kJumpLines = 1024;

/// False if the first line of the body or of the termination reads a word that the last line of the body writes.
/// Assembled programs never do this; a word that arrives early would then be visible.
bool lands_quietly(const isa::Program& program) {
  const std::vector<isa::ProgramLine> body = program.lines(Section::loop_body);
  if (body.empty()) return true;
  const isa::Effects last = isa::effects(isa::decoded(body.back().word));
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    const std::vector<isa::ProgramLine> lines = program.lines(section);
    if (lines.empty()) continue;
    const isa::Effects first = isa::effects(isa::decoded(lines.front().word));
    for (const isa::Access& read : first.reads()) {
      for (const isa::Access& write : last.writes()) {
        if (write.storage != isa::Storage::t && isa::overlap(read, first.elements(), write, last.elements())) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

Timeline::Timeline(const Recording& recording, const Clock& clock, unsigned chip, unsigned block, std::size_t places)
    : recording_(recording),
      clock_(clock),
      chip_(chip),
      number_(block),
      places_(places),
      quiet_edge_(lands_quietly(recording.program)),
      state_{emulator::BlockStepper(recording.program, block), 0, 0} {
  enter();
  patch();
  kept_.emplace(0, state_);
}

void Timeline::patch() {
  for (const Patch& one : recording_.patches) {
    if (one.moment != state_.now || one.chip != chip_ || one.block != number_) continue;
    state_.block.set_pe(one.pe, {one.memory, one.address, one.width, 1}, std::span(&one.word, 1));
  }
}

Moment Timeline::next_patch(Moment otherwise) const {
  for (const Patch& one : recording_.patches) {
    if (one.chip == chip_ && one.block == number_ && one.moment > state_.now)
      otherwise = std::min(otherwise, one.moment);
  }
  return otherwise;
}

void Timeline::take_patches() {
  patch();
  kept_.erase(kept_.upper_bound(state_.now), kept_.end());
  if (kept_.contains(state_.now)) kept_.insert_or_assign(state_.now, state_);
}

/// Executes the host's commands before the next line.
void Timeline::enter() {
  while (state_.block.done() && state_.next_command < recording_.commands.size()) {
    const isa::Visitor apply_command{
        [&](const BroadcastCommand& command) { state_.block.write_bm(command.address, command.words); },
        [&](const ParticlesCommand& command) { apply(command); },
        [&](const InitializeCommand&) { state_.block.begin_initialization(); },
        [&](const Piece& piece) {
          if (piece.chip == chip_) state_.block.begin(loop_of(piece, 0));
        }};
    std::visit(apply_command, recording_.commands[state_.next_command++]);
  }
}

void Timeline::apply(const ParticlesCommand& command) {
  const bool here = chip_ >= command.chips.first && chip_ < command.chips.first + command.chips.count &&
                    number_ >= command.blocks.first && number_ < command.blocks.first + command.blocks.count;
  if (!here) return;
  for (const hostlib::ParticleField& field : fields_of(recording_.program, command)) {
    state_.block.write_pes(0, field.where, field.words);
  }
}

/// The rest of a piece, from an even iteration on.
LoopRun Timeline::loop_of(const Piece& piece, std::uint64_t first_turn) const {
  const unsigned record = recording_.program.record_words;
  const std::uint64_t skipped = std::min(piece.records, first_turn * isa::kBlocks);
  LoopRun run;
  run.stream.record_words = record;
  run.stream.records = piece.records - skipped;
  run.stream.words =
      std::span(recording_.memory[chip_]).subspan(piece.address + skipped * record, run.stream.records * record);
  run.live_pes = piece.live_pes;
  run.begins = piece.begins && first_turn == 0;
  run.ends = piece.ends;
  run.run = piece.run;
  run.first_iteration = piece.first_iteration + first_turn;
  return run;
}

void Timeline::step() {
  if (state_.block.done()) throw Error("the run is over: there is no next line");
  try {
    state_.block.step();
  } catch (const emulator::Fault& fault) {
    throw fault.on_chip(chip_);
  }
  ++state_.now;
  enter();
  patch();
  if (state_.now % stride_ == 0) keep_place();
}

void Timeline::seek(Moment moment) {
  if (moment > clock_.end()) throw Error("the run is over before that moment");
  auto after = kept_.upper_bound(moment);
  const State& nearest = std::prev(after)->second;  // there is always one at 0
  if (state_.now > moment || nearest.now > state_.now) {
    state_ = nearest;
    patch();
  }
  advance(moment);
}

void Timeline::advance(Moment moment) {
  bool may_jump = true;
  while (state_.now < moment) {
    if (const Moment target = next_patch(moment); may_jump && target - state_.now >= kJumpLines) {
      try {
        if (jump(target)) {
          patch();
          continue;
        }
      } catch (const emulator::Fault&) {
        may_jump = false;  // line by line up to the fault
      }
    }
    step();
  }
}

/// Executes as many whole iterations as possible on the vector engine. False if it cannot begin here.
bool Timeline::jump(Moment moment) {
  const Segment* segment = clock_.segment_at(state_.now);
  if (segment == nullptr || segment->piece == nullptr) return false;
  const Piece& piece = *segment->piece;
  const bool at_start = state_.now == segment->first;
  const std::uint64_t before_body = piece.begins ? clock_.lines_of(Section::loop_initialization) : 0;
  const std::uint64_t body = clock_.lines_of(Section::loop_body);
  const Moment loop = segment->first + before_body;
  std::uint64_t turn = 0;  // iteration of the piece that comes next
  if (!at_start) {
    if (!quiet_edge_ || body == 0 || state_.now < loop || (state_.now - loop) % (2 * body) != 0) return false;
    turn = (state_.now - loop) / body;
    if (turn == 0 || turn >= segment->iterations) return false;
  }
  LoopRun run = loop_of(piece, turn);
  Moment end = segment->end();
  std::uint64_t reached = segment->iterations;
  if (moment < end) {
    if (!quiet_edge_ || moment < loop || body == 0) return false;
    reached = std::min((moment - loop) / body / 2 * 2, (segment->iterations - 1) / 2 * 2);
    if (reached <= turn) return false;
    end = loop + reached * body;
    run.ends = false;
    run.stream.records = (reached - turn) * isa::kBlocks;
    run.stream.words = run.stream.words.first(run.stream.records * run.stream.record_words);
  }
  if (fast_ == nullptr) {
    fast_ = emulator::make_simd_chip();
    fast_->load(recording_.program);
  }
  std::vector<isa::LongWord> collected(
      emulator::collected_words(recording_.program, run.stream.iterations(), run.begins, run.ends));
  run.collected = collected;
  emulator::set_state(*fast_, number_, state_.block.state());
  fast_->run_loop({number_, 1}, run);
  state_.block.set_state(emulator::state_of(*fast_, number_));
  state_.now = end;
  if (end == segment->end()) {
    enter();
  } else {
    state_.block.begin(loop_of(piece, reached));
  }
  keep_place();
  return true;
}

void Timeline::keep_place() {
  if (places_ == 0) return;
  kept_.insert_or_assign(state_.now, state_);
  if (kept_.size() <= places_ + 1) return;
  // Removes every second state except the first one.
  for (auto at = std::next(kept_.begin()); at != kept_.end();) {
    at = kept_.erase(at);
    if (at != kept_.end()) ++at;
  }
  stride_ *= 2;
}

}  // namespace gdr::debugger
