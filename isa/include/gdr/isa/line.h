// A decoded microinstruction ("line"): what each port and unit of a PE does in it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gdr/isa/isa.h"
#include "gdr/isa/word.h"

namespace gdr::isa {

/// Gates a single write for each element: by a flag (1 to 4; 0: none), which may be inverted, and by the block's
/// $jvalid.
struct Predicate {
  std::uint8_t flag = 0;
  bool inverted = false;
  bool jvalid = false;
  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// The line's mask: gates every write of an element, including flags and event counts.
struct Mask {
  std::uint8_t flag = 0;
  bool inverted = false;
  friend bool operator==(const Mask&, const Mask&) = default;
};

/// Reads one word per element. Addresses are in short words; that of a long word is even.
struct ReadPort {
  std::uint16_t address = 0;
  Width width = Width::short_word;
  bool vector = false;    // steps by one word of `width` per element
  bool indirect = false;  // LM only: the element's T, as an unsigned integer, is added to the address
  friend bool operator==(const ReadPort&, const ReadPort&) = default;
};

/// Writes one word per element, in the width of the unit's result.
struct WritePort {
  Unit source = Unit::none;
  std::uint16_t address = 0;  // not of T
  bool vector = false;        // not of T
  bool indirect = false;      // LM only
  Predicate predicate;
  friend bool operator==(const WritePort&, const WritePort&) = default;
};

struct FlagWrite {
  std::uint8_t flag = 0;  // 1 to 4; 0: none
  Condition condition = Condition::negative;
  Predicate predicate;
  friend bool operator==(const FlagWrite&, const FlagWrite&) = default;
};

/// The operation of the adder, the multiplier or the ALU.
struct Slot {
  Op op = Op::NOP;
  Source a = Source::none;
  Source b = Source::none;
  bool negate_a = false;  // not for the ALU
  bool negate_b = false;
  Width width = Width::short_word;  // of the destinations; in the ALU also of the operands
  FlagWrite flag;
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// The line's only access to the broadcast memory of the block. A read can feed any unit as Source::bm, and moves the
/// word to each write port whose source is Unit::bm. A write stores `store_source` of PE `pe`.
struct BmPort {
  BmMode mode = BmMode::none;
  std::uint16_t address = 0;
  Width width = Width::short_word;
  bool vector = false;
  bool record = false;  // the address counts from the current j-record
  Source store_source = Source::none;
  bool one_pe = false;  // a load goes only to PE `pe`; always set for a write
  std::uint8_t pe = 0;
  friend bool operator==(const BmPort&, const BmPort&) = default;
};

/// A short immediate is in the upper half of `value`; the lower half is zero.
struct Immediate {
  Width width = Width::short_word;
  LongWord value;
  friend bool operator==(const Immediate&, const Immediate&) = default;
};

struct Line {
  std::uint8_t vlen = 1;  // 1 to 4 elements; does not change the time that the line takes
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

/// Encodes a line. Ports and slots that the line does not use must have their defaults, so that each line has one
/// encoding. Throws gdr::Error with field, value and allowed range if a value does not fit its field.
[[nodiscard]] InstructionWord encode(const Line& line);

/// Either the line, or the reason why the word is refused, such as reserved bits, undefined codes, odd addresses of
/// long words, or set fields of unused ports.
struct DecodeResult {
  std::optional<Line> line;
  std::string error;
};
/// Decodes a word.
[[nodiscard]] DecodeResult decode(const InstructionWord& word);
/// The decoded line. Throws gdr::Error with the reason if the word is refused.
[[nodiscard]] Line decoded(const InstructionWord& word);

/// The slot of adder, multiplier or ALU. Throws gdr::Error for another unit.
[[nodiscard]] const Slot& slot_of(const Line& line, Unit unit);
[[nodiscard]] Slot& slot_of(Line& line, Unit unit);

/// True if adder, multiplier, ALU or a BM store takes an operand from `source`.
[[nodiscard]] bool reads(const Line& line, Source source);

/// Width of the result that `unit` offers to the write ports: of the slot, or of the BM access.
[[nodiscard]] Width result_width(const Line& line, Unit unit);

/// Assembly text of a line with raw register names: `vlen 4; fadd $lr8v -$t $lr16v/j`. It assembles to the same word.
/// The sequencer's items (`vlen`, `mask`) always come first.
[[nodiscard]] std::string print(const Line& line);

}  // namespace gdr::isa
