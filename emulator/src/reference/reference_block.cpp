#include "reference_block.h"

#include <fmt/format.h>

#include <utility>

namespace gdr::emulator {

using isa::BmMode;
using isa::Condition;
using isa::Line;
using isa::Predicate;
using isa::ReadPort;
using isa::Section;
using isa::Slot;
using isa::Source;
using isa::Storage;
using isa::Unit;
using isa::WritePort;

namespace {

LongWord read(std::span<const ShortWord> memory, std::size_t address, Width width) {
  return width == Width::long_word ? isa::join(memory[address], memory[address + 1]) : isa::widen(memory[address]);
}

void put(std::span<ShortWord> memory, std::size_t address, Width width, LongWord word) {
  memory[address] = word.upper();
  if (width == Width::long_word) memory[address + 1] = word.lower();
}

std::size_t step_of(bool vector, Width width, unsigned element) {
  return vector ? element * isa::short_words(width) : 0;
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
  const Line& line = next_->line;
  new_words_.clear();
  new_flags_.clear();
  new_t_.clear();
  for (unsigned pe = 0; pe < run_.live_pes; ++pe) {
    for (unsigned element = 0; element < line.vlen; ++element) {
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

void ReferenceBlock::execute(const Line& line, At at) {
  const bool masked = line.mask.flag != 0 && flag(at, line.mask.flag) == line.mask.inverted;
  if (masked) return;
  // All operands are read before a result is written. If an element both reads and writes outside local memory, the
  // fault is therefore that of the read.
  struct Executed {
    Unit unit = Unit::none;
    WordResult result;
  };
  std::array<Executed, 3> executed;
  std::size_t count = 0;
  for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
    const Slot& slot = isa::slot_of(line, unit);
    if (!isa::info_of(slot.op).computes()) continue;
    LongWord a = operand(line, slot.a, slot.width, at);
    LongWord b = operand(line, slot.b, slot.width, at);
    if (slot.negate_a) a = negate(a);
    if (slot.negate_b) b = negate(b);
    executed[count++] = {unit, compute(slot.op, a, b, slot.width)};
  }
  const bool moves = line.bm.mode != BmMode::none && (!line.bm.one_pe || line.bm.pe == at.pe);
  const Source moved = line.bm.mode == BmMode::read ? Source::bm : line.bm.store_source;
  const LongWord word = moves ? operand(line, moved, line.bm.width, at) : LongWord{};
  for (std::size_t n = 0; n < count; ++n) retire(line, executed[n].unit, executed[n].result, at);
  if (moves) move(line, word, at);
}

/// Makes the result pending for all destinations whose predicates hold. An event counts if there is such a destination.
void ReferenceBlock::retire(const Line& line, Unit unit, const WordResult& result, At at) {
  const Slot& slot = isa::slot_of(line, unit);
  bool written = write(line, unit, result.value, at);
  if (slot.flag.flag != 0 && holds(slot.flag.predicate, at)) {
    const bool value = slot.flag.condition == Condition::negative ? result.negative
                       : slot.flag.condition == Condition::zero   ? result.zero
                                                                  : result.carry;
    new_flags_.push_back({at, slot.flag.flag, value});
    written = true;
  }
  if (!written || result.event == FpEvent::none) return;
  events_ += result.event;
  first_events_.add({place_of(at), unit, result.event});
}

/// The `bm` operation: moves a word from BM to the PE, or from the PE to BM.
void ReferenceBlock::move(const Line& line, LongWord word, At at) {
  if (line.bm.mode == BmMode::read) {
    static_cast<void>(write(line, Unit::bm, word, at));
  } else {
    place(Storage::bm, at, bm_address(line, at.element), line.bm.width, word);
  }
}

bool ReferenceBlock::write(const Line& line, Unit unit, LongWord value, At at) {
  const Width width = isa::result_width(line, unit);
  bool written = false;
  if (line.t_write.source == unit && holds(line.t_write.predicate, at)) {
    new_t_.push_back({at, value});
    written = true;
  }
  if (line.gpr_write.source == unit && holds(line.gpr_write.predicate, at)) {
    place(Storage::gpr, at, line.gpr_write.address + step_of(line.gpr_write.vector, width, at.element), width, value);
    written = true;
  }
  if (line.lm_write.source == unit && holds(line.lm_write.predicate, at)) {
    const WritePort& port = line.lm_write;
    place(Storage::lm, at, lm_address({port.address, width, port.vector, port.indirect}, at), width, value);
    written = true;
  }
  return written;
}

void ReferenceBlock::place(Storage storage, At at, std::size_t address, Width width, LongWord value) {
  new_words_.push_back({storage, at, static_cast<std::uint16_t>(address), value.upper()});
  if (width == Width::long_word) {
    new_words_.push_back({storage, at, static_cast<std::uint16_t>(address + 1), value.lower()});
  }
}

LongWord ReferenceBlock::operand(const Line& line, Source source, Width width, At at) const {
  const Pe& pe = pes_[at.pe];
  const auto identifier = [&](unsigned id) {
    return width == Width::long_word ? LongWord::from_bits(id) : isa::widen(ShortWord{id});
  };
  const auto gpr = [&](const ReadPort& port) {
    return read(pe.gpr, port.address + step_of(port.vector, port.width, at.element), port.width);
  };
  switch (source) {
    case Source::none:
      return {};
    case Source::gpr_a:
      return gpr(line.gpr_a);
    case Source::gpr_b:
      return gpr(line.gpr_b);
    case Source::lm:
      return read(pe.lm, lm_address(line.lm_read, at), line.lm_read.width);
    case Source::bm:
      return read(bm_, bm_address(line, at.element), line.bm.width);
    case Source::t_short:
      return isa::widen(pe.t[at.element].upper());
    case Source::t_long:
      return pe.t[at.element];
    case Source::immediate:
      return line.immediate.value;
    case Source::pe_id:
      return identifier(at.pe);
    case Source::bb_id:
      return identifier(id_);
  }
  return {};
}

std::size_t ReferenceBlock::bm_address(const Line& line, unsigned element) const {
  return line.bm.address + (line.bm.record ? record_base_ : 0) + step_of(line.bm.vector, line.bm.width, element);
}

std::size_t ReferenceBlock::lm_address(const ReadPort& port, At at) const {
  std::size_t address = port.address + step_of(port.vector, port.width, at.element);
  if (!port.indirect) return address;
  const LongWord t = pes_[at.pe].t[at.element];
  const uint128 offset = port.width == Width::long_word ? t.bits() : uint128{t.upper().bits};
  if (offset >= isa::kLmShortWords || address + offset + isa::short_words(port.width) > isa::kLmShortWords ||
      (port.width == Width::long_word && (address + offset) % 2 != 0)) {
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
