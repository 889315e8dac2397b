#include "integer_oracle.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace gdr::tests {
namespace {

using isa::uint128;
using isa::Width;

using Bits = std::vector<bool>;  // lowest first

Bits bits_of(uint128 value, Width width) {
  Bits bits;
  for (int i = 0; i < isa::bits_of(width); ++i, value /= 2) bits.push_back(value % 2 == 1);
  return bits;
}

uint128 value_of(const Bits& bits) {
  uint128 value = 0;
  for (auto bit = bits.rbegin(); bit != bits.rend(); ++bit) value = 2 * value + (*bit ? 1 : 0);
  return value;
}

struct BitResult {
  Bits bits;
  bool carry = false;
};

BitResult ripple_add(const Bits& a, const Bits& b, bool carry) {
  BitResult result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int ones = (a[i] ? 1 : 0) + (b[i] ? 1 : 0) + (carry ? 1 : 0);
    result.bits.push_back(ones % 2 == 1);
    carry = ones >= 2;
  }
  result.carry = carry;
  return result;
}

Bits inverted(Bits bits) {
  bits.flip();
  return bits;
}

/// Signed order, decided at the highest bit that differs; there the sign counts the other way round.
bool signed_less(const Bits& a, const Bits& b) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return i + 1 == a.size() ? a[i] : b[i];
  }
  return false;
}

/// Bit i of the result comes from `count` places below (left) or above it; from outside comes the fill.
Bits shifted(const Bits& bits, uint128 count, bool left, bool fill) {
  const int size = static_cast<int>(bits.size());
  const int places = count < bits.size() ? static_cast<int>(count) : size;
  Bits result;
  for (int i = 0; i < size; ++i) {
    const int from = left ? i - places : i + places;
    result.push_back(from < 0 || from >= size ? fill : bits[static_cast<std::size_t>(from)]);
  }
  return result;
}

template <class Rule>
BitResult each_bit(const Bits& a, const Bits& b, Rule rule) {
  BitResult result;
  for (std::size_t i = 0; i < a.size(); ++i) result.bits.push_back(rule(a[i], b[i]));
  return result;
}

BitResult leading_zeros(const Bits& a) {
  const auto highest_one = std::find(a.rbegin(), a.rend(), true);
  return {
      bits_of(static_cast<unsigned>(highest_one - a.rbegin()), a.size() == 72 ? Width::long_word : Width::short_word)};
}

struct Row {
  isa::Op op;
  BitResult (*expected)(const Bits& a, const Bits& b);
};

constexpr Row kRows[] = {
    {isa::Op::UADD, [](const Bits& a, const Bits& b) { return ripple_add(a, b, false); }},
    {isa::Op::USUB,
     [](const Bits& a, const Bits& b) {
       BitResult result = ripple_add(a, inverted(b), true);
       result.carry = !result.carry;  // no carry out of a + ~b + 1 is a borrow
       return result;
     }},
    {isa::Op::UAND, [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x && y; }); }},
    {isa::Op::UOR, [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x || y; }); }},
    {isa::Op::UXOR, [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x != y; }); }},
    {isa::Op::UNOT, [](const Bits& a, const Bits&) { return BitResult{inverted(a)}; }},
    {isa::Op::ULSL, [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), true, false)}; }},
    {isa::Op::ULSR, [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), false, false)}; }},
    {isa::Op::UASR, [](const Bits& a, const Bits& b) { return BitResult{shifted(a, value_of(b), false, a.back())}; }},
    {isa::Op::UPASSA, [](const Bits& a, const Bits&) { return BitResult{a}; }},
    {isa::Op::UMAX, [](const Bits& a, const Bits& b) { return BitResult{signed_less(a, b) ? b : a}; }},
    {isa::Op::UMIN, [](const Bits& a, const Bits& b) { return BitResult{signed_less(a, b) ? a : b}; }},
    {isa::Op::ULZC, [](const Bits& a, const Bits&) { return leading_zeros(a); }},
};

}  // namespace

IntegerAnswer integer_answer(isa::Op op, uint128 a, uint128 b, Width width) {
  const auto row = std::ranges::find(kRows, op, &Row::op);
  if (row == std::end(kRows)) {
    throw std::logic_error("the integer oracle has no row for " + std::string(isa::info_of(op).mnemonic));
  }
  const BitResult result = row->expected(bits_of(a, width), bits_of(b, width));
  return {value_of(result.bits), result.carry};
}

}  // namespace gdr::tests
