// Runs of a session on a device, partly in doubles and partly in integers.
#include <fmt/format.h>

#include <algorithm>

#include "chip/require.h"
#include "gdr/base/error.h"
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
  const Buffer& sent = device_.provide(more_tasks_, "tasks", tasks.size_bytes());
  device_.queue().write(sent, 0, tasks.data(), tasks.size_bytes());
  run_sent({&sent, 0}, tasks.size());
}

/// Runs tasks that are on the device. If it gains by more work-items, each element of a PE has one. With `turns_done`,
/// a task only runs if its block has just reached the task's first turn.
void OpenClSession::run_sent(const SentTasks& sent, std::size_t count, const Buffer* turns_done) {
  if (count == 0) return;
  const bool apart = program_->body.has_ways() && !program_->may_fault;
  Range range;
  range.group = apart ? kPesPerBlock * isa::kVectorElements : kPesPerBlock;
  range.counts[0] = count * range.group;
  device_.queue().run(*device_.machine().kernels, apart ? "run_tasks_apart" : "run_tasks",
                      {sent.buffer, static_cast<uint>(sent.first), sections_.get(), steps_.get(), lines_.get(),
                       states_.get(), flags_.get(), memory_.get(), collected_.get(), events_.get(), faults_.get(),
                       turns_done == nullptr ? sent.buffer : turns_done, turns_done == nullptr ? uint{0} : uint{1}},
                      range);
}

/// The body in doubles if it can be used and pays.
const CompiledBody* OpenClSession::body_for(std::span<const Piece> pieces) {
  bool touched = false;
  std::uint64_t interactions = 0;
  std::size_t blocks = 0;
  for (const Piece& piece : pieces) {
    OneChip& one = chips_[piece.chip];
    one.touched = one.touched && !piece.begins;
    touched = touched || one.touched;
    blocks += piece.blocks.count;
    interactions += iterations_of(piece) * piece.blocks.count * piece.live_pes * isa::kVectorElements;
  }
  return touched || interactions == 0 ? nullptr : program_->body.in_doubles(interactions, blocks);
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
  // All tasks are sent at once: each transfer takes as long as a short run.
  std::vector<TaskCode> all = before;
  for (const BodyTask& task : body) all.push_back(task.task);
  all.insert(all.end(), behind.begin(), behind.end());
  const Buffer& sent = device_.provide(tasks_, "tasks", all.size() * sizeof(TaskCode));
  device_.queue().write(sent, 0, all.data(), all.size() * sizeof(TaskCode));
  run_sent({&sent, 0}, before.size());
  // What comes behind is enqueued at once, for blocks that the body takes to their end.
  const std::size_t first_behind = before.size() + body.size();
  const bool at_once = compiled.kernel.ways > 1 && behind.size() == body.size();
  const std::vector<bool> ended = run_body(body, compiled, {&sent, before.size(), at_once ? first_behind : 0});
  if (!at_once) {
    run_sent({&sent, first_behind}, behind.size());
    return;
  }
  std::vector<TaskCode> left;
  for (std::size_t n = 0; n < behind.size(); ++n) {
    if (!ended[n]) left.push_back(behind[n]);
  }
  run_tasks(left);
}

/// Advances the task to this turn of the piece.
void OpenClSession::pass(TaskCode& task, std::uint64_t turn) const {
  task.collected = task.place * collected_room_ + collected_words(program(), turn, task.begins != 0, false);
  task.first_turn = turn;
}

/// Runs the tasks in doubles, and on the machine's kernel the turns that the body in doubles refuses. After a few
/// refusals a block stays with the machine's kernel. `sent`: the same tasks. Returns for each whether it was done at
/// once, so that the task behind it has run, too.
std::vector<bool> OpenClSession::run_body(std::vector<BodyTask>& tasks, const CompiledBody& compiled, SentTasks sent) {
  constexpr unsigned kMostRefusals = 3;  // of the body as a whole
  std::vector<bool> ended;
  for (bool is_first = true;; is_first = false) {
    std::vector<BodyTask*> not_done;
    for (BodyTask& task : tasks) {
      if (!task.done()) not_done.push_back(&task);
    }
    if (not_done.empty()) return ended;
    run_in_doubles(compiled, not_done, is_first ? std::optional(sent) : std::nullopt);
    if (is_first) {
      for (const BodyTask& task : tasks) ended.push_back(task.done());
    }
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

/// Runs turns of each of these blocks until it is done or the body refuses its next turns. `sent`: the tasks, if they
/// are on the device.
void OpenClSession::run_in_doubles(const CompiledBody& compiled, std::span<BodyTask* const> tasks,
                                   std::optional<SentTasks> sent) {
  std::vector<TaskCode> codes;
  for (const BodyTask* const task : tasks) codes.push_back(task->task);
  if (!sent) {
    sent = SentTasks{&device_.provide(more_tasks_, "tasks", codes.size() * sizeof(TaskCode)), 0};
    device_.queue().write(*sent->buffer, 0, codes.data(), codes.size() * sizeof(TaskCode));
  }
  const std::vector<ulong> turns = turns_reached(compiled, codes, *sent);
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    count_turns_in_doubles(turns[n] - tasks[n]->task.first_turn);
    pass(tasks[n]->task, turns[n]);
  }
}

/// Runs turns of these blocks, and returns for each the turn that it reached.
std::vector<ulong> OpenClSession::turns_reached(const CompiledBody& compiled, std::span<const TaskCode> codes,
                                                const SentTasks& sent) {
  const BodyKernel& kernel = compiled.kernel;
  const auto first = static_cast<uint>(sent.first);
  const Buffer& scratch =
      device_.provide(scratch_, "results of turns", codes.size() * kernel.scratch_words * kWordBytes);
  const Buffer& parts_done = device_.provide(parts_done_, "turns of parts", codes.size() * kernel.parts * kWordBytes);
  const Buffer& done = device_.provide(turns_done_, "turns", 2 * codes.size() * kWordBytes);
  Range range;
  range.group = kernel.items;
  range.counts[0] = codes.size() * kernel.parts * range.group;
  std::vector<ulong> turns(codes.size());
  if (kernel.ways == 1) {
    device_.queue().run(
        *compiled.code, "run_turns",
        {sent.buffer, first, states_.get(), flags_.get(), memory_.get(), collected_.get(), &scratch, &done}, range);
    device_.queue().read(done, 0, turns.data(), turns.size() * kWordBytes);
    return turns;
  }
  device_.queue().run(*compiled.code, "run_turns",
                      {sent.buffer, first, states_.get(), flags_.get(), memory_.get(), &scratch, &parts_done}, range);
  range.group = std::size_t{kPesPerBlock} * kernel.parts;
  range.counts[0] = codes.size() * range.group;
  device_.queue().run(*compiled.code, "land",
                      {sent.buffer, first, states_.get(), flags_.get(), memory_.get(), &scratch, &parts_done, &done},
                      range);
  if (sent.first_behind != 0) run_sent({sent.buffer, sent.first_behind}, codes.size(), &done);
  std::vector<ulong> reached(2 * codes.size());
  device_.queue().read(done, 0, reached.data(), reached.size() * kWordBytes);
  // A block whose parts got unequally far runs once more, up to the turn that all of them reach.
  std::vector<TaskCode> again;
  for (std::size_t n = 0; n < codes.size(); ++n) {
    turns[n] = reached[2 * n];
    if (reached[2 * n + 1] != 0 || turns[n] == codes[n].first_turn) continue;
    TaskCode& task = again.emplace_back(codes[n]);
    task.ends = 0;
    task.end_turn = turns[n];
  }
  if (!again.empty()) {
    const Buffer& to = device_.provide(more_tasks_, "tasks", again.size() * sizeof(TaskCode));
    device_.queue().write(to, 0, again.data(), again.size() * sizeof(TaskCode));
    const std::vector<ulong> same = turns_reached(compiled, again, {&to, 0});
    for (std::size_t n = 0; n < again.size(); ++n) {
      GDR_ASSERT(same[n] == again[n].end_turn, "a form does again what it did on the same words");
    }
  }
  return turns;
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
