// The ALU's operations as instructions. A short integer is left-justified in 64 bits. A long one has two planes; the
// low plane has eight bits, and its name is empty where a short word is taken as a long one.
#pragma once

#include "code_writer.h"
#include "loop/graph/body_graph.h"

namespace gdr::emulator::jit {

/// Writes the operation of a node, NodeOp::integer_add to NodeOp::smaller, and returns its result.
[[nodiscard]] Value integer_result(ArithmeticWriter& writer, const Node& node, const Value& a, const Value& b);

/// Returns a flag that is set where a is less than b. `how` compares the high planes: "slt" with their sign, "ult"
/// without.
[[nodiscard]] std::string is_below(ArithmeticWriter& writer, const char* how, const Value& a, const Value& b);

}  // namespace gdr::emulator::jit
