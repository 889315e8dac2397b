// What a line does to the machine, worked out from the line alone: which words it reads and writes, which units and
// ports it keeps busy, what it asks of the lines beside it. Whoever checks, schedules or counts lines takes it from
// here. docs/machine.md is the text of these rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/isa/line.h"
#include "gdr/isa/program.h"

namespace gdr::isa {

// ---- accesses ------------------------------------------------------------------------------------------------------

/// What holds state: of a PE T (a long word per element), flags (a bit per element), GPR and LM; of a block BM and, in
/// it, the current j-record.
enum class Storage : std::uint8_t { t, flag, gpr, lm, bm, record };

/// What an access is to its operation: one of its operands, one of its results, or the line's mask.
enum class Role : std::uint8_t { mask, a, b, t_write, gpr_write, lm_write, flag_write, bm_write };
inline constexpr std::size_t kRoles = 8;

/// What a word is read for: as the operand, as the index that an indirect address adds, or as the flag of a mask or a
/// predicate.
enum class Purpose : std::uint8_t { value, index, gate };

/// One word for each element of the line; of Storage::flag one bit.
struct Access {
  Storage storage = Storage::gpr;
  Role role = Role::mask;
  Purpose purpose = Purpose::value;
  Unit unit = Unit::none;  // whose operation it belongs to; none: the mask's, which gates every unit
  Width width = Width::short_word;
  bool write = false;
  bool indirect = false;      // of LM: T of the element, as an unsigned integer, is added to the address
  bool one_pe = false;        // PE `Line::bm.pe` alone
  bool floating = false;      // read as a floating-point number
  bool defines = false;       // read by x op x, which is the same for every x
  Predicate predicate;        // of a write: gates it beside the line's mask
  std::uint8_t step = 0;      // short words from one element's word to the next one's; 0: one word for all elements
  std::uint8_t latency = 0;   // of a write: lines until the word can be read
  std::uint16_t address = 0;  // of element 0 in short words, in a record from its start; the number of a flag
  friend bool operator==(const Access&, const Access&) = default;
};

/// Short words of one storage.
struct WordRange {
  unsigned first = 0;
  unsigned last = 0;  // one past
  [[nodiscard]] bool meets(const WordRange& other) const { return first < other.last && other.first < last; }
  friend bool operator==(const WordRange&, const WordRange&) = default;
};

/// Short words of a word of this width.
[[nodiscard]] constexpr unsigned short_words(Width width) { return width == Width::long_word ? 2 : 1; }

/// The short words of one element. An indirect access has all from its address to the end of LM, for the index is no
/// negative number; a write of T has both halves, a flag one word.
[[nodiscard]] WordRange words_of(const Access& access, unsigned element);
/// From the first word of `elements` elements to the end of the last.
[[nodiscard]] WordRange extent_of(const Access& access, unsigned elements);
/// True if both touch a word. `elements`: of their lines.
[[nodiscard]] bool overlap(const Access& a, unsigned a_elements, const Access& b, unsigned b_elements);
/// Short words of a storage, or flags; of a record the most that fit.
[[nodiscard]] unsigned size_of(Storage storage);

// ---- effects -------------------------------------------------------------------------------------------------------

/// All that a line reads is read before anything of it lands. Accesses stand in the order of their units (adder,
/// multiplier, ALU, BM), behind the mask's.
class Effects {
 public:
  [[nodiscard]] unsigned elements() const { return elements_; }
  [[nodiscard]] std::span<const Access> reads() const { return std::span(reads_).first(reads_count_); }
  [[nodiscard]] std::span<const Access> writes() const { return std::span(writes_).first(writes_count_); }

  /// True if the unit does an operation of its own. BM's is to move words from or to PEs; a word that only feeds other
  /// units belongs to their operations.
  [[nodiscard]] bool works(Unit unit) const { return (works_ & bit(unit)) != 0; }
  /// True if no other operation can have the unit: the adder also sums the partial products of fmull.
  [[nodiscard]] bool busy(Unit unit) const { return (busy_ & bit(unit)) != 0; }

  /// True if the line's mask gates its writes.
  [[nodiscard]] bool masked() const { return masked_; }
  [[nodiscard]] bool reads_bm() const { return bm_mode_ == BmMode::read; }
  [[nodiscard]] bool writes_bm() const { return bm_mode_ == BmMode::write; }
  /// Clocks of BM's one port: a word moves in each. All elements of a scalar read share its one word.
  [[nodiscard]] unsigned bm_clocks() const { return bm_clocks_; }
  /// True if LM is addressed through T: whether the line stays inside LM is known only when it runs.
  [[nodiscard]] bool indirect() const { return indirect_; }
  /// What the multiplier does of a product of long words. What it reads in the first line it reads again in the second.
  [[nodiscard]] ProductHalf product() const { return product_; }

 private:
  friend class EffectsBuilder;
  static constexpr unsigned bit(Unit unit) { return 1u << static_cast<unsigned>(unit); }

  // Mask; two operands of three units and one of BM, each with an index; gates of three ports and three flags; the
  // index of the LM write.
  static constexpr std::size_t kMostReads = 1 + 7 * 2 + 6 + 1;
  static constexpr std::size_t kMostWrites = 3 + 3 + 1;  // ports, flags, store

  std::array<Access, kMostReads> reads_;
  std::array<Access, kMostWrites> writes_;
  std::uint8_t reads_count_ = 0;
  std::uint8_t writes_count_ = 0;
  std::uint8_t elements_ = 1;
  std::uint8_t works_ = 0;
  std::uint8_t busy_ = 0;
  std::uint8_t bm_clocks_ = 0;
  BmMode bm_mode_ = BmMode::none;
  ProductHalf product_ = ProductHalf::none;
  bool masked_ = false;
  bool indirect_ = false;
};

/// Of a line that decode() gives.
[[nodiscard]] Effects effects(const Line& line);

// ---- lines beside each other ---------------------------------------------------------------------------------------

/// What keeps neighbouring lines from being the two lines of a product of long words. They have the same operands,
/// vector length and mask; where the first line moves a long word of BM to T, the second may find it there.
enum class ProductFault : std::uint8_t {
  none,
  no_second,      // the first line is not followed by a second
  no_first,       // the second line follows no first
  operands,       // or vector length or mask differ
  t_written,      // the first line writes T, an operand, so the second reads another word
  operand_lands,  // what the line before the first one writes lands in an operand between the two
  mask_lands      // or in the mask
};
/// As the sentence of a message.
[[nodiscard]] std::string_view text_of(ProductFault fault);

/// Of a line and its neighbours, which are null where there are none: what is wrong with the first line alone, or with
/// the second and the first before it.
[[nodiscard]] ProductFault product_fault(const Line* before, const Line& line, const Line* after);
/// Of the first line of a product and a line that may run right before it.
[[nodiscard]] ProductFault landing_fault(const Effects& before, const Effects& first);

/// Sections whose last line may run right before the first line of this one, by which sections have lines: one without
/// lets those before it through. Between loop termination and the next run the results leave the chip, so nothing is
/// pending.
[[nodiscard]] std::vector<Section> sections_before(Section section, const std::array<bool, kSections>& has_lines);

}  // namespace gdr::isa
