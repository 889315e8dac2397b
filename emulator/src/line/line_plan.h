// What each unit of a line does, in which order, and when its results reach their places.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "section_rows.h"

namespace gdr::emulator::simd {

/// A list of at most `most` values, without dynamic memory.
template <class Value, std::size_t most>
class Few {
 public:
  void push_back(const Value& value) {
    GDR_ASSERT(count_ < most, "a unit has so many ports");
    values_[count_++] = value;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.begin() + count_; }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.begin() + count_; }

 private:
  std::array<Value, most> values_{};
  std::uint8_t count_ = 0;
};

/// When a result reaches its place: with its operation; after all operations of the line; after those of the next line.
enum class Landing : std::uint8_t { direct, own_line, next_line };

/// A write of a unit to registers.
struct PlannedWrite {
  const isa::Access* write = nullptr;
  RowPattern rows;  // empty if it is indirect
  Landing landing = Landing::direct;

  [[nodiscard]] bool is_t() const { return write->storage == isa::Storage::t; }
};

/// The work of one unit that has a result which somebody can see.
struct PlannedUnit {
  const isa::UnitWork* work = nullptr;
  bool has_flag = false;        // that may be written here
  Few<PlannedWrite, 3> writes;  // T, GPR, LM
  Few<RowPattern, 2> reads;     // of operands
  Landing flag_landing = Landing::direct;
  Landing store_landing = Landing::direct;  // of a store to BM

  [[nodiscard]] bool reads_of(const RowRange& rows) const;
};

/// What a line is planned for.
struct LineContext {
  const isa::LineWork& work;
  bool jvalid = true;
  const LineFacts& own;      // of the line
  const LineFacts& pending;  // of the writes that the line before has left to land after this line's operations
  const LineFacts& next;     // of the lines that may follow
  bool next_reads_bm = false;
  const SectionRows& rows;
};

/// Made for one line, asked by LineCode, and thrown away.
struct LinePlan {
  using Order = Few<std::uint8_t, isa::kUnits>;

  std::vector<PlannedUnit> units;
  Order order;  // indices of the units: no direct write changes an operand of a later one
};

/// A write goes directly to its place if nobody can see the difference. It waits for its own line's end if another unit
/// or element of the line still reads the words, or writes of the line before land there; and for the next line's, if
/// that reads the words.
[[nodiscard]] LinePlan plan_of(const LineContext& line);

/// True if the write reaches every element of the line in every PE.
[[nodiscard]] bool reaches_all(const isa::LineWork& line, const PlannedUnit& unit, const PlannedWrite& target);

}  // namespace gdr::emulator::simd
