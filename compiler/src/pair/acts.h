// What the passes ask of an operation, in one table (acts.inc); and tables of their own, in which no operation is
// missing.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

#include "pair_function.h"

namespace gdr::compiler {

/// What kind of value an operation takes and gives. Those that every pass treats in a way of its own are alone.
enum class Family : std::uint8_t {
  constant,
  input,
  widen,
  narrow,
  negate,
  from_integer,
  number,      // a floating-point number of such numbers
  integer,     // an integer, of integers or a number
  comparison,  // a truth value of two numbers or integers
  logic,       // a truth value of such values
  select
};

/// When a value is never negative; NaN and -0 do not count.
enum class NeverNegative : std::uint8_t {
  unknown,
  always,
  of_constant,  // if the number is not
  of_product,   // if both operands are not, or are the same
  of_both,      // if both operands are not
  of_either,    // if one of them is not
  of_first,     // if the first operand is not
  of_choice     // if both values of a choice are not
};

/// What the lowest bit of an integer is.
enum class LowestBit : std::uint8_t {
  own,  // to be tested
  of_constant,
  of_both,    // the lowest bits of both operands are set
  of_either,  // one of them is, or both are
  of_one,     // one of them is
  of_first,   // that of the first operand
  of_choice   // that of the chosen value
};

struct ActRow {
  Family family;
  NeverNegative never_negative;
  LowestBit lowest_bit;
  bool changes;  // a result may be accumulated by it
};

inline constexpr std::array kActs = [] {
  constexpr bool no = false;
  constexpr bool changes = true;
  return std::array{
#define GDR_ACT(name, family, sign, bit, changes) ActRow{Family::family, NeverNegative::sign, LowestBit::bit, changes},
#include "acts.inc"
#undef GDR_ACT
  };
}();

[[nodiscard]] constexpr const ActRow& row_of(Act act) { return kActs[static_cast<std::size_t>(act)]; }
[[nodiscard]] constexpr Family family_of(Act act) { return row_of(act).family; }

/// A table with an entry for each operation that it is for. One that is missing, of no use or given twice does not
/// compile:
///
///     static constexpr ActTable<Op> kOps([](Act act) { return row_of(act).changes; }, {{Act::add, Op::FADD}, ...});
template <class Entry>
class ActTable {
 public:
  struct Row {
    Act act;
    Entry entry;
  };

  consteval ActTable(bool (*is_for)(Act), std::initializer_list<Row> rows) {
    std::array<bool, kActs.size()> given{};
    for (const Row& row : rows) {
      const auto n = static_cast<std::size_t>(row.act);
      if (given[n] || !is_for(row.act)) throw "an operation is given twice, or the table is not for it";
      given[n] = true;
      entries_[n] = row.entry;
    }
    for (std::size_t n = 0; n < kActs.size(); ++n) {
      if (is_for(static_cast<Act>(n)) && !given[n]) throw "the table has no entry for an operation";
    }
  }

  /// Of an operation that the table is not for, an empty entry.
  [[nodiscard]] constexpr const Entry& operator[](Act act) const { return entries_[static_cast<std::size_t>(act)]; }

 private:
  std::array<Entry, kActs.size()> entries_{};
};

}  // namespace gdr::compiler
