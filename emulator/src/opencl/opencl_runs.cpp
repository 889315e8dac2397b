// Runs of a session on a device, partly in doubles and partly in integers.
#include <fmt/format.h>

#include <algorithm>

#include "chip/require.h"
#include "gdr/emulator/session.h"
#include "opencl_session.h"

namespace gdr::emulator::opencl {

void OpenClSession::initialize() {
  post([this] {
    std::vector<TaskCode> tasks;
    Piece piece;
    piece.run = 0;  // section `initialization` belongs to no run
    piece.ends = false;
    for (piece.chip = 0; piece.chip < chips(); ++piece.chip) {
      for (unsigned block = 0; block < kBlocks; ++block) {
        tasks.push_back(task_of(piece, block));
        tasks.back().opens = 1 + static_cast<uint>(isa::Section::initialization);
      }
    }
    run_tasks(tasks);
    if (program_->may_fault) look_for_faults();
  });
  finish_and_throw();
}

Ticket OpenClSession::run(std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    require_place(piece.chip, piece.blocks.first);
    require(piece.blocks.count >= 1 && piece.blocks.count <= kBlocks - piece.blocks.first, "blocks.count",
            piece.blocks.count, 1, kBlocks - piece.blocks.first);
    require(piece.live_pes <= kPesPerBlock, "live_pes", piece.live_pes, 0, kPesPerBlock);
    const std::uint64_t record = program().record_words;
    require(record == 0 || piece.records <= memory_words_ / record, "records", piece.records, 0,
            record == 0 ? 0 : memory_words_ / record);
    require_memory(piece.address, piece.records * record);
    provide_memory(piece.address + piece.records * record);
    provide_collected(collected_by(piece));
    chips_[piece.chip].last = piece;
  }
  post([this, own = std::vector<Piece>(pieces.begin(), pieces.end())] { run_pieces(own); });
  return {++tickets_};
}

/// Runs the chips side by side, and the pieces of each chip one after the other.
void OpenClSession::run_pieces(const std::vector<Piece>& pieces) {
  std::vector<std::vector<Piece>> waves;
  std::vector<std::size_t> given(chips_.size());
  for (const Piece& piece : pieces) {
    const std::size_t wave = given[piece.chip]++;
    if (wave == waves.size()) waves.emplace_back();
    waves[wave].push_back(piece);
  }
  for (std::vector<Piece>& wave : waves) {
    std::erase_if(wave, [&](const Piece& piece) { return chips_[piece.chip].fault.has_value(); });
    if (!wave.empty()) run_wave(wave);
  }
}

void OpenClSession::run_wave(std::span<const Piece> pieces) {
  std::vector<TaskCode> tasks;
  for (const Piece& piece : pieces) {
    for (unsigned n = 0; n < piece.blocks.count; ++n) tasks.push_back(task_of(piece, piece.blocks.first + n));
    // Blocks that do not run send zeros to the tree.
    if (collected_by(piece) == 0 || piece.blocks.count == kBlocks) continue;
    const std::size_t of_block = collected_room_ * kLongBytes;
    const std::size_t first = std::size_t{piece.chip} * kBlocks;
    const unsigned end = piece.blocks.first + piece.blocks.count;
    device_.queue().clear(*collected_, first * of_block, piece.blocks.first * of_block);
    device_.queue().clear(*collected_, (first + end) * of_block, (kBlocks - end) * of_block);
  }
  if (const CompiledBody* const compiled = body_for(pieces)) {
    run_wave_in_doubles(pieces, *compiled);
  } else {
    run_tasks(tasks);
  }
  if (program_->may_fault) look_for_faults();
}

TaskCode OpenClSession::task_of(const Piece& piece, unsigned block) const {
  TaskCode task{};
  task.record = piece.chip * memory_room_ + piece.address;
  task.records = piece.records;
  task.run = piece.run;
  task.first_iteration = piece.first_iteration;
  task.end_turn = iterations_of(piece);
  task.place = piece.chip * kBlocks + block;
  task.collected = task.place * collected_room_;
  task.block = block;
  task.live_pes = piece.live_pes;
  task.opens = piece.begins ? 1 + static_cast<uint>(isa::Section::loop_initialization) : 0;
  task.ends = piece.ends ? 1 : 0;
  task.begins = piece.begins ? 1 : 0;
  return task;
}

void OpenClSession::run_tasks(std::span<const TaskCode> tasks) {
  if (tasks.empty()) return;
  const Buffer& sent = device_.provide(tasks_, "tasks", tasks.size_bytes());
  device_.queue().write(sent, 0, tasks.data(), tasks.size_bytes());
  Range range;
  range.counts[0] = tasks.size() * kPesPerBlock;
  range.group = kPesPerBlock;
  device_.queue().run(*device_.machine().kernels, "run_tasks",
                      {&sent, sections_.get(), steps_.get(), lines_.get(), states_.get(), flags_.get(), memory_.get(),
                       collected_.get(), events_.get(), faults_.get()},
                      range);
}

/// The body in doubles if it can be used and pays.
const CompiledBody* OpenClSession::body_for(std::span<const Piece> pieces) {
  bool touched = false;
  std::uint64_t interactions = 0;
  for (const Piece& piece : pieces) {
    OneChip& one = chips_[piece.chip];
    one.touched = one.touched && !piece.begins;
    touched = touched || one.touched;
    interactions += iterations_of(piece) * piece.blocks.count * piece.live_pes * isa::kVectorElements;
  }
  return touched || interactions == 0 ? nullptr : program_->body.in_doubles(interactions);
}

/// Runs loop initialization on the machine's kernel, the body in doubles as far as possible, and the rest on the
/// machine's kernel again.
void OpenClSession::run_wave_in_doubles(std::span<const Piece> pieces, const CompiledBody& compiled) {
  std::vector<TaskCode> before;
  std::vector<BodyTask> body;
  std::vector<TaskCode> behind;
  for (const Piece& piece : pieces) {
    const std::uint64_t turns = iterations_of(piece);
    const std::uint64_t blocks_in_last = turns == 0 ? 0 : piece.records - (turns - 1) * kBlocks;
    for (unsigned block = piece.blocks.first; block < piece.blocks.first + piece.blocks.count; ++block) {
      const TaskCode whole = task_of(piece, block);
      const std::uint64_t with_record = block < blocks_in_last ? turns : turns - std::min<std::uint64_t>(turns, 1);
      const std::uint64_t begin = piece.begins && !program_->body.may_begin() ? 1 : 0;
      const bool with_last = compiled.kernel.leaves_all;
      const std::uint64_t end = with_last || with_record == 0 ? with_record : with_record - 1;
      if (begin >= end || piece.live_pes == 0) {
        before.push_back(whole);
        continue;
      }
      before.push_back(whole);
      before.back().end_turn = begin;
      before.back().ends = 0;
      BodyTask& turns_of = body.emplace_back();
      turns_of.task = whole;
      turns_of.task.opens = 0;
      turns_of.task.ends = with_last ? 1 : 0;
      turns_of.task.end_turn = end;
      pass(turns_of.task, begin);
      behind.push_back(whole);
      behind.back().opens = 0;
      pass(behind.back(), end);
    }
  }
  const auto nothing = [&](const TaskCode& task) {
    return task.opens == 0 && task.ends == 0 && task.first_turn == task.end_turn;
  };
  std::erase_if(before, nothing);
  std::erase_if(behind, nothing);
  run_tasks(before);
  run_body(body, compiled);
  run_tasks(behind);
}

/// Advances the task to this turn of the piece.
void OpenClSession::pass(TaskCode& task, std::uint64_t turn) const {
  task.collected = task.place * collected_room_ + collected_words(program(), turn, task.begins != 0, false);
  task.first_turn = turn;
}

/// Runs the tasks in doubles, and on the machine's kernel the turns that the body in doubles refuses. After a few
/// refusals a block stays with the machine's kernel.
void OpenClSession::run_body(std::vector<BodyTask>& tasks, const CompiledBody& compiled) {
  constexpr unsigned kMostRefusals = 3;  // of the body as a whole
  for (;;) {
    std::vector<BodyTask*> not_done;
    for (BodyTask& task : tasks) {
      if (!task.done()) not_done.push_back(&task);
    }
    if (not_done.empty()) return;
    run_in_doubles(compiled, not_done);
    std::vector<TaskCode> refused;
    for (BodyTask* const task : not_done) {
      if (task->done()) continue;
      ++task->refusals;
      const bool all = task->refusals >= kMostRefusals;
      const std::uint64_t end =
          all ? task->task.end_turn : std::min(task->task.first_turn + jit::kTurns, task->task.end_turn);
      refused.push_back(task->task);
      refused.back().ends = 0;  // loop termination does not run with these turns
      refused.back().end_turn = end;
      pass(task->task, end);
    }
    run_tasks(refused);
  }
}

/// Runs turns of each of these blocks until it is done or the body refuses its next turns.
void OpenClSession::run_in_doubles(const CompiledBody& compiled, std::span<BodyTask* const> tasks) {
  std::vector<TaskCode> codes;
  for (const BodyTask* const task : tasks) codes.push_back(task->task);
  const std::size_t bytes = codes.size() * sizeof(TaskCode);
  const Buffer& sent = device_.provide(tasks_, "tasks", bytes);
  const Buffer& scratch =
      device_.provide(scratch_, "results of turns", codes.size() * compiled.kernel.scratch_words * kWordBytes);
  const Buffer& done = device_.provide(turns_done_, "turns", codes.size() * kWordBytes);
  device_.queue().write(sent, 0, codes.data(), bytes);
  Range range;
  range.group = compiled.kernel.items;
  range.counts[0] = codes.size() * range.group;
  device_.queue().run(*compiled.code, "run_turns",
                      {&sent, states_.get(), flags_.get(), memory_.get(), collected_.get(), &scratch, &done}, range);
  std::vector<ulong> turns(codes.size());
  device_.queue().read(done, 0, turns.data(), turns.size() * kWordBytes);
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    count_turns_in_doubles(turns[n] - tasks[n]->task.first_turn);
    pass(tasks[n]->task, turns[n]);
  }
}

/// Finds the first fault of each chip: the first fault in its first block that has one.
void OpenClSession::look_for_faults() {
  std::vector<PeFault> faults(chips_.size() * kBlocks * kPesPerBlock);
  device_.queue().read(*faults_, 0, faults.data(), faults.size() * sizeof(PeFault));
  for (unsigned chip = 0; chip < chips(); ++chip) {
    for (unsigned block = 0; block < kBlocks && !chips_[chip].fault; ++block) {
      const PeFault* const first = &faults[(std::size_t{chip} * kBlocks + block) * kPesPerBlock];
      std::optional<unsigned> earliest;
      for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
        if (first[pe].found == 0) continue;
        const auto before = [&](unsigned other) {
          return place_of(first[pe].key, chip, block, pe) < place_of(first[other].key, chip, block, other);
        };
        if (!earliest || before(*earliest)) earliest = pe;
      }
      if (earliest) chips_[chip].fault = fault_of(chip, block, *earliest, first[*earliest]);
    }
  }
}

Fault OpenClSession::fault_of(unsigned chip, unsigned block, unsigned pe, const PeFault& fault) const {
  const PePlace place = place_of(fault.key, chip, block, pe);
  return {
      FaultKind::address,
      program(),
      place.section,
      place.line,
      fmt::format("local memory address {} + T ({}) is outside 0..{} or odd for a long word", fault.address,
                  isa::to_hex(LongWord{fault.t_high, static_cast<std::uint8_t>(fault.t_low)}), isa::kLmShortWords - 1),
      place};
}

void OpenClSession::wait(Ticket ticket) {
  require(ticket.number <= tickets_, "ticket", ticket.number, 0, tickets_);
  finish_and_throw();
}

}  // namespace gdr::emulator::opencl
