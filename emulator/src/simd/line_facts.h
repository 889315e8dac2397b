// What a line does to the rows of registers, from isa::effects().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoded_program.h"
#include "row_set.h"

namespace gdr::emulator::simd {

/// Register rows of the words that an access touches, element by element: one word for all, or one behind the other.
struct RowPattern {
  unsigned first = 0;  // row of element 0
  unsigned step = 0;   // rows from one element to the next: 0 or `words`
  unsigned words = 1;  // rows of a word
  unsigned elements = 1;

  [[nodiscard]] unsigned row(unsigned element) const { return first + element * step; }
  /// Of one element.
  [[nodiscard]] RowRange word(unsigned element) const { return {row(element), words}; }
  /// Of all elements; none if there are none.
  [[nodiscard]] RowRange rows() const { return {first, elements == 0 ? 0 : (elements - 1) * step + words}; }
};

inline constexpr RowRange kLmRows{kLmRow, kTRow - kLmRow};
inline constexpr RowRange kTRows{kTRow, isa::kTShortWords};

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

/// Rows that a section overwrites as a whole, in all PEs, before it reads them; `facts` are its lines'.
[[nodiscard]] RowSet overwritten_unread(const std::vector<const DecodedLine*>& lines, std::span<const LineFacts> facts);

}  // namespace gdr::emulator::simd
