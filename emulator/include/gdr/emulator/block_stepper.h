// A broadcast block of the reference engine, one line at a time: for debuggers, which stop between lines and go back.
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
  std::uint64_t iteration = 0;  // of the loop body, counted from the run's begin; 0 elsewhere
  bool jvalid = true;
  friend bool operator==(const NextLine&, const NextLine&) = default;
};

/// A word that a line wrote. In GPR, LM and BM a long word is two of them, the upper half first.
struct WordWrite {
  isa::Storage storage = isa::Storage::gpr;  // never record: words of the window are BM's
  std::uint8_t pe = 0;                       // of BM: the PE that stored it
  std::uint8_t element = 0;
  std::uint16_t address = 0;  // short words; of a flag its number; 0 of T
  LongWord word;              // a short word in the upper half; of a flag 0 or 1
};

/// Copies are blocks of their own in the same state, so a copy is a place to come back to. A result that a line wrote
/// lands when the next line has read its operands; reads here show it at once, as lines that may read it will find it.
/// Arguments outside the block throw gdr::Error naming argument, value and range.
class BlockStepper {
 public:
  /// State is zero. Throws Fault for code that no run could execute.
  BlockStepper(const isa::Program& program, unsigned block);
  ~BlockStepper();
  BlockStepper(const BlockStepper& other);
  BlockStepper& operator=(const BlockStepper& other);
  BlockStepper(BlockStepper&&) noexcept;
  BlockStepper& operator=(BlockStepper&&) noexcept;

  /// Section `initialization`, or the loop as Chip::run_loop() runs it, whose words must live until the end. What
  /// `collect` lines bring to the tree is dropped.
  void begin_initialization();
  void begin(const LoopRun& run);
  /// True if all lines of what began last were executed, or nothing has begun.
  [[nodiscard]] bool done() const;
  /// Throws gdr::Error if there is none.
  [[nodiscard]] NextLine next() const;
  /// Executes it. Throws Fault; the block then stands as before the line, but for events that were counted.
  void step();
  /// What the last step wrote, by PE and element.
  [[nodiscard]] std::vector<WordWrite> written() const;

  void write_bm(unsigned address, std::span<const LongWord> words);
  void write_pes(unsigned first_pe, const PeWords& where, std::span<const LongWord> words);
  /// `where.memory` is gpr or lm.
  [[nodiscard]] std::vector<LongWord> read_pe(unsigned pe, const PeWords& where) const;
  [[nodiscard]] PeRegisters registers(unsigned pe) const;
  [[nodiscard]] std::vector<LongWord> read_bm(unsigned address, unsigned count) const;
  /// First short word of the j-record window that the current iteration reads.
  [[nodiscard]] unsigned record_base() const;
  /// All words, for another engine or from one; taking them ends what has begun.
  [[nodiscard]] BlockState state() const;
  void set_state(const BlockState& state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All words of a chip's block. A state to be set may have fewer words of BM, from the first on. Throws gdr::Error for
/// one of another shape.
[[nodiscard]] BlockState state_of(const Chip& chip, unsigned block);
void set_state(Chip& chip, unsigned block, const BlockState& state);

}  // namespace gdr::emulator
