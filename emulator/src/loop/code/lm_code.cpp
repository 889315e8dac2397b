#include "lm_code.h"

#include "line/micro_op.h"

namespace gdr::emulator::jit {

using simd::kShortBitsMask;
using simd::kShortShift;

std::string LmCode::row(const Node& each, const Value& t, const std::optional<std::string>& selected) {
  const bool is_long = each.width == Width::long_word;
  std::string offset;
  std::string right;
  const auto demanded = [&](const std::string& flag) { right = right.empty() ? flag : w_->both(right, flag); };
  if (is_long) {
    offset = shifted("shl", t.first, 8);
    if (!t.second.empty()) offset = w_->integer("or", offset, t.second);
    demanded(w_->compare("ult", t.first, w_->literal(std::uint64_t{isa::kLmShortWords >> 8})));
  } else {
    offset = shifted("lshr", t.first, kShortShift);
  }
  const std::string row = w_->integer("add", offset, w_->literal(std::uint64_t{each.place}));
  demanded(w_->compare("ult", row, w_->literal(std::uint64_t{isa::kLmShortWords})));
  if (is_long) demanded(w_->compare("eq", odd_bit(row), w_->literal(std::uint64_t{0})));
  for (const simd::RowRange& rows : each.op == NodeOp::row_to_gather ? graph_.lm_written : graph_.lm_used) {
    const std::string from_first = w_->integer("sub", row, w_->literal(std::uint64_t{rows.first}));
    demanded(w_->compare("ugt", from_first, w_->literal(std::uint64_t{rows.count - 1})));
  }
  if (selected) {
    number_.demand(w_->select(*selected, CodeType::flag, right, w_->all_set()));
    right = w_->both(right, *selected);
  } else {
    number_.demand(right);
  }
  return w_->select(right, CodeType::bits, row, w_->literal(~std::uint64_t{0}));
}

/// First row of the row's pair. A row of all ones becomes even but stays negative.
std::string LmCode::pair_of(const std::string& row) { return w_->integer("and", row, w_->literal(~std::uint64_t{1})); }

std::string LmCode::lower_of(const Value& pair) {
  return w_->integer("or", shifted("shl", pair.first, isa::kShortBits), shifted("shl", pair.second, kShortShift));
}

std::string LmCode::upper_of(const Value& pair) { return w_->integer("and", pair.first, w_->literal(kShortBitsMask)); }

Value LmCode::gathered(Width width, const std::string& row) {
  if (!graph_.lm_of_longs) return {w_->gather(row, 0), {}};
  const std::string at = pair_of(row);
  Value pair{w_->gather(at, 0), w_->gather(at, 1)};
  if (width == Width::long_word) return pair;
  return {w_->select(is_odd(row), CodeType::bits, lower_of(pair), upper_of(pair)), {}};
}

void LmCode::scatter(Width width, const std::string& row, const Value& word, std::uint64_t plane) {
  if (!graph_.lm_of_longs) {
    w_->store(row, plane++);
    w_->store(w_->gather(row, 0), plane);
    w_->scatter(word.first, row, 0);
    return;
  }
  const std::string at = pair_of(row);
  const Value before{w_->gather(at, 0), w_->gather(at, 1)};
  w_->store(at, plane++);
  w_->store(before.first, plane++);
  w_->store(before.second, plane);
  const Value after = width == Width::long_word ? word : with_half(before, is_odd(row), word.first);
  w_->scatter(after.first, at, 0);
  w_->scatter(after.second, at, 1);
}

/// The pair with `half` as its lower half where `in_lower` is set, else as its upper half.
Value LmCode::with_half(const Value& pair, const std::string& in_lower, const std::string& half) {
  constexpr std::uint64_t kLowPlane = 255;  // of a long word
  const std::string up = w_->select(in_lower, CodeType::bits, upper_of(pair), half);
  const std::string down = w_->select(in_lower, CodeType::bits, half, lower_of(pair));
  const std::string high =
      w_->integer("or", w_->integer("and", up, w_->literal(kShortBitsMask)), shifted("lshr", down, isa::kShortBits));
  const std::string low = shifted("lshr", down, kShortShift);
  return {high, w_->integer("and", low, w_->literal(kLowPlane))};
}

}  // namespace gdr::emulator::jit
