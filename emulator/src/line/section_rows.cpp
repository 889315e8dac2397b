#include "section_rows.h"

namespace gdr::emulator::simd {

using isa::kVectorElements;

namespace {

/// Kernel that takes the upper half of a long word; of a number that host arithmetic takes, the whole double.
Kernel upper_half(bool takes_doubles) { return takes_doubles ? moves::copy_words : moves::upper_of_long; }

}  // namespace

// ---- layouts -------------------------------------------------------------------------------------------------------

bool SectionRows::changes_layout(const RowPattern& access, Width width, bool whole) const {
  const RowRange rows = access.rows();
  for (unsigned element = 0; element < access.elements; ++element) {
    const unsigned pair = access.row(element) / 2;
    if (layouts_[pair] == (width == Width::long_word)) continue;
    if (pinned(pair) || !whole || !rows.has(2 * pair) || !rows.has(2 * pair + 1)) return true;
  }
  return false;
}

void SectionRows::take_layout(const RowPattern& access, Width width, bool whole) {
  const RowRange rows = access.rows();
  if (!whole) spread(rows);
  for (unsigned element = 0; element < access.elements; ++element) {
    const unsigned pair = access.row(element) / 2;
    const bool covered = whole && rows.has(2 * pair) && rows.has(2 * pair + 1);
    if (covered) {
      layouts_.set(pair, width == Width::long_word);
    } else {
      set_layout(pair, width == Width::long_word);
    }
  }
}

void SectionRows::set_layout(unsigned pair, bool is_long) {
  if (layouts_[pair] == is_long) return;
  spread(RowRange{2 * pair, 2});
  MicroOp& op = writer_.push(is_long ? moves::shorts_to_longs : moves::longs_to_shorts);
  op.a.high = row_place(2 * pair);
  op.count = 1;
  layouts_.set(pair, is_long);
}

void SectionRows::keep_pinned(const RowPattern& access) {
  for (unsigned element = 0; element < access.elements; ++element) {
    const unsigned pair = access.row(element) / 2;
    if (pinned(pair)) set_layout(pair, common_[pair]);
  }
}

void SectionRows::restore_layouts() {
  for (unsigned pair = 0; pair < kTRow / 2; ++pair) set_layout(pair, common_[pair]);
  for (unsigned element = 0; element < kVectorElements; ++element) {
    if (complete_t_element(element)) uniform_.remove(kTRow + 2 * element + 1);
  }
}

// ---- T -------------------------------------------------------------------------------------------------------------

void SectionRows::clear_low_plane_of_t(unsigned element) {
  MicroOp& clear = writer_.push(moves::clear_words);
  clear.to[0].high = row_place(kTRow + 2 * element + 1);
  clear.count = kRowWords;
}

bool SectionRows::complete_t_element(unsigned element) {
  if (!t_short_[element]) return false;
  clear_low_plane_of_t(element);
  t_short_.reset(element);
  return true;
}

void SectionRows::complete_t(unsigned elements) {
  for (unsigned element = 0; element < elements; ++element) complete_t_element(element);
}

void SectionRows::set_t(unsigned elements, bool is_short) {
  for (unsigned element = 0; element < elements; ++element) t_short_.set(element, is_short);
}

// ---- rows that are equal in all PEs --------------------------------------------------------------------------------

void SectionRows::spread_row(unsigned row) {
  MicroOp& op = writer_.push(moves::spread);
  op.a.high = uniform_place(row, row >= kTRow || layouts_[row / 2]);
  op.to[0].high = row_place(row);
}

void SectionRows::spread(const RowRange& rows) {
  uniform_.for_each_in(rows, [this](unsigned row) { spread_row(row); });
  uniform_.remove(rows);
}

void SectionRows::spread(const RowSet& rows) {
  (rows & uniform_).for_each([this](unsigned row) { spread_row(row); });
  uniform_ -= rows;
}

// ---- operands ------------------------------------------------------------------------------------------------------

Value SectionRows::read(const RowPattern& access, Width width, bool takes_doubles) {
  const bool is_long = width == Width::long_word;
  const RowRange rows = access.rows();
  if (!is_uniform(rows)) spread(rows);
  for (unsigned element = 0; element < access.elements; ++element) {
    if (layouts_[access.row(element) / 2] != is_long) return {copy_in_layout(access, width, takes_doubles), !is_long};
  }
  if (is_uniform(rows)) {
    const std::uint32_t step = access.step == 0 ? 0 : 1;
    if (!is_long) return {{uniform_place(access.first, false), place::kZero, step, 0}, true};
    return {{uniform_place(access.first, true), uniform_place(access.first + 1, true), step, 0}, false};
  }
  const std::uint32_t high = row_place(access.first);
  return {{high, high + kRowWords, access.step * kRowWords, 1}, !is_long};
}

Operand SectionRows::copy_in_layout(const RowPattern& access, Width width, bool takes_doubles) {
  spread(whole_pairs(access.rows()));
  const unsigned words = access.step == 0 ? 1 : access.elements;
  const std::uint32_t at = writer_.reserve(words * 2 * kRowWords);
  for (unsigned element = 0; element < words; ++element) {
    const unsigned row = access.row(element);
    const unsigned upper = row & ~1u;
    const bool holds_long = layouts_[row / 2];
    const std::uint32_t to = at + element * 2 * kRowWords;
    Kernel kernel = moves::copy_words;
    std::uint32_t count = kRowWords;
    if (width == Width::long_word) {
      if (holds_long) count = 2 * kRowWords;
      if (!holds_long) kernel = moves::long_of_shorts;
    } else if (holds_long) {
      kernel = row == upper ? upper_half(takes_doubles) : moves::lower_of_long;
    }
    MicroOp& op = writer_.push(kernel);
    op.a.high = row_place(kernel == moves::copy_words ? row : upper);
    op.a.low = row_place(upper + 1);
    op.to[0].high = to;
    op.to[0].low = to + kRowWords;
    op.count = count;
  }
  return {at, at + kRowWords, access.step == 0 ? 0 : 2 * kRowWords, 1};
}

Value SectionRows::read_t(unsigned elements, Width width, bool takes_doubles) {
  const RowPattern access = pattern_of_t(elements);
  unsigned shorts = 0;
  RowSet rows;
  for (unsigned element = 0; element < elements; ++element) {
    shorts += t_short_[element] ? 1 : 0;
    rows.add(access.row(element));
    if (!t_short_[element]) rows.add(access.row(element) + 1);
  }
  const auto uniform_t = [&] { return rows.within(uniform_, invariant_); };
  if (!uniform_t()) spread(rows);
  if (shorts == elements) {  // no low plane, in either width
    if (uniform_t()) return {{uniform_place(kTRow, true), place::kZero, 1, 0}, true};
    return {{row_place(kTRow), place::kZero, 2 * kRowWords, 1}, true};
  }
  if (width == Width::long_word) {
    if (shorts != 0) spread(rows);
    for (unsigned element = 0; element < elements; ++element) {
      if (!t_short_[element]) continue;
      clear_low_plane_of_t(element);
      // The host's doubles are whole in the high plane: an element stays short for its next reader.
      if (arithmetic_ == Arithmetic::chip) t_short_.reset(element);
      uniform_.remove(access.row(element) + 1);
    }
    if (uniform_t()) return {{uniform_place(kTRow, true), uniform_place(kTRow + 1, true), 1, 0}, false};
    return {{row_place(kTRow), row_place(kTRow + 1), 2 * kRowWords, 1}, false};
  }
  spread(rows);
  const std::uint32_t at = writer_.reserve(elements * kRowWords);
  for (unsigned element = 0; element < elements; ++element) {
    MicroOp& op = writer_.push(t_short_[element] ? moves::copy_words : upper_half(takes_doubles));
    op.a.high = row_place(access.row(element));
    op.to[0].high = at + element * kRowWords;
    op.count = kRowWords;
  }
  return {{at, place::kZero, kRowWords, 1}, true};
}

}  // namespace gdr::emulator::simd
