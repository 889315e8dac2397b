// A block of the reference engine: the definition of the machine, one line, one PE, one element at a time.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "gdr/emulator/block_stepper.h"
#include "line/decoded_program.h"

namespace gdr::emulator {

/// Executes the lines of one block one after the other, and keeps the writes that are still pending. A copy runs
/// independently, but shares the code, the records and the space for collected words with the original.
class ReferenceBlock {
 public:
  explicit ReferenceBlock(unsigned id) : id_(id) {}

  /// Begin section `initialization` or a run; `code` must live until it is done. If `run.collected` is empty, collected
  /// words are dropped.
  void begin_initialization(const DecodedProgram& code);
  void begin(const DecodedProgram& code, const LoopRun& run);
  [[nodiscard]] bool done() const { return next_ == nullptr; }
  /// The next line. The block must not be done.
  [[nodiscard]] NextLine next() const { return {section_, at_, iteration_, jvalid_}; }
  void step();
  /// Ends the section or run that has begun. Pending writes are completed.
  void stop();
  /// The words that the last step wrote.
  [[nodiscard]] std::vector<WordWrite> written() const;
  /// The events of the last step, in order.
  [[nodiscard]] const std::vector<PlacedEvent>& line_events() const { return line_events_; }

  // Words without the pending writes. Arguments are inside the block.
  void write_bm(unsigned address, std::span<const LongWord> words);
  void write_pe(unsigned pe, const PeWords& where, std::span<const LongWord> words);
  void write_registers(unsigned pe, const PeRegisters& registers);
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned address, unsigned count) const;
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned pe, const PeWords& where) const;
  [[nodiscard]] PeRegisters registers(unsigned pe) const;
  /// The same with the pending writes, as later lines will find the words.
  [[nodiscard]] std::vector<LongWord> read_landed(isa::Storage storage, unsigned pe, unsigned address, Width width,
                                                  unsigned count) const;
  [[nodiscard]] PeRegisters registers_landed(unsigned pe) const;
  /// Forgets pending writes to these words.
  void drop_pending(unsigned pe, const PeWords& where);

  [[nodiscard]] unsigned record_base() const { return record_base_; }
  [[nodiscard]] const FpEvents& events() const { return events_; }
  [[nodiscard]] const FirstEvents& first_events() const { return first_events_; }

 private:
  struct Pe {
    std::array<ShortWord, isa::kGprShortWords> gpr{};
    std::array<ShortWord, isa::kLmShortWords> lm{};
    std::array<LongWord, isa::kVectorElements> t{};
    std::array<std::uint8_t, isa::kVectorElements> flags{};  // bit k - 1 is flag k
  };
  /// The PE and element that are being computed.
  struct At {
    std::uint8_t pe = 0;
    std::uint8_t element = 0;
  };
  /// A pending write: it is completed ("lands") when the next line has read its operands.
  struct PendingWord {
    isa::Storage storage = isa::Storage::gpr;
    At from;
    std::uint16_t address = 0;
    ShortWord word;
  };
  struct PendingFlag {
    At at;
    std::uint8_t flag = 0;
    bool value = false;
  };
  /// A write to T, which the next line can already read.
  struct TWrite {
    At at;
    LongWord word;
  };

  void land();
  void begin_section(isa::Section section);
  /// Goes to the next line: executes moves between lines, and begins iterations and sections.
  void advance();
  [[nodiscard]] bool begin_next_part();
  void receive_record();
  void collect(const isa::CollectStep& collect);

  void execute(const isa::LineWork& line, At at);
  void retire(const isa::UnitWork& work, const WordResult& result, At at);
  [[nodiscard]] bool write(const isa::UnitWork& work, LongWord value, At at);
  void place(isa::Storage storage, At at, std::size_t address, Width width, LongWord value);

  [[nodiscard]] LongWord operand(const isa::UnitOperand& operand, At at) const;
  /// Address of the word that the access means for the element, in short words of its storage.
  [[nodiscard]] std::size_t address_of(const isa::Access& access, At at) const;
  [[nodiscard]] std::size_t indirect_address(const isa::Access& access, std::size_t address, At at) const;
  [[nodiscard]] PePlace place_of(At at) const;
  [[nodiscard]] bool flag(At at, unsigned number) const;
  [[nodiscard]] bool holds(const isa::Predicate& predicate, At at) const;
  [[nodiscard]] std::span<const ShortWord> memory_of(isa::Storage storage, unsigned pe) const;
  [[nodiscard]] std::span<ShortWord> memory_of(isa::Storage storage, unsigned pe);

  std::array<Pe, kPesPerBlock> pes_{};
  std::array<ShortWord, isa::kBmShortWords> bm_{};
  FpEvents events_;
  FirstEvents first_events_;
  std::vector<PlacedEvent> line_events_;
  unsigned id_;

  const DecodedProgram* code_ = nullptr;
  LoopRun run_{};
  const DecodedLine* next_ = nullptr;  // null: done
  isa::Section section_ = isa::Section::initialization;
  std::size_t step_ = 0;         // index of the step after the next line, among the section's steps
  std::size_t at_ = 0;           // index of the next line among the section's lines
  std::uint64_t turn_ = 0;       // iterations of the piece that have begun
  std::uint64_t iteration_ = 0;  // of the run
  unsigned record_base_ = 0;
  bool jvalid_ = true;
  std::size_t collected_ = 0;  // words

  // Writes of the last line. They are kept for written() after they have landed.
  bool pending_ = false;
  std::vector<PendingWord> pending_words_;
  std::vector<PendingFlag> pending_flags_;
  std::vector<PendingWord> new_words_;
  std::vector<PendingFlag> new_flags_;
  std::vector<TWrite> new_t_;
};

}  // namespace gdr::emulator
