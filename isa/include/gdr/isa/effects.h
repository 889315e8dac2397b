// The effects of a line on the machine, derived from the line alone: the words that it reads and writes, the units and
// ports that it occupies, and what it requires of neighbouring lines. All code that checks, schedules or counts lines
// uses them. docs/machine/machine.md states the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gdr/isa/access.h"
#include "gdr/isa/program.h"
#include "gdr/isa/unit_work.h"

namespace gdr::isa {

// ---- effects -------------------------------------------------------------------------------------------------------

/// The effects of one line. A line reads all its words before any of its results is written. Accesses are in the order
/// of their units (adder, multiplier, ALU, BM), after that of the mask.
class Effects {
 public:
  [[nodiscard]] unsigned elements() const { return elements_; }
  [[nodiscard]] std::span<const Access> reads() const { return std::span(reads_).first(reads_count_); }
  [[nodiscard]] std::span<const Access> writes() const { return std::span(writes_).first(writes_count_); }

  /// True if the unit does an operation of its own. That of BM is to move words from or to PEs; a word that only feeds
  /// other units belongs to their operations.
  [[nodiscard]] bool works(Unit unit) const { return (works_ & bit(unit)) != 0; }
  /// True if no other operation can use the unit. For example, fmull also occupies the adder, which sums its partial
  /// products.
  [[nodiscard]] bool busy(Unit unit) const { return (busy_ & bit(unit)) != 0; }

  /// True if the line's mask gates its writes.
  [[nodiscard]] bool masked() const { return masked_; }
  [[nodiscard]] bool reads_bm() const { return bm_mode_ == BmMode::read; }
  [[nodiscard]] bool writes_bm() const { return bm_mode_ == BmMode::write; }
  /// Clocks in which the single port of BM is busy; it moves one word in each. All elements of a scalar read share one
  /// word.
  [[nodiscard]] unsigned bm_clocks() const { return bm_clocks_; }
  /// True if LM is addressed through T. Whether the line stays inside LM is then known only at run time.
  [[nodiscard]] bool indirect() const { return indirect_; }
  /// Which half of a product of long words the multiplier computes. The second line reads the same operands as the
  /// first.
  [[nodiscard]] ProductHalf product() const { return product_; }

 private:
  friend class EffectsBuilder;
  static constexpr unsigned bit(Unit unit) { return 1u << static_cast<unsigned>(unit); }

  // The mask; two operands of each of three units and one of BM, each with an index; the gates of three ports and three
  // flags; the index of the LM write.
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

/// The effects of a line that decode() accepted; of units whose work is known.
[[nodiscard]] Effects effects(const Line& line);
[[nodiscard]] Effects effects(const LineWork& work);

// ---- lines beside each other ---------------------------------------------------------------------------------------

/// Why neighbouring lines are not the two lines of a product of long words. Both need the same operands, vector length
/// and mask; but if the first line moves a long word of BM to T, the second may read that operand from T.
enum class ProductFault : std::uint8_t {
  none,
  no_second,      // the first line is not followed by a second
  no_first,       // the second line follows no first
  operands,       // operands, vector length or mask differ
  t_written,      // the first line writes T, which is an operand, so the second would read another word
  operand_lands,  // a result of the line before the first is written to an operand between the two
  mask_lands      // a result of the line before the first is written to the mask's flag between the two
};
/// The fault as a sentence for a message.
[[nodiscard]] std::string_view text_of(ProductFault fault);

/// Checks a line with its neighbours, which are null where there are none: a first line by itself, a second line
/// together with the first line before it.
[[nodiscard]] ProductFault product_fault(const Line* before, const Line& line, const Line* after);
/// Checks the first line of a product against a line that may run immediately before it.
[[nodiscard]] ProductFault landing_fault(const Effects& before, const Effects& first);

/// Sections whose last line may run immediately before the first line of this one. A section without lines is skipped
/// in favour of those before it. Loop termination is never among them: the results leave the chip before the next run,
/// so no write is pending.
[[nodiscard]] std::vector<Section> sections_before(Section section, const std::array<bool, kSections>& has_lines);

}  // namespace gdr::isa
