// The loop body as a graph of values: what a turn makes of the words that the turn before left, for all four elements,
// or for two of them where the others do the same.
//
// Lines are executed symbolically. Writes land as the machine lands them, so registers are gone from the graph: what
// remains are words that a turn takes over from the turn before, operations, and the words that it leaves to the next.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "code_target.h"
#include "decoded_program.h"
#include "simd/scheduler.h"

namespace gdr::emulator::jit {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

enum class NodeOp : std::uint8_t {
  // Words. `place` is the row of a register, or the address in a record or in BM, in short words.
  row,        // of each PE, as it stands when the turn begins
  kept,       // equal in all PEs and never written by the body
  record,     // of the turn's j-record
  parameter,  // of BM
  constant,
  number,  // a word taken as a floating-point number
  bits,    // a number taken as an integer
  upper,   // the upper half of a word, of a long number its 25 bits
  lower,   // the lower half of a word
  // Words of local memory at addresses of T. `place` of a row is what T is added to; args: T, and a flag or nothing. It
  // is all ones where the flag is clear. `place` of the others is how many scatters come before.
  row_to_gather,
  row_to_scatter,
  gather,   // args: row; zero where that is all ones
  scatter,  // a step and no value; args: row, value
  // Numbers. A negated operand has its bit in `negated`.
  port,  // what the multiplier takes of a long number: its top 50 bits
  add,
  multiply,
  cut,  // rounded to its width
  // Integers: short ones left-justified in 64 bits, long ones in two planes.
  integer_add,
  integer_subtract,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,  // by `place`, or by the second argument
  shift_right,
  shift_right_signed,
  larger,
  smaller,
  // Flags.
  flag,  // of each PE, never written by the body: register `place` / 4, element `place` % 4
  is_zero,
  is_negative,
  is_below,  // the first of two integers, without a sign
  select     // args: flag, where it is set, where not
};

/// What a node's value is.
enum class NodeType : std::uint8_t { flag, short_bits, long_bits, number };

struct Node {
  NodeOp op = NodeOp::constant;
  NodeType type = NodeType::number;
  Width width = Width::short_word;  // of a word, or that a number is rounded to
  std::uint8_t negated = 0;         // bit n: args[n]
  std::uint32_t place = 0;
  std::array<NodeId, 3> args{kNoNode, kNoNode, kNoNode};
  isa::LongWord value;     // of a constant; a short one in the upper half
  std::uint32_t line = 0;  // of the body, that first has it

  [[nodiscard]] auto key() const { return std::tuple(op, type, width, negated, place, args, value.high, value.low); }
};

/// A word that a turn hands to the next one.
struct Carried {
  unsigned row = 0;
  bool is_long = false;
  NodeId before = kNoNode;  // the row's node
  NodeId after = kNoNode;
};

/// A word, or a flag, that no later turn reads.
struct Left {
  std::uint32_t place = 0;  // row, or as NodeOp::flag's
  bool is_long = false;
  NodeId value = kNoNode;
};

/// A word that PEs store to broadcast memory.
struct Stored {
  NodeId value = kNoNode;
  bool is_long = false;
};

/// What happens to broadcast memory in a turn, step by step, once the values are known.
struct BmStep {
  bool collects = false;      // long words go to the tree
  bool not_first = false;     // but not in the first turn of a run
  std::uint32_t address = 0;  // in short words
  std::uint32_t words = 0;    // that go to the tree
  std::uint32_t stored = 0;   // index of the word stored
  std::uint32_t pe = 0;       // that stores it
};

/// A word that a turn takes over, and one that has the same bits: of CodeTarget::own_elements.
struct Copied {
  unsigned row = 0;
  unsigned from = 0;
  bool is_long = false;
  bool is_half = false;  // of a long word each, in a pair of rows
};

struct BodyGraph {
  std::vector<Node> nodes;  // arguments stand before what takes them
  /// Elements that the graph is of: all, or the first half. The others do the same on the words behind.
  unsigned elements = isa::kVectorElements;
  std::vector<Carried> carried;
  std::vector<Copied> copied;
  std::vector<Left> left;
  std::vector<Left> left_flags;
  std::vector<Stored> stored;
  std::vector<BmStep> bm_steps;  // in order
  /// Pairs of rows of local memory, counted from its first, that lines use at addresses of their own: those written,
  /// which nothing may be gathered from, and all, which nothing may be scattered to.
  std::vector<simd::RowRange> lm_written;
  std::vector<simd::RowRange> lm_used;
  bool lm_of_longs = false;  // layout of the words at computed addresses
  unsigned scatters = 0;
  /// Why the last turn, after which all of this must stand in the registers, cannot be taken apart.
  std::string last_refusal;
  /// Why the body cannot be taken apart; empty if it could.
  std::string refusal;

  /// True if only other PEs' values, and none of this PE's, can change the node.
  [[nodiscard]] std::vector<bool> uniform() const;
};

/// Not for its value alone: a row may be outside local memory, and to scatter leaves something.
[[nodiscard]] constexpr bool is_always_wanted(NodeOp op) {
  return op == NodeOp::row_to_gather || op == NodeOp::row_to_scatter || op == NodeOp::scatter;
}

/// `record_words`: long words of a j-record.
[[nodiscard]] BodyGraph make_body_graph(const DecodedProgram& program, const simd::Schedule& schedule,
                                        const CodeTarget& target);

}  // namespace gdr::emulator::jit
