// Sets of register rows that lines read and write.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "gdr/base/error.h"
#include "micro_op.h"

namespace gdr::emulator::simd {

/// Consecutive rows.
struct RowRange {
  unsigned first = 0;
  unsigned count = 0;

  [[nodiscard]] unsigned end() const { return first + count; }
  [[nodiscard]] bool has(unsigned row) const { return row >= first && row < end(); }
  [[nodiscard]] bool meets(const RowRange& other) const {
    return std::max(first, other.first) < std::min(end(), other.end());
  }
};

/// All rows of the pairs that have a row in the range.
[[nodiscard]] inline RowRange whole_pairs(const RowRange& rows) {
  const unsigned first = rows.first & ~1u;
  return {first, rows.count == 0 ? 0 : ((rows.end() + 1) & ~1u) - first};
}

/// A set of rows, one bit for each row. Operations on a range only touch the words of the range; copying whole sets
/// would take longer.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(const RowRange& rows) { add(rows); }

  [[nodiscard]] bool has(unsigned row) const { return (words_[row / kBits] >> (row % kBits) & 1) != 0; }
  void add(unsigned row) { words_[row / kBits] |= std::uint64_t{1} << (row % kBits); }
  void remove(unsigned row) { words_[row / kBits] &= ~(std::uint64_t{1} << (row % kBits)); }
  void add(const RowRange& rows) {
    for_each_word(rows, [this](unsigned word, std::uint64_t mask) { words_[word] |= mask; });
  }
  void remove(const RowRange& rows) {
    for_each_word(rows, [this](unsigned word, std::uint64_t mask) { words_[word] &= ~mask; });
  }
  [[nodiscard]] bool meets(const RowRange& rows) const {
    std::uint64_t common = 0;
    for_each_word(rows, [&](unsigned word, std::uint64_t mask) { common |= words_[word] & mask; });
    return common != 0;
  }
  [[nodiscard]] bool any() const {
    return std::ranges::any_of(words_, [](std::uint64_t word) { return word != 0; });
  }
  /// True if each row of this set is in one of the two sets.
  [[nodiscard]] bool within(const RowSet& one, const RowSet& other) const {
    std::uint64_t outside = 0;
    for (unsigned word = 0; word < kWords; ++word) outside |= words_[word] & ~(one.words_[word] | other.words_[word]);
    return outside == 0;
  }
  /// True if there are rows in the range, and each is in one of the two sets.
  [[nodiscard]] static bool all_within(const RowRange& rows, const RowSet& one, const RowSet& other) {
    std::uint64_t outside = 0;
    for_each_word(
        rows, [&](unsigned word, std::uint64_t mask) { outside |= mask & ~(one.words_[word] | other.words_[word]); });
    return rows.count > 0 && outside == 0;
  }

  RowSet& operator|=(const RowSet& other) {
    for (unsigned word = 0; word < kWords; ++word) words_[word] |= other.words_[word];
    return *this;
  }
  RowSet& operator&=(const RowSet& other) {
    for (unsigned word = 0; word < kWords; ++word) words_[word] &= other.words_[word];
    return *this;
  }
  /// Removes the rows of the other set.
  RowSet& operator-=(const RowSet& other) {
    for (unsigned word = 0; word < kWords; ++word) words_[word] &= ~other.words_[word];
    return *this;
  }
  friend RowSet operator|(RowSet a, const RowSet& b) { return a |= b; }
  friend RowSet operator&(RowSet a, const RowSet& b) { return a &= b; }
  friend RowSet operator-(RowSet a, const RowSet& b) { return a -= b; }

  /// All rows of the pairs that have a row in the set. A pair begins with an even row.
  [[nodiscard]] RowSet whole_pairs() const {
    RowSet pairs;
    for (unsigned word = 0; word < kWords; ++word) {
      const std::uint64_t any = (words_[word] | words_[word] >> 1) & kEven;
      pairs.words_[word] = any | any << 1;
    }
    return pairs;
  }
  /// All rows of the pairs that have both their rows in the set.
  [[nodiscard]] RowSet both_of_pairs() const {
    RowSet pairs;
    for (unsigned word = 0; word < kWords; ++word) {
      const std::uint64_t both = words_[word] & words_[word] >> 1 & kEven;
      pairs.words_[word] = both | both << 1;
    }
    return pairs;
  }
  /// Calls function(row) for each row, in ascending order.
  template <class Function>
  void for_each(Function function) const {
    for (unsigned word = 0; word < kWords; ++word) for_each_bit(word, words_[word], function);
  }
  /// The same for the rows in the range.
  template <class Function>
  void for_each_in(const RowRange& rows, Function function) const {
    for_each_word(rows, [&](unsigned word, std::uint64_t mask) { for_each_bit(word, words_[word] & mask, function); });
  }

 private:
  static constexpr unsigned kBits = 64;
  static constexpr unsigned kWords = (kRegisterRows + kBits - 1) / kBits;
  static constexpr std::uint64_t kEven = 0x5555'5555'5555'5555;

  /// Calls function(word, mask) for each word of the set with bits of the range; `mask` has these bits.
  template <class Function>
  static void for_each_word(const RowRange& rows, Function function) {
    GDR_ASSERT(rows.end() <= kRegisterRows, "an access of a decoded line is within the registers");
    for (unsigned row = rows.first; row < rows.end();) {
      const unsigned bit = row % kBits;
      const unsigned count = std::min(kBits - bit, rows.end() - row);
      function(row / kBits, ~std::uint64_t{0} >> (kBits - count) << bit);
      row += count;
    }
  }
  template <class Function>
  static void for_each_bit(unsigned word, std::uint64_t bits, Function& function) {
    for (; bits != 0; bits &= bits - 1) function(word * kBits + static_cast<unsigned>(std::countr_zero(bits)));
  }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace gdr::emulator::simd
