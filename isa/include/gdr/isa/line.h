// One microinstruction ("line"), taken apart: what each port and unit of a PE does in it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gdr/isa/isa.h"
#include "gdr/isa/word.h"

namespace gdr::isa {

/// Gates a write per element: by a flag register (1 to 4; 0: none), perhaps inverted, and by the block's $jvalid.
struct Predicate {
  std::uint8_t flag = 0;
  bool inverted = false;
  bool jvalid = false;
  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// The line's mask: gates every write of an element, flags and event counts included.
struct Mask {
  std::uint8_t flag = 0;
  bool inverted = false;
  friend bool operator==(const Mask&, const Mask&) = default;
};

/// Reads one word per element; addresses are in short words, a long word has an even one.
struct ReadPort {
  std::uint16_t address = 0;
  Width width = Width::short_word;
  bool vector = false;    // steps by one word of `width` per element
  bool indirect = false;  // LM alone: T of the element, as an unsigned integer, is added
  friend bool operator==(const ReadPort&, const ReadPort&) = default;
};

/// Writes one word per element, in the width of the unit's result.
struct WritePort {
  Unit source = Unit::none;
  std::uint16_t address = 0;  // not of T
  bool vector = false;        // not of T
  bool indirect = false;      // LM alone
  Predicate predicate;
  friend bool operator==(const WritePort&, const WritePort&) = default;
};

struct FlagWrite {
  std::uint8_t flag = 0;  // 1 to 4; 0: none
  Condition condition = Condition::negative;
  Predicate predicate;
  friend bool operator==(const FlagWrite&, const FlagWrite&) = default;
};

/// What adder, multiplier or ALU does.
struct Slot {
  Op op = Op::NOP;
  Source a = Source::none;
  Source b = Source::none;
  bool negate_a = false;  // not of the ALU
  bool negate_b = false;
  Width width = Width::short_word;  // of the destinations; of an ALU operation's operands too
  FlagWrite flag;
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// The block's one access to its broadcast memory. A read feeds any unit as Source::bm and, where a write port's source
/// is Unit::bm, moves the word there; a write stores `store_source` of PE `pe`.
struct BmPort {
  BmMode mode = BmMode::none;
  std::uint16_t address = 0;
  Width width = Width::short_word;
  bool vector = false;
  bool record = false;  // the address counts from the current j-record
  Source store_source = Source::none;
  bool one_pe = false;  // a load goes into PE `pe` alone; always set for a write
  std::uint8_t pe = 0;
  friend bool operator==(const BmPort&, const BmPort&) = default;
};

/// A short immediate stands in the upper half of `value`, the lower half zero.
struct Immediate {
  Width width = Width::short_word;
  LongWord value;
  friend bool operator==(const Immediate&, const Immediate&) = default;
};

struct Line {
  std::uint8_t vlen = 1;  // 1 to 4 elements; never the time
  Mask mask;
  ReadPort gpr_a;
  ReadPort gpr_b;
  ReadPort lm_read;
  BmPort bm;
  WritePort t_write;
  WritePort gpr_write;
  WritePort lm_write;
  Slot adder;
  Slot multiplier;
  Slot alu;
  Immediate immediate;
  friend bool operator==(const Line&, const Line&) = default;
};

/// An encoded line; part 0 holds bits 63..0.
struct InstructionWord {
  std::array<std::uint64_t, kInstructionBits / 64> parts{};
  friend bool operator==(const InstructionWord&, const InstructionWord&) = default;
};

/// Ports and slots that nothing uses must stand at their defaults, so that a line has one encoding. Throws gdr::Error
/// naming field, value and allowed range for what a field cannot hold.
[[nodiscard]] InstructionWord encode(const Line& line);

/// Either the line or why the word is refused: reserved bits, undefined codes, odd addresses of long words, fields of
/// ports that nothing uses.
struct DecodeResult {
  std::optional<Line> line;
  std::string error;
};
[[nodiscard]] DecodeResult decode(const InstructionWord& word);
/// The line. Throws gdr::Error with the reason if the word is refused.
[[nodiscard]] Line decoded(const InstructionWord& word);

/// The slot of adder, multiplier or ALU. Throws gdr::Error for another unit.
[[nodiscard]] const Slot& slot_of(const Line& line, Unit unit);
[[nodiscard]] Slot& slot_of(Line& line, Unit unit);

/// True if adder, multiplier, ALU or a BM store takes an operand from `source`.
[[nodiscard]] bool reads(const Line& line, Source source);

/// Width of the result that `unit` offers to the write ports: of the slot, or of the BM access.
[[nodiscard]] Width result_width(const Line& line, Unit unit);

/// Assembly text of a line, raw registers, which assembles to the same word: `vlen 4; fadd $lr8v -$t $lr16v/j`.
/// The sequencer's items (`vlen`, `mask`) always stand first.
[[nodiscard]] std::string print(const Line& line);

}  // namespace gdr::isa
