// What a line reads and writes, as far as that can be told without running it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "micro_op.h"

namespace gdr::emulator::simd {

using RowSet = std::bitset<kRegisterRows>;

/// Register rows of the words that a port touches, element by element.
struct Access {
  unsigned first = 0;  // row of element 0
  unsigned step = 0;   // rows from one element to the next
  unsigned words = 1;  // rows of a word
  unsigned elements = 1;

  [[nodiscard]] unsigned row(unsigned element) const { return first + element * step; }
  /// Adds the rows of one element to `rows`: sets are long, a copy of each costs more than the bits.
  void add_to(RowSet& rows, unsigned element) const {
    for (unsigned word = 0; word < words; ++word) rows.set(row(element) + word);
  }
  /// True if `rows` has one of this element's.
  [[nodiscard]] bool meets(const RowSet& rows, unsigned element) const {
    for (unsigned word = 0; word < words; ++word) {
      if (rows.test(row(element) + word)) return true;
    }
    return false;
  }
  [[nodiscard]] RowSet rows() const;
};

/// Every row of a pair that has a row in the set.
[[nodiscard]] RowSet whole_pairs(const RowSet& rows);
/// Calls function(row) for every row of the set.
template <class Function>
void for_each_row(const RowSet& rows, Function function) {
  for (std::size_t row = rows._Find_first(); row < rows.size(); row = rows._Find_next(row)) {
    function(static_cast<unsigned>(row));
  }
}
/// All rows of local memory.
[[nodiscard]] const RowSet& lm_rows();

[[nodiscard]] Access access_of(isa::Memory memory, unsigned address, Width width, bool vector, unsigned elements);
[[nodiscard]] Access access_of_t(unsigned elements);

/// True for a slot whose result exists: fmulh leaves its work to fmull.
[[nodiscard]] inline bool acts(const isa::Slot& slot) { return slot.op != isa::Op::NOP && slot.op != isa::Op::FMULH; }

/// True if a unit that acts, or a store to BM, reads `source`.
[[nodiscard]] bool uses(const isa::Line& line, isa::Source source);

/// Adds the rows that `source` shows to one element of the line: all of LM if it is indirect, none for what is no
/// register.
void add_rows_read(RowSet& rows, const isa::Line& line, isa::Source source, unsigned element);

struct LineFacts {
  RowSet reads;                    // registers
  RowSet writes;                   // GPR and LM, which land late
  std::uint8_t flags_read = 0;     // bit k: flag k
  std::uint8_t flags_written = 0;  // bit k: flag k
  bool reads_bm = false;
  bool indirect = false;  // reads or writes LM indirectly

  LineFacts& operator|=(const LineFacts& other);
};
[[nodiscard]] LineFacts facts_of(const isa::Line& line);

/// Rows that a section overwrites as a whole, in all PEs, before it reads them.
[[nodiscard]] RowSet overwritten_unread(const std::vector<const isa::Line*>& lines);

}  // namespace gdr::emulator::simd
