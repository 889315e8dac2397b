#include "opencl_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "chip_arguments.h"
#include "collect.h"
#include "gdr/emulator/block_stepper.h"
#include "simd/line_facts.h"

namespace gdr::emulator::opencl {
namespace {

constexpr std::size_t kLongBytes = 2 * kWordBytes;
static_assert(sizeof(LongWord) == kLongBytes && offsetof(LongWord, low) == kWordBytes,
              "long words go to the device as they are; what stands behind their last byte is cut off there");

/// Short words that programs find in LM through T may be outside.
bool addresses_indirectly(const DecodedProgram& program) {
  for (const std::vector<DecodedStep>& steps : program.sections) {
    for (const DecodedLine* line : lines_of(steps)) {
      if (line->effects.indirect()) return true;
    }
  }
  return false;
}

unsigned first_row(isa::Memory memory) { return memory == isa::Memory::gpr ? 0 : simd::kLmRow; }

/// Fields of a record as the device takes them.
std::vector<FieldCode> field_codes(const std::vector<Entry>& entries, bool with_reduction) {
  std::vector<FieldCode> codes;
  for (const Entry& entry : entries) {
    FieldCode code{};
    code.row = first_row(entry.where.memory) + entry.where.address;
    code.of_pe = entry.where.count;
    code.is_long = entry.where.width == Width::long_word ? 1 : 0;
    if (with_reduction && entry.variable->reduction) {
      code.reduction = static_cast<uint>(*entry.variable->reduction);
      code.node_is_long = isa::info_of(*entry.variable->conversion).width == Width::long_word ? 1 : 0;
    }
    codes.push_back(code);
  }
  return codes;
}

std::vector<LongWord> long_words(const std::vector<ulong>& pairs) {
  std::vector<LongWord> words(pairs.size() / 2);
  for (std::size_t n = 0; n < words.size(); ++n) {
    words[n] = {pairs[2 * n], static_cast<std::uint8_t>(pairs[2 * n + 1])};
  }
  return words;
}

/// Where an event or a fault was, from what the device kept of it.
PePlace place_of(const ulong (&key)[3], unsigned chip, unsigned block, unsigned pe) {
  PePlace place;
  place.run = key[0];
  place.section = static_cast<isa::Section>(key[1] >> 61);
  place.iteration = key[1] & ((ulong{1} << 61) - 1);
  place.line = key[2] >> 16;
  place.chip = chip;
  place.block = block;
  place.pe = pe;
  place.element = static_cast<unsigned>(key[2] >> 8) & 255;
  return place;
}

}  // namespace

LoweredOpenCl::LoweredOpenCl(const isa::Program& program, std::shared_ptr<Machine> on, JitUse use)
    : decoded(decode_program(program)),
      code(make_program_code(decoded)),
      may_fault(addresses_indirectly(decoded)),
      machine(std::move(on)),
      forms(decoded, machine, use) {}

OpenClSession::OpenClSession(std::shared_ptr<const LoweredOpenCl> program, const SessionOptions& options)
    : program_(std::move(program)),
      memory_words_(options.memory_words),
      pool_(options.threads ? options.threads : std::make_shared<ThreadPool>(1)),
      chips_(options.chips),
      entries_in_(entries_of(program_->program(), isa::Transfer::hlt)),
      entries_out_(entries_of(program_->program(), isa::Transfer::rrn)),
      device_(program_->machine) {
  require(options.chips >= 1, "chips", options.chips, 1, ~0u);
  const std::size_t blocks = std::size_t{options.chips} * kBlocks;
  states_ = device_.make("states of the chips", blocks * kBlockWords * kWordBytes);
  flags_ = device_.make("flags", blocks * kPesPerBlock * sizeof(uint));
  events_ = device_.make("events", blocks * kPesPerBlock * sizeof(PeEvents));
  faults_ = device_.make("faults", blocks * kPesPerBlock * sizeof(PeFault));
  memory_ = device_.make("external memory", 0);
  collected_ = device_.make("collected words", 0);
  const auto send = [&]<class Code>(std::unique_ptr<Buffer>& buffer, std::span<const Code> codes) {
    buffer = device_.make("a program", codes.size_bytes());
    as_errors([&] { device_.queue().write(*buffer, 0, codes.data(), codes.size_bytes()); });
  };
  const ProgramCode& code = program_->code;
  send(sections_, std::span(&code.sections, 1));
  send(steps_, std::span(code.steps));
  send(lines_, std::span(code.lines));
  const std::vector<FieldCode> in = field_codes(entries_in_, false);
  const std::vector<FieldCode> out = field_codes(entries_out_, true);
  send(fields_in_, std::span(in));
  send(fields_out_, std::span(out));
}

OpenClSession::~OpenClSession() {
  try {
    pool_->wait(lane_);
  } catch (...) {  // nobody asks any more
  }
}

// ---- arguments, and the order of work -----------------------------------------------------------------------------

void OpenClSession::require_place(unsigned chip, unsigned block) const {
  require(chip < chips(), "chip", chip, 0, chips() - 1);
  require(block < kBlocks, "block", block, 0, kBlocks - 1);
}

void OpenClSession::require_memory(std::uint64_t address, std::uint64_t count) const {
  if (address <= memory_words_ && count <= memory_words_ - address) return;
  throw Error(fmt::format("external memory holds {} long words per chip; {} words from word {} on do not fit",
                          memory_words_, count, address));
}

std::uint64_t OpenClSession::iterations_of(const Piece& piece) const { return (piece.records + kBlocks - 1) / kBlocks; }

std::uint64_t OpenClSession::collected_by(const Piece& piece) const {
  return collected_words(program(), iterations_of(piece), piece.begins, piece.ends);
}

// What stands in memory that grows stays there.

void OpenClSession::provide_memory(std::uint64_t end) {
  if (end <= memory_room_) return;
  pool_->wait(lane_);
  const std::uint64_t room = std::min(memory_words_, std::max(end, 2 * memory_room_));
  auto larger = device_.make("external memory", chips_.size() * room * kLongBytes);
  as_errors([&] {
    for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
      device_.queue().copy(*memory_, chip * memory_room_ * kLongBytes, *larger, chip * room * kLongBytes,
                           memory_room_ * kLongBytes);
    }
  });
  memory_ = std::move(larger);
  memory_room_ = room;
}

void OpenClSession::provide_collected(std::uint64_t words) {
  if (words <= collected_room_) return;
  pool_->wait(lane_);
  const std::size_t blocks = chips_.size() * kBlocks;
  auto larger = device_.make("collected words", blocks * words * kLongBytes);
  as_errors([&] {
    for (std::size_t block = 0; block < blocks; ++block) {
      device_.queue().copy(*collected_, block * collected_room_ * kLongBytes, *larger, block * words * kLongBytes,
                           collected_room_ * kLongBytes);
    }
  });
  collected_ = std::move(larger);
  collected_room_ = words;
}

void OpenClSession::post(std::function<void()> work) {
  pool_->post(lane_, 1, [work = std::move(work)](unsigned) { as_errors(work); });
}

void OpenClSession::finish_and_throw() {
  pool_->wait(lane_);
  for (OneChip& one : chips_) {
    if (!one.fault) continue;
    const Fault fault = *one.fault;
    for (OneChip& each : chips_) each.fault.reset();
    as_errors([&] { device_.queue().clear(*faults_, 0, faults_->bytes()); });
    throw fault;
  }
}

// ---- memory and parameters -----------------------------------------------------------------------------------------

void OpenClSession::write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) {
  require_place(chip, 0);
  require_memory(address, words.size());
  provide_memory(address + words.size());
  pool_->wait(lane_);
  as_errors([&] {
    device_.queue().write(*memory_, (chip * memory_room_ + address) * kLongBytes, words.data(), words.size_bytes());
  });
}

std::vector<LongWord> OpenClSession::read_memory(unsigned chip, std::uint64_t address, std::uint64_t count) const {
  require_place(chip, 0);
  require_memory(address, count);
  const std::uint64_t there = std::min(count, memory_room_ - std::min(address, memory_room_));
  std::vector<ulong> pairs(2 * count);
  as_errors([&] {
    device_.queue().read(*memory_, (chip * memory_room_ + address) * kLongBytes, pairs.data(), there * kLongBytes);
  });
  return long_words(pairs);
}

void OpenClSession::broadcast(unsigned address, std::span<const LongWord> words) {
  require_bm(address, words.size());
  pool_->wait(lane_);
  if (words.empty()) return;
  as_errors([&] {
    const Buffer& sent = device_.provide(words_in_, "parameters", words.size_bytes());
    device_.queue().write(sent, 0, words.data(), words.size_bytes());
    Range range;
    range.counts[0] = words.size();
    range.counts[1] = chips_.size() * kBlocks;
    device_.queue().run(*device_.machine().kernels, "put_parameters", {&sent, uint{2 * address}, states_.get()}, range);
  });
}

void OpenClSession::write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                                    std::span<const LongWord> words) {
  require(chips.first < this->chips(), "chips.first", chips.first, 0, this->chips() - 1);
  require(chips.count <= this->chips() - chips.first, "chips.count", chips.count, 0, this->chips() - chips.first);
  require(blocks.first < kBlocks, "blocks.first", blocks.first, 0, kBlocks - 1);
  require(blocks.count <= kBlocks - blocks.first, "blocks.count", blocks.count, 0, kBlocks - blocks.first);
  require(particles <= kParticlesPerRun, "particles", particles, 0, kParticlesPerRun);
  if (particles % isa::kVectorElements != 0) {
    throw Error(fmt::format("particles = {} is refused: it must be a multiple of {}", particles, isa::kVectorElements));
  }
  require(words.size() == particles * entries_in_.size(), "words", words.size(), particles * entries_in_.size(),
          particles * entries_in_.size());
  if (words.empty() || chips.count == 0 || blocks.count == 0) return;
  post([=, this] { put_particles(chips, blocks, particles, words); });
}

void OpenClSession::put_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                                  std::span<const LongWord> words) {
  const Buffer& sent = device_.provide(words_in_, "i-particles", words.size_bytes());
  device_.queue().write(sent, 0, words.data(), words.size_bytes());
  Range range;
  range.counts[0] = words.size();
  range.counts[1] = blocks.count;
  range.counts[2] = chips.count;
  device_.queue().run(*device_.machine().kernels, "put_particles",
                      {&sent, fields_in_.get(), uint{particles}, uint{chips.first}, uint{blocks.first}, states_.get()},
                      range);
}

// ---- runs ----------------------------------------------------------------------------------------------------------

void OpenClSession::initialize() {
  post([this] {
    std::vector<TaskCode> tasks;
    Piece piece;
    piece.run = 0;  // section `initialization` belongs to none
    piece.ends = false;
    for (piece.chip = 0; piece.chip < chips(); ++piece.chip) {
      for (unsigned block = 0; block < kBlocks; ++block) {
        tasks.push_back(task_of(piece, block));
        tasks.back().opens = 1 + static_cast<uint>(isa::Section::initialization);
      }
    }
    run_tasks(tasks);
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

/// Chips side by side, the pieces of each one after the other.
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
    // Blocks that do not run bring zeros.
    if (collected_by(piece) == 0 || piece.blocks.count == kBlocks) continue;
    const std::size_t of_block = collected_room_ * kLongBytes;
    const std::size_t first = std::size_t{piece.chip} * kBlocks;
    const unsigned end = piece.blocks.first + piece.blocks.count;
    device_.queue().clear(*collected_, first * of_block, piece.blocks.first * of_block);
    device_.queue().clear(*collected_, (first + end) * of_block, (kBlocks - end) * of_block);
  }
  if (const BodyForm* const quick = form_for(pieces)) {
    run_wave_in_doubles(pieces, *quick);
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

/// The quick form of the body if it may be used and pays.
const BodyForm* OpenClSession::form_for(std::span<const Piece> pieces) {
  bool touched = false;
  std::uint64_t interactions = 0;
  for (const Piece& piece : pieces) {
    OneChip& one = chips_[piece.chip];
    one.touched = one.touched && !piece.begins;
    touched = touched || one.touched;
    interactions += iterations_of(piece) * piece.blocks.count * piece.live_pes * isa::kVectorElements;
  }
  return touched || interactions == 0 ? nullptr : program_->forms.quick(interactions);
}

/// Loop initialization by the machine's kernel, the body in doubles as far as that goes, and what is left by the
/// machine's kernel again.
void OpenClSession::run_wave_in_doubles(std::span<const Piece> pieces, const BodyForm& quick) {
  std::vector<TaskCode> before;
  std::vector<BodyTask> body;
  std::vector<TaskCode> behind;
  for (const Piece& piece : pieces) {
    const std::uint64_t turns = iterations_of(piece);
    const std::uint64_t blocks_in_last = turns == 0 ? 0 : piece.records - (turns - 1) * kBlocks;
    for (unsigned block = piece.blocks.first; block < piece.blocks.first + piece.blocks.count; ++block) {
      const TaskCode whole = task_of(piece, block);
      const std::uint64_t with_record = block < blocks_in_last ? turns : turns - std::min<std::uint64_t>(turns, 1);
      const std::uint64_t begin = piece.begins && !program_->forms.may_begin() ? 1 : 0;
      const bool with_last = quick.kernel.leaves_all;
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
  run_body(body, quick);
  run_tasks(behind);
}

/// Goes on at this turn of the piece.
void OpenClSession::pass(TaskCode& task, std::uint64_t turn) const {
  task.collected = task.place * collected_room_;
  if (turn > 0 || task.begins != 0) {
    task.collected += collected_words(program(), turn, task.begins != 0, false);
  }
  task.first_turn = turn;
}

/// What the quick form refuses is done by the form that settles ties, and what that refuses by the machine's kernel;
/// a block that is refused often stays with what does not refuse.
void OpenClSession::run_body(std::vector<BodyTask>& tasks, const BodyForm& quick) {
  constexpr unsigned kOften = 3;
  for (;;) {
    std::vector<BodyTask*> for_quick;
    std::vector<BodyTask*> for_robust;
    std::vector<BodyTask*> for_machine;
    for (BodyTask& task : tasks) {
      if (!task.done() && task.refusals < kOften) for_quick.push_back(&task);
    }
    run_form(quick, for_quick, false);
    for (BodyTask* const task : for_quick) {
      if (!task->done()) ++task->refusals;
    }
    for (BodyTask& task : tasks) {
      if (task.done()) continue;
      (task.robust_refusals < kOften ? for_robust : for_machine).push_back(&task);
    }
    if (for_robust.empty() && for_machine.empty()) return;
    const BodyForm* const robust = for_robust.empty() ? nullptr : program_->forms.robust();
    if (robust != nullptr) {
      std::vector<BodyTask*> chunks;
      std::vector<BodyTask*> rest;
      for (BodyTask* const task : for_robust) (task->refusals < kOften ? chunks : rest).push_back(task);
      std::vector<std::uint64_t> began;
      for (const BodyTask* const task : chunks) began.push_back(task->task.first_turn);
      run_form(*robust, chunks, true);
      for (std::size_t n = 0; n < chunks.size(); ++n) {
        if (chunks[n]->task.first_turn == began[n]) for_machine.push_back(chunks[n]);
      }
      run_form(*robust, rest, false);
      std::ranges::copy_if(rest, std::back_inserter(for_machine), [](const BodyTask* task) { return !task->done(); });
    } else {
      std::ranges::copy(for_robust, std::back_inserter(for_machine));
    }
    std::vector<TaskCode> left;
    for (BodyTask* const task : for_machine) {
      ++task->robust_refusals;
      // All that is left of a block that is refused again and again.
      const bool all = task->robust_refusals >= kOften;
      const std::uint64_t end =
          all ? task->task.end_turn : std::min(task->task.first_turn + jit::kTurns, task->task.end_turn);
      left.push_back(task->task);
      left.back().ends = 0;  // loop termination is not part of it
      left.back().end_turn = end;
      pass(task->task, end);
    }
    run_tasks(left);
  }
}

/// Turns on a form until it refuses some; `one_chunk`: those of one call at most.
void OpenClSession::run_form(const BodyForm& form, std::span<BodyTask* const> tasks, bool one_chunk) {
  if (tasks.empty()) return;
  std::vector<TaskCode> codes;
  for (const BodyTask* const task : tasks) {
    codes.push_back(task->task);
    if (!one_chunk || task->task.first_turn + jit::kTurns >= task->task.end_turn) continue;
    codes.back().end_turn = task->task.first_turn + jit::kTurns;
    codes.back().ends = 0;
  }
  const std::size_t bytes = codes.size() * sizeof(TaskCode);
  const Buffer& sent = device_.provide(tasks_, "tasks", bytes);
  const Buffer& scratch =
      device_.provide(scratch_, "results of turns", codes.size() * form.kernel.scratch_words * kWordBytes);
  const Buffer& done = device_.provide(turns_done_, "turns", codes.size() * kWordBytes);
  device_.queue().write(sent, 0, codes.data(), bytes);
  Range range;
  range.group = kPesPerBlock / form.kernel.lanes;
  range.counts[0] = codes.size() * range.group;
  device_.queue().run(*form.code, "run_turns",
                      {&sent, states_.get(), flags_.get(), memory_.get(), collected_.get(), &scratch, &done}, range);
  std::vector<ulong> turns(codes.size());
  device_.queue().read(done, 0, turns.data(), turns.size() * kWordBytes);
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    count_turns_in_doubles(turns[n] - tasks[n]->task.first_turn);
    pass(tasks[n]->task, turns[n]);
  }
}

/// The first fault of each chip: of its first block that has one, the first one in it.
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
  return {FaultKind::address,
          program(),
          place.section,
          place.line,
          fmt::format("local memory address {} + T ({}) is outside 0..{} or odd for a long word", fault.address,
                      isa::to_hex(LongWord{fault.t_high, static_cast<std::uint8_t>(fault.t_low)}),
                      isa::kLmShortWords - 1),
          place};
}

void OpenClSession::wait(Ticket ticket) {
  require(ticket.number <= tickets_, "ticket", ticket.number, 0, tickets_);
  finish_and_throw();
}

// ---- results -------------------------------------------------------------------------------------------------------

Ticket OpenClSession::collect(unsigned chip, unsigned particles, std::span<LongWord> into) {
  require_place(chip, 0);
  const bool type2 = program().is_type2();
  const Piece last = chips_[chip].last;
  require(particles <= (type2 ? 0 : kParticlesPerRun), "particles", particles, 0, type2 ? 0 : kParticlesPerRun);
  const std::size_t words = type2 ? collected_by(last) : particles * entries_out_.size();
  require(into.size() == words, "into", into.size(), words, words);
  post([=, this] {
    if (into.empty() || chips_[chip].fault) return;
    if (type2) {
      take_collected(chip, last, into);
    } else {
      take_results(chip, last, particles, into);
    }
  });
  return {++tickets_};
}

void OpenClSession::take_results(unsigned chip, const Piece& piece, unsigned particles, std::span<LongWord> into) {
  const Buffer& words = device_.provide(words_out_, "results", into.size_bytes());
  std::vector<uint> counts(3 * entries_out_.size());
  const std::size_t count_bytes = counts.size() * sizeof(uint);
  const Buffer& counted = device_.provide(counts_, "events of the tree", count_bytes);
  device_.queue().clear(counted, 0, count_bytes);
  Range range;
  range.counts[0] = particles;
  range.counts[1] = entries_out_.size();
  device_.queue().run(
      *device_.machine().kernels, "take_results",
      {states_.get(), fields_out_.get(), static_cast<uint>(entries_out_.size()), uint{chip}, &words, &counted}, range);
  std::vector<ulong> pairs(2 * into.size());
  device_.queue().read(words, 0, pairs.data(), pairs.size() * kWordBytes);
  device_.queue().read(counted, 0, counts.data(), count_bytes);
  std::ranges::copy(long_words(pairs), into.begin());
  for (std::size_t field = 0; field < entries_out_.size(); ++field) {
    const std::span<const uint> own = std::span(counts).subspan(3 * field, 3);
    if (std::ranges::all_of(own, [](uint count) { return count == 0; })) continue;
    add_tree_events(chips_[chip], own);
    place_events_of_results(chip, piece, entries_out_[field], particles);
  }
}

void OpenClSession::take_collected(unsigned chip, const Piece& piece, std::span<LongWord> into) {
  const Buffer& words = device_.provide(words_out_, "results", into.size_bytes());
  const std::vector<Collected> batches = collects_of(program(), iterations_of(piece), piece.begins, piece.ends);
  std::vector<uint> counts(3);
  const Buffer& counted = device_.provide(counts_, "events of the tree", counts.size() * sizeof(uint));
  device_.queue().clear(counted, 0, counted.bytes());
  const auto launch = [&](const Collected& batch) {
    const isa::Variable& variable = *batch.result;
    Range range;
    range.counts[0] = batch.words;
    device_.queue().run(
        *device_.machine().kernels, "take_collected",
        {collected_.get(), std::uint64_t{chip * kBlocks * collected_room_}, std::uint64_t{collected_room_},
         std::uint64_t{batch.first}, variable.reduction ? static_cast<uint>(*variable.reduction) : uint{0},
         isa::info_of(*variable.conversion).width == Width::long_word ? uint{1} : uint{0}, &words, &counted},
        range);
  };
  // Collects of one kind that follow each other are one.
  for (std::size_t n = 0; n < batches.size();) {
    Collected joined = batches[n++];
    while (n < batches.size() && batches[n].result == joined.result) joined.words += batches[n++].words;
    if (joined.words > 0) launch(joined);
  }
  std::vector<ulong> pairs(2 * into.size());
  device_.queue().read(words, 0, pairs.data(), pairs.size() * kWordBytes);
  device_.queue().read(counted, 0, counts.data(), counts.size() * sizeof(uint));
  std::ranges::copy(long_words(pairs), into.begin());
  if (std::ranges::all_of(counts, [](uint count) { return count == 0; })) return;
  add_tree_events(chips_[chip], counts);
  for (const Collected& batch : batches) {
    if (batch.result->reduction) place_events_of_collected(chip, piece, *batch.result, batch.first, batch.words);
  }
}

void OpenClSession::add_tree_events(OneChip& one, std::span<const uint> counts) {
  one.tree.invalid += counts[0];
  one.tree.overflow += counts[1];
  one.tree.underflow += counts[2];
}

/// The device counts events of the tree; where there are some, the words are read once more for their places.
void OpenClSession::place_events_of_results(unsigned chip, const Piece& piece, const Entry& entry, unsigned particles) {
  std::array<std::vector<LongWord>, kBlocks> words;
  std::array<std::span<const LongWord>, kBlocks> blocks;
  const unsigned step = isa::short_words(entry.where.width);
  for (unsigned block = 0; block < kBlocks; ++block) {
    const BlockWords all = read_block(chip, block);
    for (unsigned particle = 0; particle < particles; ++particle) {
      const unsigned row = first_row(entry.where.memory) + entry.where.address + particle % entry.where.count * step;
      const unsigned pe = particle / entry.where.count;
      words[block].push_back(step == 2 ? all.long_word(row, pe)
                                       : isa::widen({all.rows[std::size_t{row} * kPesPerBlock + pe]}));
    }
    blocks[block] = words[block];
  }
  JunctionEvent place;
  place.run = piece.run;
  place.chip = chip;
  place.variable = static_cast<std::size_t>(entry.variable - program().variables.data());
  place_tree_events(*entry.variable->reduction, isa::info_of(*entry.variable->conversion).width, blocks, place,
                    chips_[chip].tree_events);
}

void OpenClSession::place_events_of_collected(unsigned chip, const Piece& piece, const isa::Variable& variable,
                                              std::uint64_t first, std::uint64_t words) {
  std::array<std::vector<LongWord>, kBlocks> read;
  std::array<std::span<const LongWord>, kBlocks> blocks;
  for (unsigned block = 0; block < kBlocks; ++block) {
    std::vector<ulong> pairs(2 * words);
    const std::size_t at = (std::size_t{chip} * kBlocks + block) * collected_room_ + first;
    device_.queue().read(*collected_, at * kLongBytes, pairs.data(), pairs.size() * kWordBytes);
    read[block] = long_words(pairs);
    blocks[block] = read[block];
  }
  JunctionEvent place;
  place.run = piece.run;
  place.chip = chip;
  place.variable = static_cast<std::size_t>(&variable - program().variables.data());
  place.result = first;
  if (!piece.begins) place.result += collected_words(program(), piece.first_iteration, true, false);
  place_tree_events(*variable.reduction, isa::info_of(*variable.conversion).width, blocks, place,
                    chips_[chip].tree_events);
}

// ---- events --------------------------------------------------------------------------------------------------------

std::vector<PeEvents> OpenClSession::pe_events(unsigned chip) const {
  std::vector<PeEvents> events(std::size_t{kBlocks} * kPesPerBlock);
  const std::size_t bytes = events.size() * sizeof(PeEvents);
  as_errors([&] { device_.queue().read(*events_, chip * bytes, events.data(), bytes); });
  return events;
}

FpEvents OpenClSession::events(unsigned chip) const {
  require_place(chip, 0);
  FpEvents all = chips_[chip].tree;
  for (const PeEvents& of_pe : pe_events(chip)) {
    all += FpEvents{of_pe.counts[0], of_pe.counts[1], of_pe.counts[2]};
  }
  return all;
}

std::vector<PlacedEvent> OpenClSession::first_events() const {
  FirstEvents first;
  for (unsigned chip = 0; chip < chips(); ++chip) {
    const std::vector<PeEvents> events = pe_events(chip);
    for (std::size_t at = 0; at < events.size(); ++at) {
      for (std::size_t n = 0; n < events[at].kept; ++n) {
        const ulong(&key)[3] = events[at].keys[n];
        first.add({place_of(key, chip, static_cast<unsigned>(at / kPesPerBlock), at % kPesPerBlock),
                   static_cast<isa::Unit>((key[2] >> 4) & 15), static_cast<FpEvent>(key[2] & 15)});
      }
    }
  }
  return {first.events().begin(), first.events().end()};
}

std::vector<JunctionEvent> OpenClSession::first_tree_events() const {
  FirstJunctionEvents first;
  for (const OneChip& one : chips_) {
    for (const JunctionEvent& event : one.tree_events.events()) first.add(event);
  }
  return {first.events().begin(), first.events().end()};
}

FpLanes OpenClSession::fp_lanes(unsigned chip) const {
  require_place(chip, 0);
  return {};
}

// ---- looking and writing from outside ------------------------------------------------------------------------------

LongWord OpenClSession::BlockWords::long_word(unsigned row, unsigned pe) const {
  return isa::join({rows[std::size_t{row} * kPesPerBlock + pe]}, {rows[std::size_t{row + 1} * kPesPerBlock + pe]});
}

OpenClSession::BlockWords OpenClSession::read_block(unsigned chip, unsigned block) const {
  BlockWords words;
  words.rows.resize(kBmPlace);
  words.bm.resize(isa::kBmShortWords);
  words.flags.resize(kPesPerBlock);
  const std::size_t place = std::size_t{chip} * kBlocks + block;
  as_errors([&] {
    Queue& queue = device_.queue();
    queue.read(*states_, place * kBlockWords * kWordBytes, words.rows.data(), words.rows.size() * kWordBytes);
    queue.read(*states_, (place * kBlockWords + kBmPlace) * kWordBytes, words.bm.data(), words.bm.size() * kWordBytes);
    queue.read(*flags_, place * kPesPerBlock * sizeof(uint), words.flags.data(), words.flags.size() * sizeof(uint));
  });
  return words;
}

std::vector<LongWord> OpenClSession::read_pe(unsigned chip, unsigned block, unsigned pe, const PeWords& where) const {
  require_place(chip, block);
  require_pe(pe);
  require_pe_words(where);
  const BlockWords all = read_block(chip, block);
  std::vector<LongWord> words;
  const unsigned step = isa::short_words(where.width);
  for (unsigned n = 0; n < where.count; ++n) {
    const unsigned row = first_row(where.memory) + where.address + n * step;
    words.push_back(step == 2 ? all.long_word(row, pe)
                              : isa::widen({all.rows[std::size_t{row} * kPesPerBlock + pe]}));
  }
  return words;
}

namespace {

constexpr unsigned kFlagMask = (1U << isa::kFlags) - 1;

}  // namespace

PeRegisters OpenClSession::registers(unsigned chip, unsigned block, unsigned pe) const {
  require_place(chip, block);
  require_pe(pe);
  return state(chip, block).registers[pe];
}

std::vector<LongWord> OpenClSession::read_bm(unsigned chip, unsigned block, unsigned address, unsigned count) const {
  require_place(chip, block);
  require_bm(address, count);
  const std::vector<LongWord> all = state(chip, block).bm;
  return {all.begin() + address, all.begin() + address + count};
}

void OpenClSession::set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> /*stopped*/) {
  for (const Breakpoint& breakpoint : lines) {
    const std::size_t code = program().lines(breakpoint.section).size();
    if (breakpoint.line >= code) {
      throw Error(fmt::format("breakpoint: {} has no line {}: it has {}", isa::name_of(breakpoint.section),
                              breakpoint.line, code));
    }
  }
  if (!lines.empty()) throw Error("breakpoints: this engine does not stop at lines; engine reference does");
}

BlockState OpenClSession::state(unsigned chip, unsigned block) const {
  require_place(chip, block);
  const BlockWords words = read_block(chip, block);
  BlockState state;
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (unsigned row = 0; row < simd::kLmRow; row += 2) state.gpr.push_back(words.long_word(row, pe));
    for (unsigned row = simd::kLmRow; row < simd::kTRow; row += 2) state.lm.push_back(words.long_word(row, pe));
    PeRegisters registers{};
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      registers.t[element] = words.long_word(simd::kTRow + 2 * element, pe);
      registers.flags[element] =
          static_cast<std::uint8_t>((words.flags[pe] >> (isa::kFlags * element)) & kFlagMask);
    }
    state.registers.push_back(registers);
  }
  for (unsigned n = 0; n < isa::kBmShortWords; n += 2) state.bm.push_back(isa::join({words.bm[n]}, {words.bm[n + 1]}));
  return state;
}

void OpenClSession::set_state(unsigned chip, unsigned block, const BlockState& state) {
  require_place(chip, block);
  constexpr std::size_t kGprWords = isa::kGprShortWords / 2;
  constexpr std::size_t kLmWords = isa::kLmShortWords / 2;
  constexpr std::size_t kBmWords = isa::kBmShortWords / 2;
  require(state.gpr.size() == kPesPerBlock * kGprWords, "state.gpr", state.gpr.size(), kPesPerBlock * kGprWords,
          kPesPerBlock * kGprWords);
  require(state.lm.size() == kPesPerBlock * kLmWords, "state.lm", state.lm.size(), kPesPerBlock * kLmWords,
          kPesPerBlock * kLmWords);
  require(state.registers.size() == kPesPerBlock, "state.registers", state.registers.size(), kPesPerBlock,
          kPesPerBlock);
  require(state.bm.size() <= kBmWords, "state.bm", state.bm.size(), 0, kBmWords);
  pool_->wait(lane_);
  chips_[chip].touched = true;
  std::vector<ulong> words(kBlockWords);
  std::vector<uint> flags(kPesPerBlock);
  const auto put = [&](unsigned row, unsigned pe, LongWord word) {
    words[std::size_t{row} * kPesPerBlock + pe] = word.upper().bits;
    words[std::size_t{row + 1} * kPesPerBlock + pe] = word.lower().bits;
  };
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (unsigned n = 0; n < kGprWords; ++n) put(2 * n, pe, state.gpr[pe * kGprWords + n]);
    for (unsigned n = 0; n < kLmWords; ++n) put(simd::kLmRow + 2 * n, pe, state.lm[pe * kLmWords + n]);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      put(simd::kTRow + 2 * element, pe, state.registers[pe].t[element]);
      flags[pe] |= (state.registers[pe].flags[element] & kFlagMask) << (isa::kFlags * element);
    }
  }
  words.resize(kBmPlace + 2 * state.bm.size());
  for (std::size_t n = 0; n < state.bm.size(); ++n) {
    words[kBmPlace + 2 * n] = state.bm[n].upper().bits;
    words[kBmPlace + 2 * n + 1] = state.bm[n].lower().bits;
  }
  const std::size_t place = std::size_t{chip} * kBlocks + block;
  as_errors([&] {
    device_.queue().write(*states_, place * kBlockWords * kWordBytes, words.data(), words.size() * kWordBytes);
    device_.queue().write(*flags_, place * kPesPerBlock * sizeof(uint), flags.data(), flags.size() * sizeof(uint));
  });
}

}  // namespace gdr::emulator::opencl
