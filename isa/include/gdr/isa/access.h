// An access of a line to the words of a storage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gdr/isa/line.h"

namespace gdr::isa {

/// Places that hold state. In a PE: T (a long word per element), flags (a bit per element), GPR and LM. In a block: BM
/// and, within it, the current j-record.
enum class Storage : std::uint8_t { t, flag, gpr, lm, bm, record };

/// The part that an access has in its operation: an operand, a result, or the line's mask.
enum class Role : std::uint8_t { mask, a, b, t_write, gpr_write, lm_write, flag_write, bm_write };
inline constexpr std::size_t kRoles = 8;

/// Why a word is read: as the operand, as the index of an indirect address, or as the flag of a mask or a predicate.
enum class Purpose : std::uint8_t { value, index, gate };

/// An access to one word for each element of the line; for Storage::flag, to one bit.
struct Access {
  Storage storage = Storage::gpr;
  Role role = Role::mask;
  Purpose purpose = Purpose::value;
  Unit unit = Unit::none;  // to whose operation it belongs; none: the mask, which gates every unit
  Width width = Width::short_word;
  bool write = false;
  bool indirect = false;      // LM only: the element's T, as an unsigned integer, is added to the address
  bool one_pe = false;        // only in PE `Line::bm.pe`
  bool floating = false;      // read as a floating-point number
  bool defines = false;       // operand of x op x, whose result is the same for every x
  Predicate predicate;        // of a write: gates it in addition to the line's mask
  std::uint8_t step = 0;      // short words from one element's word to the next one's; 0: one word for all elements
  std::uint8_t latency = 0;   // of a write: lines until the word can be read
  std::uint16_t address = 0;  // of element 0 in short words (in a record, from its start); or a flag's number
  friend bool operator==(const Access&, const Access&) = default;
};

/// A range of short words of one storage.
struct WordRange {
  unsigned first = 0;
  unsigned last = 0;  // one past the last one
  [[nodiscard]] bool meets(const WordRange& other) const { return first < other.last && other.first < last; }
  friend bool operator==(const WordRange&, const WordRange&) = default;
};

/// Number of short words in a word of this width.
[[nodiscard]] constexpr unsigned short_words(Width width) { return width == Width::long_word ? 2 : 1; }

/// The short words of one element. An indirect access covers all from its address to the end of LM, since its index is
/// never negative. A write of T covers both halves, a flag one word.
[[nodiscard]] WordRange words_of(const Access& access, unsigned element);
/// The range from the first word of the first element to the last word of the last one.
[[nodiscard]] WordRange extent_of(const Access& access, unsigned elements);
/// True if both access a common word. `a_elements`, `b_elements`: vector lengths of their lines.
[[nodiscard]] bool overlap(const Access& a, unsigned a_elements, const Access& b, unsigned b_elements);
/// Number of short words (or flags) of a storage; of a record, the most that fit.
[[nodiscard]] unsigned size_of(Storage storage);

}  // namespace gdr::isa
