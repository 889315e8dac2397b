// The reference engine: the definition of the machine, one block, one line, one PE, one element at a time.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "decoded_program.h"
#include "gdr/emulator/chip.h"

namespace gdr::emulator {
namespace {

using isa::BmMode;
using isa::Condition;
using isa::kVectorElements;
using isa::Line;
using isa::Predicate;
using isa::ReadPort;
using isa::Section;
using isa::Slot;
using isa::Source;
using isa::Unit;
using isa::WritePort;

struct Pe {
  std::array<ShortWord, isa::kGprShortWords> gpr{};
  std::array<ShortWord, isa::kLmShortWords> lm{};
  std::array<LongWord, kVectorElements> t{};
  std::array<std::uint8_t, kVectorElements> flags{};  // bit k - 1 is flag k
};

struct Block {
  std::array<Pe, kPesPerBlock> pes{};
  std::array<ShortWord, isa::kBmShortWords> bm{};
  FpEvents events;
  FirstEvents first_events;
};

/// A write on its way: it lands when the next line has read its operands.
struct PendingWord {
  ShortWord* at;
  ShortWord word;
};
struct PendingFlag {
  std::uint8_t* flags;
  std::uint8_t flag;
  bool value;
};

LongWord read(std::span<const ShortWord> memory, std::size_t address, Width width) {
  return width == Width::long_word ? isa::join(memory[address], memory[address + 1]) : isa::widen(memory[address]);
}

/// What the chips of a program share.
class LoweredReference final : public Lowered {
 public:
  explicit LoweredReference(const isa::Program& program) : code(decode_program(program)) {}
  [[nodiscard]] const isa::Program& program() const override { return code.program; }

  const DecodedProgram code;
};

class Reference final : public ReferenceChip {
 public:
  void set_observer(Observer* observer) override { observer_ = observer; }

 private:
  std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const override {
    return std::make_shared<LoweredReference>(program);
  }
  void do_load(std::shared_ptr<const Lowered> program) override {
    code_ = lowered_here<LoweredReference>(program);
    blocks_.assign(kBlocks, Block{});
  }
  void do_patch(std::shared_ptr<const Lowered> program) override { code_ = lowered_here<LoweredReference>(program); }
  std::unique_ptr<Chip> do_clone() const override {
    auto copy = std::make_unique<Reference>(*this);
    copy->observer_ = nullptr;
    return copy;
  }

  void do_run_initialization(unsigned block) override {
    Sequence run(*this, block, kPesPerBlock);
    run.section(Section::initialization);
  }

  void do_run_loop(BlockRange blocks, const LoopRun& loop) override {
    LoopRun own = loop;
    const std::size_t share = loop.collected.size() / blocks.count;
    for (unsigned n = 0; n < blocks.count; ++n) {
      own.collected = loop.collected.subspan(n * share, share);
      run_block(blocks.first + n, own);
    }
  }

  void do_write_bm(unsigned block, unsigned address, std::span<const LongWord> words) override {
    auto& bm = blocks_[block].bm;
    for (const LongWord word : words) {
      bm[2 * address] = word.upper();
      bm[2 * address + 1] = word.lower();
      ++address;
    }
  }

  std::vector<LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    std::vector<LongWord> words;
    for (unsigned n = address; n < address + count; ++n) {
      words.push_back(read(blocks_[block].bm, 2 * std::size_t{n}, Width::long_word));
    }
    return words;
  }

  void do_write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words) override {
    const std::span<ShortWord> memory = memory_of(blocks_[block].pes[pe], where);
    for (std::size_t n = 0; n < words.size(); ++n) {
      const std::size_t address = where.address + n * isa::short_words(where.width);
      memory[address] = words[n].upper();
      if (where.width == Width::long_word) memory[address + 1] = words[n].lower();
    }
  }

  std::vector<LongWord> do_read_pe(unsigned block, unsigned pe, const PeWords& where) const override {
    Pe copy = blocks_[block].pes[pe];
    const std::span<const ShortWord> memory = memory_of(copy, where);
    std::vector<LongWord> words;
    for (std::size_t n = 0; n < where.count; ++n) {
      words.push_back(read(memory, where.address + n * isa::short_words(where.width), where.width));
    }
    return words;
  }

  FpEvents do_events(unsigned block) const override { return blocks_[block].events; }
  FirstEvents do_first_events(unsigned block) const override { return blocks_[block].first_events; }
  void do_write_registers(unsigned block, unsigned pe, const PeRegisters& registers) override {
    blocks_[block].pes[pe].t = registers.t;
    blocks_[block].pes[pe].flags = registers.flags;
  }
  PeRegisters do_registers(unsigned block, unsigned pe) const override {
    const Pe& state = blocks_[block].pes[pe];
    return {state.t, state.flags};
  }

  void run_block(unsigned block, const LoopRun& loop) {
    Sequence run(*this, block, loop.live_pes);
    run.number(loop.run, loop.first_iteration);
    run.collect_into(loop.collected);
    if (loop.begins) run.section(Section::loop_initialization);
    for (std::uint64_t iteration = 0; iteration < loop.stream.iterations(); ++iteration) {
      run.receive_record(loop.stream, iteration);
      run.first_turn(loop.begins && iteration == 0);
      run.section(Section::loop_body);
    }
    run.leave_records();
    if (loop.ends) run.section(Section::loop_termination);
  }

  static std::span<ShortWord> memory_of(Pe& pe, const PeWords& where) {
    return where.memory == isa::Memory::gpr ? std::span<ShortWord>(pe.gpr) : std::span<ShortWord>(pe.lm);
  }

  /// Lines of one block, one after the other, with the writes that have not landed yet.
  class Sequence {
   public:
    Sequence(Reference& chip, unsigned block, unsigned live_pes)
        : chip_(chip), block_(chip.blocks_[block]), block_id_(block), live_pes_(live_pes) {}
    ~Sequence() { land(); }
    Sequence(const Sequence&) = delete;
    Sequence& operator=(const Sequence&) = delete;

    void receive_record(const RecordStream& stream, std::uint64_t iteration) {
      const std::uint64_t record = iteration * kBlocks + block_id_;
      iteration_ = first_iteration_ + iteration;
      jvalid_ = record < stream.records;
      record_base_ = record_base(stream.record_words, iteration);
      for (unsigned n = 0; n < stream.record_words; ++n) {
        const LongWord word = jvalid_ ? stream.words[record * stream.record_words + n] : LongWord{};
        block_.bm[record_base_ + 2 * n] = word.upper();
        block_.bm[record_base_ + 2 * n + 1] = word.lower();
      }
    }

    void number(std::uint64_t run, std::uint64_t first_iteration) {
      run_ = run;
      first_iteration_ = first_iteration;
    }
    void collect_into(std::span<LongWord> collected) { collected_ = collected; }
    void first_turn(bool first) { first_turn_ = first; }

    void leave_records() {
      iteration_ = 0;
      jvalid_ = true;
    }

    void section(Section section) {
      section_ = section;
      at_ = 0;
      const isa::Visitor issue{[&](const DecodedLine& each) {
                                 if (chip_.observer_ != nullptr) {
                                   chip_.observer_->on_issue({chip_, section, at_, block_id_, iteration_, jvalid_});
                                 }
                                 step(each.line);
                                 ++at_;
                               },
                               [](const isa::TransferStep&) {},  // the record is there when its iteration begins
                               [&](const isa::CollectStep& collect) { this->collect(collect); }};
      for (const DecodedStep& each : chip_.code_->code.steps(section)) std::visit(issue, each);
    }

   private:
    /// Words that leave between two lines.
    void collect(const isa::CollectStep& collect) {
      if (collect.not_first && section_ == Section::loop_body && first_turn_) return;
      const unsigned first = chip_.code_->code.program.address_of(collect);
      const unsigned words = collect.words();
      GDR_ASSERT(words <= collected_.size(), "a run has room for what it collects");
      for (unsigned n = 0; n < words; ++n) {
        collected_[n] = isa::join(block_.bm[first + 2 * n], block_.bm[first + 2 * n + 1]);
      }
      collected_ = collected_.subspan(words);
    }

    /// Fetch is the caller's; issue and execute read the state as it was, retire lands what the line before wrote.
    void step(const Line& line) {
      new_words_.clear();
      new_flags_.clear();
      new_t_.clear();
      for (unsigned pe = 0; pe < live_pes_; ++pe) {
        for (unsigned element = 0; element < line.vlen; ++element) execute(line, pe, element);
      }
      land();
      for (const auto& [t, word] : new_t_) *t = word;
      pending_words_.swap(new_words_);
      pending_flags_.swap(new_flags_);
    }

    void land() {
      for (const PendingWord& write : pending_words_) *write.at = write.word;
      for (const PendingFlag& write : pending_flags_) {
        const auto bit = static_cast<std::uint8_t>(1u << (write.flag - 1));
        *write.flags = static_cast<std::uint8_t>(write.value ? *write.flags | bit : *write.flags & ~bit);
      }
      pending_words_.clear();
      pending_flags_.clear();
    }

    void execute(const Line& line, unsigned pe_id, unsigned element) {
      Pe& pe = block_.pes[pe_id];
      const bool masked = line.mask.flag != 0 && flag(pe, element, line.mask.flag) == line.mask.inverted;
      if (masked) return;
      // All operands are fetched before a result goes anywhere: where an element reads from and writes to addresses
      // outside local memory, the fault is the read's.
      struct Executed {
        Unit unit = Unit::none;
        WordResult result;
      };
      std::array<Executed, 3> executed;
      std::size_t count = 0;
      for (const Unit unit : {Unit::adder, Unit::multiplier, Unit::alu}) {
        const Slot& slot = isa::slot_of(line, unit);
        if (!isa::info_of(slot.op).computes()) continue;
        LongWord a = operand(line, slot.a, slot.width, pe_id, element);
        LongWord b = operand(line, slot.b, slot.width, pe_id, element);
        if (slot.negate_a) a = negate(a);
        if (slot.negate_b) b = negate(b);
        executed[count++] = {unit, compute(slot.op, a, b, slot.width)};
      }
      const bool moves = line.bm.mode != BmMode::none && (!line.bm.one_pe || line.bm.pe == pe_id);
      const Source moved = line.bm.mode == BmMode::read ? Source::bm : line.bm.store_source;
      const LongWord word = moves ? operand(line, moved, line.bm.width, pe_id, element) : LongWord{};
      for (std::size_t n = 0; n < count; ++n) retire(line, executed[n].unit, executed[n].result, pe_id, element);
      if (moves) move(line, word, pe_id, element);
    }

    /// Results on their way to the destinations whose predicates hold; an event counts if there is one.
    void retire(const Line& line, Unit unit, const WordResult& result, unsigned pe_id, unsigned element) {
      Pe& pe = block_.pes[pe_id];
      const Slot& slot = isa::slot_of(line, unit);
      bool written = write(line, unit, result.value, pe_id, element);
      if (slot.flag.flag != 0 && holds(slot.flag.predicate, pe, element)) {
        const bool value = slot.flag.condition == Condition::negative ? result.negative
                           : slot.flag.condition == Condition::zero   ? result.zero
                                                                      : result.carry;
        new_flags_.push_back({&pe.flags[element], slot.flag.flag, value});
        written = true;
      }
      if (!written || result.event == FpEvent::none) return;
      block_.events += result.event;
      block_.first_events.add({place_of(pe_id, element), unit, result.event});
    }

    /// The `bm` operation: a word of BM to the PE, or one of the PE to BM.
    void move(const Line& line, LongWord word, unsigned pe_id, unsigned element) {
      if (line.bm.mode == BmMode::read) {
        write(line, Unit::bm, word, pe_id, element);
      } else {
        place(block_.bm, bm_address(line, element), line.bm.width, word);
      }
    }

    bool write(const Line& line, Unit unit, LongWord value, unsigned pe_id, unsigned element) {
      Pe& pe = block_.pes[pe_id];
      const Width width = isa::result_width(line, unit);
      bool written = false;
      if (line.t_write.source == unit && holds(line.t_write.predicate, pe, element)) {
        new_t_.emplace_back(&pe.t[element], value);
        written = true;
      }
      if (line.gpr_write.source == unit && holds(line.gpr_write.predicate, pe, element)) {
        place(pe.gpr, line.gpr_write.address + step_of(line.gpr_write.vector, width, element), width, value);
        written = true;
      }
      if (line.lm_write.source == unit && holds(line.lm_write.predicate, pe, element)) {
        const WritePort& port = line.lm_write;
        place(pe.lm, lm_address({port.address, width, port.vector, port.indirect}, pe_id, element), width, value);
        written = true;
      }
      return written;
    }

    void place(std::span<ShortWord> memory, std::size_t address, Width width, LongWord value) {
      new_words_.push_back({&memory[address], value.upper()});
      if (width == Width::long_word) new_words_.push_back({&memory[address + 1], value.lower()});
    }

    LongWord operand(const Line& line, Source source, Width width, unsigned pe_id, unsigned element) const {
      const Pe& pe = block_.pes[pe_id];
      const auto identifier = [&](unsigned id) {
        return width == Width::long_word ? LongWord::from_bits(id) : isa::widen(ShortWord{id});
      };
      const auto gpr = [&](const ReadPort& port) {
        return read(pe.gpr, port.address + step_of(port.vector, port.width, element), port.width);
      };
      switch (source) {
        case Source::none:
          return {};
        case Source::gpr_a:
          return gpr(line.gpr_a);
        case Source::gpr_b:
          return gpr(line.gpr_b);
        case Source::lm:
          return read(pe.lm, lm_address(line.lm_read, pe_id, element), line.lm_read.width);
        case Source::bm:
          return read(block_.bm, bm_address(line, element), line.bm.width);
        case Source::t_short:
          return isa::widen(pe.t[element].upper());
        case Source::t_long:
          return pe.t[element];
        case Source::immediate:
          return line.immediate.value;
        case Source::pe_id:
          return identifier(pe_id);
        case Source::bb_id:
          return identifier(block_id_);
      }
      return {};
    }

    static std::size_t step_of(bool vector, Width width, unsigned element) {
      return vector ? element * isa::short_words(width) : 0;
    }

    std::size_t bm_address(const Line& line, unsigned element) const {
      return line.bm.address + (line.bm.record ? record_base_ : 0) + step_of(line.bm.vector, line.bm.width, element);
    }

    std::size_t lm_address(const ReadPort& port, unsigned pe_id, unsigned element) const {
      std::size_t address = port.address + step_of(port.vector, port.width, element);
      if (!port.indirect) return address;
      const LongWord t = block_.pes[pe_id].t[element];
      const uint128 offset = port.width == Width::long_word ? t.bits() : uint128{t.upper().bits};
      if (offset >= isa::kLmShortWords || address + offset + isa::short_words(port.width) > isa::kLmShortWords ||
          (port.width == Width::long_word && (address + offset) % 2 != 0)) {
        throw Fault(FaultKind::address, chip_.code_->code.program, section_, at_,
                    fmt::format("local memory address {} + T ({}) is outside 0..{} or odd for a long word", address,
                                isa::to_hex(t), isa::kLmShortWords - 1),
                    place_of(pe_id, element));
      }
      return address + static_cast<std::size_t>(offset);
    }

    [[nodiscard]] PePlace place_of(unsigned pe, unsigned element) const {
      return {run_, section_, iteration_, at_, 0, block_id_, pe, element};
    }

    static bool flag(const Pe& pe, unsigned element, unsigned number) {
      return ((pe.flags[element] >> (number - 1)) & 1) != 0;
    }

    bool holds(const Predicate& predicate, const Pe& pe, unsigned element) const {
      if (predicate.jvalid && !jvalid_) return false;
      return predicate.flag == 0 || flag(pe, element, predicate.flag) != predicate.inverted;
    }

    Reference& chip_;
    Block& block_;
    unsigned block_id_;
    unsigned live_pes_;
    Section section_ = Section::initialization;
    std::size_t at_ = 0;     // index of the line among the section's lines
    std::uint64_t run_ = 0;  // section `initialization` belongs to none
    std::uint64_t first_iteration_ = 0;
    std::uint64_t iteration_ = 0;
    unsigned record_base_ = 0;
    bool jvalid_ = true;
    bool first_turn_ = false;
    std::span<LongWord> collected_;
    std::vector<PendingWord> pending_words_;
    std::vector<PendingFlag> pending_flags_;
    std::vector<PendingWord> new_words_;
    std::vector<PendingFlag> new_flags_;
    std::vector<std::pair<LongWord*, LongWord>> new_t_;
  };

  std::shared_ptr<const LoweredReference> code_;
  std::vector<Block> blocks_;
  Observer* observer_ = nullptr;
};

}  // namespace

std::unique_ptr<ReferenceChip> make_reference_chip() { return std::make_unique<Reference>(); }

}  // namespace gdr::emulator
