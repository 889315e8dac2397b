// Local memory at addresses of T as instructions: rows that words stand in, and words in them.
//
// A row is counted from the first one of local memory; it is all ones, which no row is, where an element is not
// selected. A body with long words there keeps pairs of rows, else each short word has a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "body_graph.h"
#include "code_writer.h"
#include "number_code.h"

namespace gdr::emulator::jit {

/// Of the function at hand.
class LmCode {
 public:
  LmCode(const BodyGraph& graph, NumberCode& number) : graph_(graph), number_(number) {}
  void write_to(Writer& writer) { w_ = &writer; }

  /// Planes that a scatter stores of a turn: the row, and its word, or those of its pair, as they were before.
  [[nodiscard]] unsigned planes_of_scatter() const { return graph_.lm_of_longs ? 3 : 2; }

  /// Of a NodeOp::row_to_gather or row_to_scatter. `selected`: flag of the elements; none: all. A lane is refused
  /// whose row is a fault, or whose word may be in a register here.
  std::string row(const Node& each, const Value& t, const std::optional<std::string>& selected);
  Value gathered(Width width, const std::string& row);
  /// `plane`: the first of those that it stores.
  void scatter(Width width, const std::string& row, const Value& word, std::uint64_t plane);

 private:
  std::string odd_bit(const std::string& row) { return w_->integer("and", row, w_->literal(std::uint64_t{1})); }
  std::string is_odd(const std::string& row) { return w_->compare("ne", odd_bit(row), w_->literal(std::uint64_t{0})); }
  std::string pair_of(const std::string& row);
  std::string shifted(const char* how, const std::string& word, unsigned count) {
    return w_->integer(how, word, w_->literal(std::uint64_t{count}));
  }
  std::string lower_of(const Value& pair);
  std::string upper_of(const Value& pair);
  Value with_half(const Value& pair, const std::string& in_lower, const std::string& half);

  const BodyGraph& graph_;
  NumberCode& number_;
  Writer* w_ = nullptr;
};

}  // namespace gdr::emulator::jit
