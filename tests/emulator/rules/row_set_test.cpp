// Sets of register rows against std::bitset, on random ranges and sets.
#include "line/row_set.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>
#include <vector>

namespace gdr::emulator::simd {
namespace {

using Bits = std::bitset<kRegisterRows>;

Bits bits_of(const RowRange& rows) {
  Bits bits;
  for (unsigned row = rows.first; row < rows.first + rows.count; ++row) bits.set(row);
  return bits;
}

Bits bits_of(const RowSet& rows) {
  Bits bits;
  for (unsigned row = 0; row < kRegisterRows; ++row) bits[row] = rows.has(row);
  return bits;
}

Bits pairs_of(const Bits& bits, bool both) {
  Bits pairs;
  for (unsigned row = 0; row < kRegisterRows; row += 2) {
    const bool in = both ? bits[row] && bits[row + 1] : bits[row] || bits[row + 1];
    pairs[row] = pairs[row + 1] = in;
  }
  return pairs;
}

class RowSets : public testing::Test {
 protected:
  /// Of up to 80 rows, so that some go over three words.
  RowRange range() {
    const unsigned first = std::uniform_int_distribution<unsigned>(0, kRegisterRows - 1)(random_);
    const unsigned most = std::min(80u, kRegisterRows - first);
    return {first, std::uniform_int_distribution<unsigned>(0, most)(random_)};
  }
  RowSet some_rows() {
    RowSet rows;
    for (int n = 0; n < 6; ++n) rows.add(range());
    for (int n = 0; n < 3; ++n) rows.remove(range());
    return rows;
  }
  std::mt19937 random_{20091109};
};

TEST_F(RowSets, TakeAndGiveRangesAndRows) {
  RowSet rows;
  Bits bits;
  for (int n = 0; n < 2000; ++n) {
    const RowRange added = range();
    const RowRange removed = range();
    rows.add(added);
    rows.remove(removed);
    bits = (bits | bits_of(added)) & ~bits_of(removed);
    const unsigned row = range().first;
    n % 2 == 0 ? rows.add(row) : rows.remove(row);
    bits[row] = n % 2 == 0;
    ASSERT_EQ(bits_of(rows), bits);
    const RowRange asked = range();
    ASSERT_EQ(rows.meets(asked), (bits & bits_of(asked)).any());
    ASSERT_EQ(rows.any(), bits.any());
  }
}

TEST_F(RowSets, AreJoinedCutAndCompared) {
  for (int n = 0; n < 500; ++n) {
    const RowSet a = some_rows();
    const RowSet b = some_rows();
    const RowSet c = some_rows();
    const Bits of_a = bits_of(a);
    const Bits of_b = bits_of(b);
    const Bits of_c = bits_of(c);
    ASSERT_EQ(bits_of(a | b), of_a | of_b);
    ASSERT_EQ(bits_of(a & b), of_a & of_b);
    ASSERT_EQ(bits_of(a - b), of_a & ~of_b);
    ASSERT_EQ(a.within(b, c), (of_a & ~(of_b | of_c)).none());
    ASSERT_TRUE((a & b).within(b, RowSet()));
    const RowRange asked = range();
    ASSERT_EQ(RowSet::all_within(asked, a, b), asked.count > 0 && (bits_of(asked) & ~(of_a | of_b)).none());
    ASSERT_EQ(bits_of(a.whole_pairs()), pairs_of(of_a, false));
    ASSERT_EQ(bits_of(a.both_of_pairs()), pairs_of(of_a, true));
    ASSERT_EQ(bits_of(whole_pairs(asked)), pairs_of(bits_of(asked), false));
  }
}

TEST_F(RowSets, AreGoneThroughInOrder) {
  for (int n = 0; n < 200; ++n) {
    const RowSet rows = some_rows();
    const RowRange asked = range();
    std::vector<unsigned> all;
    std::vector<unsigned> in_range;
    rows.for_each([&](unsigned row) { all.push_back(row); });
    rows.for_each_in(asked, [&](unsigned row) { in_range.push_back(row); });
    std::vector<unsigned> expected;
    std::vector<unsigned> expected_in_range;
    for (unsigned row = 0; row < kRegisterRows; ++row) {
      if (!rows.has(row)) continue;
      expected.push_back(row);
      if (row >= asked.first && row < asked.first + asked.count) expected_in_range.push_back(row);
    }
    ASSERT_EQ(all, expected);
    ASSERT_EQ(in_range, expected_in_range);
  }
}

TEST_F(RowSets, RangesKnowTheirRows) {
  for (int n = 0; n < 2000; ++n) {
    const RowRange a = range();
    const RowRange b = range();
    ASSERT_EQ(a.meets(b), (bits_of(a) & bits_of(b)).any())
        << a.first << "+" << a.count << " " << b.first << "+" << b.count;
    const unsigned row = range().first;
    ASSERT_EQ(a.has(row), bits_of(a)[row]);
  }
}

}  // namespace
}  // namespace gdr::emulator::simd
