// What a line does to the rows of registers, from isa::effects().
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "decoded_program.h"
#include "micro_op.h"

namespace gdr::emulator::simd {

using RowSet = std::bitset<kRegisterRows>;

/// Register rows of the words that an access touches, element by element.
struct RowPattern {
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

/// Of GPR, LM or T, whose words have both their rows whatever their width; not of an indirect access.
[[nodiscard]] RowPattern pattern_of(const isa::Access& access, unsigned elements);
[[nodiscard]] RowPattern pattern_of_t(unsigned elements);
[[nodiscard]] inline bool in_registers(const isa::Access& access) {
  return access.storage == isa::Storage::gpr || access.storage == isa::Storage::lm || access.storage == isa::Storage::t;
}

/// Calls function(access) for every read that the engine makes: a product of long words is formed in its second line,
/// which reads again what the first line reads.
template <class Function>
void for_each_read(const isa::Effects& effects, Function function) {
  for (const isa::Access& read : effects.reads()) {
    if (effects.product() == isa::ProductHalf::first && read.unit == isa::Unit::multiplier) continue;
    function(read);
  }
}

struct LineFacts {
  RowSet reads;                    // registers
  RowSet writes;                   // GPR and LM, which land late
  std::uint8_t flags_read = 0;     // bit k: flag k
  std::uint8_t flags_written = 0;  // bit k: flag k
  bool reads_bm = false;
  bool indirect = false;  // reads or writes LM indirectly

  LineFacts& operator|=(const LineFacts& other);
};
[[nodiscard]] LineFacts facts_of(const isa::Effects& effects);

/// Rows that a section overwrites as a whole, in all PEs, before it reads them.
[[nodiscard]] RowSet overwritten_unread(const std::vector<const DecodedLine*>& lines);

}  // namespace gdr::emulator::simd
