// Executes a broadcast block of the reference engine line by line, for debuggers that stop between lines and go back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/session.h"
#include "gdr/isa/effects.h"

namespace gdr::emulator {

/// The line that a block executes next.
struct NextLine {
  isa::Section section = isa::Section::initialization;
  std::size_t line = 0;         // index into the section's code
  std::uint64_t iteration = 0;  // of the loop body, counted from the start of the run; 0 in other sections
  bool jvalid = true;
  friend bool operator==(const NextLine&, const NextLine&) = default;
};

/// A word that a line wrote. A long word in GPR, LM or BM is reported as two short words, the upper half first.
struct WordWrite {
  isa::Storage storage = isa::Storage::gpr;  // never `record`: words of the record window count as BM
  std::uint8_t pe = 0;                       // for BM: the PE that stored the word
  std::uint8_t element = 0;
  std::uint16_t address = 0;  // in short words; for a flag its number; for T 0
  LongWord word;              // a short word is in the upper half; for a flag 0 or 1
};

/// A copy is an independent block in the same state, to which a debugger can go back. A result is stored only after the
/// next line has read its operands; the read functions return it at once, as later lines will find it. Throws
/// gdr::Error, naming argument, value and range, for arguments outside the block.
class BlockStepper {
 public:
  /// All state starts at zero. Throws Fault for code that no run could execute.
  BlockStepper(const isa::Program& program, unsigned block);
  ~BlockStepper();
  BlockStepper(const BlockStepper& other);
  BlockStepper& operator=(const BlockStepper& other);
  BlockStepper(BlockStepper&&) noexcept;
  BlockStepper& operator=(BlockStepper&&) noexcept;

  /// Begin section `initialization`, or the loop as Chip::run_loop() runs it. The words of `run.stream` must live until
  /// the loop is done. Words that `collect` lines send to the tree are dropped.
  void begin_initialization();
  void begin(const LoopRun& run);
  /// True if all lines of the section or loop that began last were executed, or if nothing has begun.
  [[nodiscard]] bool done() const;
  /// The line that step() will execute. Throws gdr::Error if there is none.
  [[nodiscard]] NextLine next() const;
  /// Executes the next line. Throws gdr::Error if there is none. If it throws Fault, the block is in its state before
  /// the line, except that events may have been counted.
  void step();
  /// The words that the last step wrote, each with its PE and element.
  [[nodiscard]] std::vector<WordWrite> written() const;
  /// The floating-point events of the last step, in order; their chip is 0.
  [[nodiscard]] std::vector<PlacedEvent> events() const;

  void write_bm(unsigned address, std::span<const LongWord> words);
  void write_pes(unsigned first_pe, const PeWords& where, std::span<const LongWord> words);
  /// The same for one PE, and writes to these words that have not landed yet are dropped, so that read_pe() finds the
  /// words now and after the next line.
  void set_pe(unsigned pe, const PeWords& where, std::span<const LongWord> words);
  /// `where.memory` is gpr or lm.
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned pe, const PeWords& where) const;
  [[nodiscard]] PeRegisters registers(unsigned pe) const;
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned address, unsigned count) const;
  /// First short word of the j-record window that the current iteration reads.
  [[nodiscard]] unsigned record_base() const;
  /// Get and set all words of the block, to exchange them with another engine. set_state() ends what has begun.
  [[nodiscard]] BlockState state() const;
  void set_state(const BlockState& state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Get and set all words of a chip's block. A state that is set may have fewer BM words than the block; they are
/// written from address 0 on. Throws gdr::Error for any other shape.
[[nodiscard]] BlockState state_of(const Chip& chip, unsigned block);
void set_state(Chip& chip, unsigned block, const BlockState& state);

}  // namespace gdr::emulator
