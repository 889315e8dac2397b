// The ALU's operations as instructions. A short integer stands left-justified in 64 bits; a long one in two planes, of
// which the low one has eight bits and is nothing where a short word is taken for a long one.
#pragma once

#include "body_graph.h"
#include "code_writer.h"

namespace gdr::emulator::jit {

/// Of a node from NodeOp::integer_add to NodeOp::smaller.
[[nodiscard]] Value integer_result(Writer& writer, const Node& node, const Value& a, const Value& b);

/// A flag: a below b; `how` compares the high planes, with their sign or without.
[[nodiscard]] std::string is_below(Writer& writer, const char* how, const Value& a, const Value& b);

}  // namespace gdr::emulator::jit
