#include "reference_block.h"

#include <fmt/format.h>

#include <utility>

namespace gdr::emulator {

using isa::Access;
using isa::Condition;
using isa::LineWork;
using isa::Predicate;
using isa::Section;
using isa::Storage;
using isa::Unit;
using isa::UnitOperand;
using isa::UnitWork;

namespace {

LongWord read(std::span<const ShortWord> memory, std::size_t address, Width width) {
  return width == Width::long_word ? isa::join(memory[address], memory[address + 1]) : isa::widen(memory[address]);
}

void put(std::span<ShortWord> memory, std::size_t address, Width width, LongWord word) {
  memory[address] = word.upper();
  if (width == Width::long_word) memory[address + 1] = word.lower();
}

void set_flag(std::uint8_t& flags, unsigned flag, bool value) {
  const auto bit = static_cast<std::uint8_t>(1u << (flag - 1));
  flags = static_cast<std::uint8_t>(value ? flags | bit : flags & ~bit);
}

Storage storage_of(isa::Memory memory) { return memory == isa::Memory::gpr ? Storage::gpr : Storage::lm; }

}  // namespace

// ---- sections, iterations and lines --------------------------------------------------------------------------------

void ReferenceBlock::begin_initialization(const DecodedProgram& code) {
  code_ = &code;
  run_ = {};
  run_.live_pes = kPesPerBlock;
  run_.run = 0;  // section `initialization` belongs to no run
  turn_ = iteration_ = 0;
  jvalid_ = true;
  begin_section(Section::initialization);
  advance();
}

void ReferenceBlock::begin(const DecodedProgram& code, const LoopRun& run) {
  code_ = &code;
  run_ = run;
  turn_ = iteration_ = 0;
  jvalid_ = true;
  collected_ = 0;
  begin_section(Section::loop_initialization);
  if (!run.begins) step_ = code.steps(section_).size();
  advance();
}

void ReferenceBlock::begin_section(Section section) {
  section_ = section;
  step_ = 0;
  at_ = 0;
}

void ReferenceBlock::advance() {
  for (;;) {
    const std::vector<DecodedStep>& steps = code_->steps(section_);
    while (step_ < steps.size()) {
      const DecodedStep& each = steps[step_++];
      if (const auto* line = std::get_if<DecodedLine>(&each)) {
        next_ = line;
        return;
      }
      // A transfer needs no action here: its record is in BM when the iteration begins.
      if (const auto* collected = std::get_if<isa::CollectStep>(&each)) collect(*collected);
    }
    if (!begin_next_part()) return stop();
  }
}

/// Begins the next iteration or the next section; false if there is none.
bool ReferenceBlock::begin_next_part() {
  switch (section_) {
    case Section::initialization:
    case Section::loop_termination:
      return false;
    case Section::loop_initialization:
    case Section::loop_body:
      break;
  }
  if (turn_ < run_.stream.iterations()) {
    receive_record();
    ++turn_;
    begin_section(Section::loop_body);
    return true;
  }
  iteration_ = 0;
  jvalid_ = true;
  begin_section(Section::loop_termination);
  return run_.ends;
}

void ReferenceBlock::receive_record() {
  const RecordStream& stream = run_.stream;
  const std::uint64_t record = turn_ * kBlocks + id_;
  iteration_ = run_.first_iteration + turn_;
  jvalid_ = record < stream.records;
  record_base_ = emulator::record_base(stream.record_words, turn_);
  for (unsigned n = 0; n < stream.record_words; ++n) {
    const LongWord word = jvalid_ ? stream.words[record * stream.record_words + n] : LongWord{};
    put(bm_, record_base_ + 2 * std::size_t{n}, Width::long_word, word);
  }
}

/// Takes the words that a collect sends between two lines.
void ReferenceBlock::collect(const isa::CollectStep& collect) {
  const bool first_turn = run_.begins && turn_ == 1;
  if (collect.not_first && section_ == Section::loop_body && first_turn) return;
  if (run_.collected.empty()) return;
  const unsigned first = code_->program.address_of(collect);
  const unsigned words = collect.words();
  GDR_ASSERT(words <= run_.collected.size() - collected_, "a run has room for what it collects");
  for (unsigned n = 0; n < words; ++n) {
    run_.collected[collected_++] = read(bm_, first + 2 * std::size_t{n}, Width::long_word);
  }
}

/// All elements of the line read the state before pending writes. Then the writes of the line before land, and those of
/// this line become pending.
void ReferenceBlock::step() {
  const LineWork& line = next_->work;
  new_words_.clear();
  new_flags_.clear();
  new_t_.clear();
  line_events_.clear();
  for (unsigned pe = 0; pe < run_.live_pes; ++pe) {
    for (unsigned element = 0; element < line.elements; ++element) {
      execute(line, {static_cast<std::uint8_t>(pe), static_cast<std::uint8_t>(element)});
    }
  }
  land();
  for (const TWrite& write : new_t_) pes_[write.at.pe].t[write.at.element] = write.word;
  pending_words_.swap(new_words_);
  pending_flags_.swap(new_flags_);
  pending_ = true;
  ++at_;
  advance();
}

void ReferenceBlock::stop() {
  next_ = nullptr;
  land();
}

void ReferenceBlock::land() {
  if (!pending_) return;
  pending_ = false;
  for (const PendingWord& write : pending_words_) memory_of(write.storage, write.from.pe)[write.address] = write.word;
  for (const PendingFlag& write : pending_flags_) {
    set_flag(pes_[write.at.pe].flags[write.at.element], write.flag, write.value);
  }
}

// ---- one element of a line -----------------------------------------------------------------------------------------

void ReferenceBlock::execute(const LineWork& line, At at) {
  const bool masked = line.mask.flag != 0 && flag(at, line.mask.flag) == line.mask.inverted;
  if (masked) return;
  // All operands are read before a result is written. If an element both reads and writes outside local memory, the
  // fault is therefore that of the read.
  std::array<WordResult, isa::kUnits> results;
  const auto works = [&](const UnitWork& work) { return work.computes && (!work.one_pe || work.pe == at.pe); };
  for (std::size_t n = 0; n < line.units().size(); ++n) {
    const UnitWork& work = line.units()[n];
    if (!works(work)) continue;
    const LongWord a = operand(work.a, at);
    if (work.unit == Unit::bm) {
      results[n].value = a;
    } else {
      results[n] = compute(work.op, a, operand(work.b, at), work.width);
    }
  }
  for (std::size_t n = 0; n < line.units().size(); ++n) {
    if (works(line.units()[n])) retire(line.units()[n], results[n], at);
  }
}

/// Makes the result pending for all destinations whose predicates hold. An event counts if there is such a destination.
void ReferenceBlock::retire(const UnitWork& work, const WordResult& result, At at) {
  bool written = write(work, result.value, at);
  if (work.flag.flag != 0 && holds(work.flag.predicate, at)) {
    const bool value = work.flag.condition == Condition::negative ? result.negative
                       : work.flag.condition == Condition::zero   ? result.zero
                                                                  : result.carry;
    new_flags_.push_back({at, work.flag.flag, value});
    written = true;
  }
  if (!written || result.event == FpEvent::none) return;
  events_ += result.event;
  line_events_.push_back({place_of(at), work.unit, result.event});
  first_events_.add(line_events_.back());
}

bool ReferenceBlock::write(const UnitWork& work, LongWord value, At at) {
  bool written = false;
  for (const Access& to : work.destinations()) {
    if (!holds(to.predicate, at)) continue;
    written = true;
    if (to.storage == Storage::t) {
      new_t_.push_back({at, value});
    } else {
      place(to.storage, at, address_of(to, at), to.width, value);
    }
  }
  return written;
}

/// Words of a record are pending as words of BM.
void ReferenceBlock::place(Storage storage, At at, std::size_t address, Width width, LongWord value) {
  if (storage == Storage::record) storage = Storage::bm;
  new_words_.push_back({storage, at, static_cast<std::uint16_t>(address), value.upper()});
  if (width == Width::long_word) {
    new_words_.push_back({storage, at, static_cast<std::uint16_t>(address + 1), value.lower()});
  }
}

LongWord ReferenceBlock::operand(const UnitOperand& operand, At at) const {
  const auto identifier = [&](unsigned id) {
    return operand.width == Width::long_word ? LongWord::from_bits(id) : isa::widen(ShortWord{id});
  };
  LongWord word;
  switch (operand.kind) {
    case UnitOperand::Kind::none:
      break;
    case UnitOperand::Kind::word:
      if (operand.word.storage == Storage::t) {
        const LongWord t = pes_[at.pe].t[at.element];
        word = operand.width == Width::long_word ? t : isa::widen(t.upper());
      } else {
        word = read(memory_of(operand.word.storage, at.pe), address_of(operand.word, at), operand.width);
      }
      break;
    case UnitOperand::Kind::constant:
      word = operand.constant;
      break;
    case UnitOperand::Kind::pe_id:
      word = identifier(at.pe);
      break;
    case UnitOperand::Kind::block_id:
      word = identifier(id_);
      break;
  }
  return operand.negated ? negate(word) : word;
}

std::size_t ReferenceBlock::address_of(const Access& access, At at) const {
  const std::size_t address = access.address + std::size_t{access.step} * at.element;
  if (access.storage == Storage::record) return address + record_base_;
  return access.indirect ? indirect_address(access, address, at) : address;
}

std::size_t ReferenceBlock::indirect_address(const Access& access, std::size_t address, At at) const {
  const LongWord t = pes_[at.pe].t[at.element];
  const uint128 offset = access.width == Width::long_word ? t.bits() : uint128{t.upper().bits};
  if (offset >= isa::kLmShortWords || address + offset + isa::short_words(access.width) > isa::kLmShortWords ||
      (access.width == Width::long_word && (address + offset) % 2 != 0)) {
    throw Fault(FaultKind::address, code_->program, section_, at_,
                fmt::format("local memory address {} + T ({}) is outside 0..{} or odd for a long word", address,
                            isa::to_hex(t), isa::kLmShortWords - 1),
                place_of(at));
  }
  return address + static_cast<std::size_t>(offset);
}

PePlace ReferenceBlock::place_of(At at) const {
  return {run_.run, section_, iteration_, at_, 0, id_, at.pe, at.element};
}

bool ReferenceBlock::flag(At at, unsigned number) const {
  return ((pes_[at.pe].flags[at.element] >> (number - 1)) & 1) != 0;
}

bool ReferenceBlock::holds(const Predicate& predicate, At at) const {
  if (predicate.jvalid && !jvalid_) return false;
  return predicate.flag == 0 || flag(at, predicate.flag) != predicate.inverted;
}

// ---- access from outside -------------------------------------------------------------------------------------------

std::span<ShortWord> ReferenceBlock::memory_of(Storage storage, unsigned pe) {
  const std::span<const ShortWord> memory = std::as_const(*this).memory_of(storage, pe);
  return {const_cast<ShortWord*>(memory.data()), memory.size()};
}

std::span<const ShortWord> ReferenceBlock::memory_of(Storage storage, unsigned pe) const {
  switch (storage) {
    case Storage::gpr:
      return pes_[pe].gpr;
    case Storage::lm:
      return pes_[pe].lm;
    case Storage::bm:
    case Storage::record:
    case Storage::t:
    case Storage::flag:
      break;
  }
  return bm_;
}

std::vector<WordWrite> ReferenceBlock::written() const {
  std::vector<WordWrite> writes;
  for (const TWrite& write : new_t_) writes.push_back({Storage::t, write.at.pe, write.at.element, 0, write.word});
  for (const PendingWord& write : pending_words_) {
    writes.push_back({write.storage, write.from.pe, write.from.element, write.address, isa::widen(write.word)});
  }
  for (const PendingFlag& write : pending_flags_) {
    writes.push_back({Storage::flag, write.at.pe, write.at.element, write.flag,
                      LongWord::from_bits(static_cast<unsigned>(write.value))});
  }
  return writes;
}

void ReferenceBlock::write_bm(unsigned address, std::span<const LongWord> words) {
  for (const LongWord word : words) put(bm_, 2 * std::size_t{address++}, Width::long_word, word);
}

std::vector<LongWord> ReferenceBlock::read_bm(unsigned address, unsigned count) const {
  std::vector<LongWord> words;
  for (unsigned n = address; n < address + count; ++n) {
    words.push_back(read(bm_, 2 * std::size_t{n}, Width::long_word));
  }
  return words;
}

void ReferenceBlock::write_pe(unsigned pe, const PeWords& where, std::span<const LongWord> words) {
  const std::span<ShortWord> memory = memory_of(storage_of(where.memory), pe);
  for (std::size_t n = 0; n < words.size(); ++n) {
    put(memory, where.address + n * isa::short_words(where.width), where.width, words[n]);
  }
}

void ReferenceBlock::drop_pending(unsigned pe, const PeWords& where) {
  const unsigned end = where.address + where.count * isa::short_words(where.width);
  std::erase_if(pending_words_, [&](const PendingWord& write) {
    return write.storage == storage_of(where.memory) && write.from.pe == pe && write.address >= where.address &&
           write.address < end;
  });
}

std::vector<LongWord> ReferenceBlock::read_pe(unsigned pe, const PeWords& where) const {
  const std::span<const ShortWord> memory = memory_of(storage_of(where.memory), pe);
  std::vector<LongWord> words;
  for (std::size_t n = 0; n < where.count; ++n) {
    words.push_back(read(memory, where.address + n * isa::short_words(where.width), where.width));
  }
  return words;
}

void ReferenceBlock::write_registers(unsigned pe, const PeRegisters& registers) {
  pes_[pe].t = registers.t;
  pes_[pe].flags = registers.flags;
}

PeRegisters ReferenceBlock::registers(unsigned pe) const { return {pes_[pe].t, pes_[pe].flags}; }

std::vector<LongWord> ReferenceBlock::read_landed(Storage storage, unsigned pe, unsigned address, Width width,
                                                  unsigned count) const {
  const std::span<const ShortWord> memory = memory_of(storage, pe).subspan(address, count * isa::short_words(width));
  std::vector<ShortWord> landed(memory.begin(), memory.end());
  for (const PendingWord& write : pending_words_) {
    const bool here = pending_ && write.storage == storage && (storage == Storage::bm || write.from.pe == pe);
    if (here && write.address >= address && write.address < address + landed.size()) {
      landed[write.address - address] = write.word;
    }
  }
  std::vector<LongWord> words;
  for (unsigned n = 0; n < count; ++n) words.push_back(read(landed, std::size_t{n} * isa::short_words(width), width));
  return words;
}

PeRegisters ReferenceBlock::registers_landed(unsigned pe) const {
  PeRegisters registers = this->registers(pe);
  for (const PendingFlag& write : pending_flags_) {
    if (!pending_ || write.at.pe != pe) continue;
    set_flag(registers.flags[write.at.element], write.flag, write.value);
  }
  return registers;
}

}  // namespace gdr::emulator
