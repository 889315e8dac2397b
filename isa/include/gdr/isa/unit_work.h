// What the units of a line do: the words that each takes, what it computes of them, and where its result goes. Whoever
// executes, translates or explains lines walks this list. docs/machine/machine.md states the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gdr/isa/access.h"

namespace gdr::isa {

/// A word that a unit takes for each element.
struct UnitOperand {
  enum class Kind : std::uint8_t { none, word, constant, pe_id, block_id };
  Kind kind = Kind::none;
  bool negated = false;             // its sign is changed before the unit takes it
  Width width = Width::short_word;  // in which the unit finds it
  Access word;                      // of Kind::word: where it is read
  LongWord constant;                // of Kind::constant; a short one is in the upper half
};

/// The work of one unit. All operands of all units are read before any result is written. A result in T can be read by
/// the next line; all others "land" when the next line has read its operands. If two units write one flag, the later
/// unit in the list wins.
class UnitWork {
 public:
  Unit unit = Unit::none;
  Op op = Op::NOP;  // of BM: it moves the word of operand a
  Width width = Width::short_word;
  UnitOperand a;
  UnitOperand b;
  FlagWrite flag;        // flag 0: none
  bool computes = true;  // false: the first half of a product of long words, which its second line computes
  bool one_pe = false;   // only PE `pe` works
  std::uint8_t pe = 0;

  /// Where the result goes: words of T, GPR and LM, or a word of BM. Each has a predicate of its own.
  [[nodiscard]] std::span<const Access> destinations() const { return std::span(destinations_).first(count_); }
  [[nodiscard]] bool stores_to_bm() const {
    return count_ == 1 && (destinations_[0].storage == Storage::bm || destinations_[0].storage == Storage::record);
  }

 private:
  friend class LineWorkBuilder;
  std::array<Access, 3> destinations_;
  std::uint8_t count_ = 0;
};

/// The work of a line, in the order adder, multiplier, ALU, BM. Units without an operation are left out, and a load of
/// BM that only feeds other units.
class LineWork {
 public:
  std::uint8_t elements = 1;
  Mask mask;  // gates every write
  [[nodiscard]] std::span<const UnitWork> units() const { return std::span(units_).first(count_); }
  /// The line's access to BM, which may be none.
  BmPort bm;

 private:
  friend class LineWorkBuilder;
  std::array<UnitWork, 4> units_;
  std::uint8_t count_ = 0;
};

/// The work of a line that decode() accepted.
[[nodiscard]] LineWork line_work(const Line& line);

}  // namespace gdr::isa
