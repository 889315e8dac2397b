// Writes that wait in a line's bank until somebody else has read the old words.
#pragma once

#include <vector>

#include "section_rows.h"

namespace gdr::emulator::simd {

struct HeldWrite {
  enum class Kind : std::uint8_t { words, flag, indirect_words, store };
  Kind kind = Kind::words;
  MicroOp commit;  // puts the words from the bank to their places; its kernel and, for words, its place are still open
  RowPattern rows;
  Width width = Width::long_word;
  bool whole = false;  // reaches every PE
  bool t = false;      // of Kind::words: to T
  unsigned flag = 0;
  isa::Unit unit = isa::Unit::none;
};

/// Adds the operations that complete a write. The words of its bank are `moved` words further on.
void commit(const HeldWrite& held, OpWriter& writer, SectionRows& rows, std::uint32_t moved = 0);
void commit(const std::vector<HeldWrite>& held, OpWriter& writer, SectionRows& rows, std::uint32_t moved = 0);

}  // namespace gdr::emulator::simd
