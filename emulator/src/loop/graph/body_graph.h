// The loop body as a graph of values: how an iteration computes its results from the words that the iteration before
// left. The graph is of all four elements, or of two of them where the others do the same.
//
// Lines are executed symbolically, and writes land as on the machine, so the graph contains no registers. It consists
// of words that an iteration takes over from the iteration before, operations, and words that it leaves to the next.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "line/decoded_program.h"
#include "line/scheduler.h"
#include "loop/code_target.h"

namespace gdr::emulator::jit {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

enum class NodeOp : std::uint8_t {
  // Words. `place` is the row of a register or, in short words, the address in a record or in BM.
  row,        // of each PE, as it is when the iteration begins
  kept,       // equal in all PEs and never written by the body
  record,     // of the iteration's j-record
  parameter,  // of BM
  constant,
  number,  // a word taken as a floating-point number
  bits,    // a number taken as an integer
  upper,   // the upper half of a word; of a long number, 25 bits
  lower,   // the lower half of a word
  // Words of local memory at addresses computed from T. A row node yields the row; its `place` is the address to which
  // T is added, and its args are T and, optionally, a flag. Where the flag is clear the row is all ones. In a gather or
  // scatter, `place` is the number of scatters before it.
  row_to_gather,
  row_to_scatter,
  gather,   // args: row; zero if the row is all ones
  scatter,  // a step without a value; args: row, value
  // Numbers. Bit n of `negated` is set if operand n is negated.
  port,  // the part of a long number that the multiplier takes: its top 50 bits
  add,
  multiply,
  cut,  // rounded to `width`
  // Integers: short ones left-justified in 64 bits, long ones in two planes.
  integer_add,
  integer_subtract,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,  // by `place` or, if there is one, by the second argument
  shift_right,
  shift_right_signed,
  larger,
  smaller,
  // Flags.
  flag,  // of each PE, never written by the body; `place` is 4 x flag register + element
  is_zero,
  is_negative,
  is_below,  // true if the first of two unsigned integers is less than the second
  select     // args: flag, value if it is set, value if not
};

/// Elements in which a flag is set, or clear if `inverted`.
struct Gate {
  NodeId flag = kNoNode;
  bool inverted = false;

  bool operator==(const Gate&) const = default;
};

/// Type of a node's value.
enum class NodeType : std::uint8_t { flag, short_bits, long_bits, number };

struct Node {
  NodeOp op = NodeOp::constant;
  NodeType type = NodeType::number;
  Width width = Width::short_word;  // of the word; for a number, the width to which it is rounded
  std::uint8_t negated = 0;         // bit n: args[n]
  std::uint32_t place = 0;
  std::array<NodeId, 3> args{kNoNode, kNoNode, kNoNode};
  isa::LongWord value;     // of a constant; a short one is in the upper half
  std::uint32_t line = 0;  // first line of the body that has it
  /// If there is one, only lines under this mask compute the node. Elsewhere its value is not used, and it causes no
  /// events.
  std::optional<Gate> mask;

  [[nodiscard]] auto key() const { return std::tuple(op, type, width, negated, place, args, value.high, value.low); }
};

/// A word that an iteration hands to the next one.
struct Carried {
  unsigned row = 0;
  bool is_long = false;
  NodeId before = kNoNode;  // node of the row when the iteration begins
  NodeId after = kNoNode;
};

/// A word or a flag that no later iteration reads.
struct Left {
  std::uint32_t place = 0;  // row, or `place` as for NodeOp::flag
  bool is_long = false;
  NodeId value = kNoNode;
};

/// A word that PEs store to broadcast memory.
struct Stored {
  NodeId value = kNoNode;
  bool is_long = false;
};

/// A step that an iteration takes in broadcast memory. The steps are done in order after all values are known.
struct BmStep {
  bool collects = false;      // long words are sent to the tree
  bool not_first = false;     // except in the first iteration of a run
  std::uint32_t address = 0;  // in short words
  std::uint32_t words = 0;    // sent to the tree
  std::uint32_t stored = 0;   // index in BodyGraph::stored
  std::uint32_t pe = 0;       // the PE that stores
};

/// A word that an iteration takes over, and the word `from` with the same bits, where CodeTarget::own_elements requires
/// it.
struct Copied {
  unsigned row = 0;
  unsigned from = 0;
  bool is_long = false;
  bool is_half = false;  // each is half of a long word in a pair of rows
};

struct BodyGraph {
  std::vector<Node> nodes;  // arguments come before nodes that use them
  /// Elements in the graph: all, or the first half. In the latter case the other half does the same on the words that
  /// follow.
  unsigned elements = isa::kVectorElements;
  std::vector<Carried> carried;
  std::vector<Copied> copied;
  std::vector<Left> left;
  std::vector<Left> left_flags;
  std::vector<Stored> stored;
  std::vector<BmStep> bm_steps;  // in order
  /// Pairs of rows of local memory, counted from its first row, that lines use at fixed addresses. Nothing may be
  /// gathered from those that are written, and nothing may be scattered to any of those in use.
  std::vector<simd::RowRange> lm_written;
  std::vector<simd::RowRange> lm_used;
  bool lm_of_longs = false;  // layout of the words at computed addresses
  unsigned scatters = 0;
  /// Why no graph of the last iteration can be made, after which all that it leaves must be in the registers.
  std::string last_refusal;
  /// Why no graph of the body can be made; empty if there is one.
  std::string refusal;

  /// Returns for each node whether its value is equal in all PEs.
  [[nodiscard]] std::vector<bool> uniform() const;
};

/// True if the node is needed even if its value is unused: a row may be outside local memory, and a scatter writes to
/// it.
[[nodiscard]] constexpr bool is_always_wanted(NodeOp op) {
  return op == NodeOp::row_to_gather || op == NodeOp::row_to_scatter || op == NodeOp::scatter;
}

/// Makes the graph of the program's loop body. If that is impossible, only `refusal` is set.
[[nodiscard]] BodyGraph make_body_graph(const DecodedProgram& program, const simd::Schedule& schedule,
                                        const CodeTarget& target);

}  // namespace gdr::emulator::jit
