// A body's graph as text in a target's language: a function for what is equal in all PEs, one for the rest, and, where
// the target keeps them apart, one for the last turn of a run and turns that several side by side leave.
//
// Values are doubles: a short number is one, a product of two short numbers is one, a long number is a head and a rest.
// What the chip rounds is rounded in the fewest instructions that are exact for nearly all data; what makes sure that
// they were is collected in masks and in MXCSR and looked at once a run. docs/engine.md has the reasoning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "body_graph.h"
#include "body_plan.h"
#include "code_target.h"

namespace gdr::emulator::jit {

/// A word of a record that a turn reads.
struct RecordWord {
  std::uint32_t address = 0;  // in short words
  bool is_long = false;
  /// A long word whose low plane must be zero, so that there is none in the planes of records: the caller sees to it.
  bool is_double = false;

  [[nodiscard]] unsigned planes() const { return is_long && !is_double ? 2 : 1; }
};

/// A value that one function leaves for the others; two forms of a body that share the same have it in the same places.
struct SharedValue {
  NodeId node = kNoNode;
  unsigned first = 0;  // of its words

  bool operator==(const SharedValue&) const = default;
};

/// What a caller must know of the code.
///
/// uniform(records, state, shared): records: [plane][turns] words of CodeTarget::turns() turns, the planes of
/// `record_words` one after the other, as many as RecordWord::planes() says; state: of the block; shared:
/// [shared_words][turns]. Works on as many turns as the target has lanes, from the first on that its pointers name.
///
/// Of a packed target uniform() works on one turn, with a word for the block of each lane: [plane][lanes] and
/// [shared_words][lanes]; turns() takes [turn][shared_words][lanes].
///
/// turns(shared, count, state, results, pe, element, ends): the PEs from `pe` on; results: [planes][kPesPerBlock], of
/// each carried word its high plane, and of a long one its low plane; then, if the last turn `ends` a run (1, else 0),
/// the same of the words in `left`, and a word of flags each; then [turns][stored_planes][kPesPerBlock], the planes of
/// the words that each turn stores, and for each of its scatters the row of local memory and what stood there before.
/// `element` is 0, or the first one of a group of `elements`.
///
/// last_turns() is called by turns() alone, for turns that its loop leaves.
///
/// Each returns a bit for each lane that is right, provided that MXCSR tells of no inexact result. They write to
/// `shared` and to `results`, and scatters go to local memory at once: somebody has to take them back if a lane is
/// wrong.
struct BodyCode {
  std::string text;
  std::string uniform;  // of it, this function: where two bodies have the same one, each takes what the other works out
  CodeTarget target;
  std::vector<RecordWord> record_words;
  unsigned shared_words = 0;
  std::vector<SharedValue> shared;  // what these words are, in their order
  std::vector<Carried> carried;
  bool leaves_all = false;       // also what no turn reads, as the machine does; else the last turn is not for it
  std::vector<Left> left;        // of the last turn; their planes follow those of the words carried
  std::vector<Left> left_flags;  // then, in one word for as many PEs as there are lanes, their bits
  unsigned elements = isa::kVectorElements;  // of a group
  std::vector<Stored> stored;
  std::vector<BmStep> bm_steps;
  unsigned scatters = 0;        // of a turn
  unsigned scatter_planes = 0;  // of each: the row, all ones where there is none, and its word, or those of its pair
  std::vector<unsigned> rows;   // of registers that a turn reads, one of each plane
  bool reads_flags = false;     // of PEs, which no turn writes
  std::string refusal;          // as BodyGraph's
};

[[nodiscard]] BodyCode make_body_code(const BodyGraph& graph, Rounding rounding, const CodeTarget& target);

}  // namespace gdr::emulator::jit
