// Accesses to local memory at addresses computed from T, as instructions: they find the row of a word, and read or
// write words in rows.
//
// Rows are counted from the first row of local memory. A row of all ones, which no word has, stands for an element that
// is not selected. If the body has long words there, they are kept in pairs of rows; else each short word has a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "code_writer.h"
#include "loop/graph/body_graph.h"
#include "number_code.h"

namespace gdr::emulator::jit {

/// Writes instructions of the current function.
class LmCode {
 public:
  LmCode(const BodyGraph& graph, NumberCode& number) : graph_(graph), number_(number) {}
  void write_to(Writer& writer) { w_ = &writer; }

  /// Planes that a scatter stores in an iteration: the row, then the previous value of its word, or of both words of
  /// its pair.
  [[nodiscard]] unsigned planes_of_scatter() const { return graph_.lm_of_longs ? 3 : 2; }

  /// Row of a NodeOp::row_to_gather or row_to_scatter. `selected`: flag of the elements; if none, all are selected.
  /// Lanes are refused if the address is a fault or if the word may be in a register.
  std::string row(const Node& each, const Value& t, const std::optional<std::string>& selected);
  Value gathered(Width width, const std::string& row);
  /// `plane`: the first plane that the scatter stores.
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
