// The effects of a line on register rows, derived from isa::effects().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoded_program.h"
#include "row_set.h"

namespace gdr::emulator::simd {

/// Register rows of the words that an access touches, element by element. The elements share one word or have
/// consecutive words.
struct RowPattern {
  unsigned first = 0;  // row of element 0
  unsigned step = 0;   // rows from one element to the next: 0 or `words`
  unsigned words = 1;  // rows of a word
  unsigned elements = 1;

  [[nodiscard]] unsigned row(unsigned element) const { return first + element * step; }
  /// Rows of one element.
  [[nodiscard]] RowRange word(unsigned element) const { return {row(element), words}; }
  /// Rows of all elements; empty if there are no elements.
  [[nodiscard]] RowRange rows() const { return {first, elements == 0 ? 0 : (elements - 1) * step + words}; }
};

inline constexpr RowRange kLmRows{kLmRow, kTRow - kLmRow};
inline constexpr RowRange kTRows{kTRow, isa::kTShortWords};

/// Pattern of a direct access to GPR, LM or T. Words of T always have two rows, whatever their width.
[[nodiscard]] RowPattern pattern_of(const isa::Access& access, unsigned elements);
[[nodiscard]] RowPattern pattern_of_t(unsigned elements);
[[nodiscard]] inline bool in_registers(const isa::Access& access) {
  return access.storage == isa::Storage::gpr || access.storage == isa::Storage::lm || access.storage == isa::Storage::t;
}

/// Calls function(access) for every read that the engine makes. A product of long words is computed in its second line,
/// which reads the operands of the first line again.
template <class Function>
void for_each_read(const isa::Effects& effects, Function function) {
  for (const isa::Access& read : effects.reads()) {
    if (effects.product() == isa::ProductHalf::first && read.unit == isa::Unit::multiplier) continue;
    function(read);
  }
}

struct LineFacts {
  RowSet reads;                    // registers
  RowSet writes;                   // rows of GPR and LM, whose writes land late
  std::uint8_t flags_read = 0;     // bit k: flag k
  std::uint8_t flags_written = 0;  // bit k: flag k
  bool reads_bm = false;
  bool indirect = false;  // reads or writes LM indirectly

  LineFacts& operator|=(const LineFacts& other);
};
[[nodiscard]] LineFacts facts_of(const isa::Effects& effects);

/// Rows that a section overwrites completely, in all PEs, before it reads them. `facts` are those of `lines`.
[[nodiscard]] RowSet overwritten_unread(const std::vector<const DecodedLine*>& lines, std::span<const LineFacts> facts);

}  // namespace gdr::emulator::simd
