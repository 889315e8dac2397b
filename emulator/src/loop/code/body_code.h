// Generates the code of a loop body from its graph, as text in the target's language: a function uniform() for values
// that are equal in all PEs, a function turns() for the rest and, where the target separates them, a function
// last_turns(). It runs the last iteration of a run and iterations left over where several stand side by side.
// In the names of this folder, a turn is an iteration of the loop body.
//
// Numbers are held in doubles: a short number or the product of two short numbers in one double, a long number in two,
// a head and a rest. Results are rounded in the fewest instructions that are exact for nearly all data. Checks whether
// they were exact are collected in masks and in MXCSR, which are examined once for each call. docs/machine/engine.md
// has the reasoning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loop/code_target.h"
#include "loop/graph/body_graph.h"
#include "loop/plan/body_plan.h"

namespace gdr::emulator::jit {

/// A word of a record that an iteration reads.
struct RecordWord {
  std::uint32_t address = 0;  // in short words
  bool is_long = false;
  /// A long word whose low plane must be zero, so that the planes of records contain none for it. The caller checks
  /// this.
  bool is_double = false;

  [[nodiscard]] unsigned planes() const { return is_long && !is_double ? 2 : 1; }
};

/// A value that uniform() leaves for turns(). Forms of a body whose shared values are equal have them in the same
/// places.
struct SharedValue {
  NodeId node = kNoNode;
  unsigned first = 0;  // first of its words

  bool operator==(const SharedValue&) const = default;
};

/// Generated code, and what its callers must know. In the shapes below, `turns` stands for CodeTarget::turns().
///
/// uniform(records, state, shared) computes the values that are equal in all PEs, for as many iterations as the target
/// has lanes, from the iteration on that `records` and `shared` point to. records: [plane][turns], the planes of all
/// `record_words` in order, RecordWord::planes() of them for each; state: of the block; shared: [shared_words][turns].
///
/// For a packed target, uniform() computes a single iteration, and each lane belongs to a block: records is
/// [plane][lanes] and shared [shared_words][lanes]. turns() then reads shared as [turn][shared_words][lanes].
///
/// turns(shared, count, state, results, pe, element, ends) runs `count` iterations for a vector of PEs, from `pe` on.
/// `element` is 0 or the first element of a group of `elements`; `ends` is 1 if the last of these iterations ends a
/// run, else 0. results is [planes][kPesPerBlock] in this order:
/// - the high plane of each carried word, followed by its low plane if it is long;
/// - filled if `ends`: likewise the planes of the words in `left`, then a word of flags for each of `left_flags`;
/// - [turns][stored_planes]: for each iteration the planes of the words that it stores, then for each of its scatters
///   the row of local memory and the previous contents.
///
/// If CodeTarget::ways are several, the work-items of a PE call turns() together, each with a `slot` of its own. It
/// then reads carried words from `words` and writes them to `kept`, both [planes][kPesPerBlock] of carried words in
/// order; `results` receives what is left in the last iteration, and that only if `ends`. The operands of chains take
/// [buffers][operand_words][ways][kPesPerBlock] words.
///
/// last_turns() is called by turns() alone, for iterations that its loop does not run.
///
/// Each function returns a word with a bit for each lane, which is set if the lane's results are right, provided that
/// MXCSR reports no inexact result. The functions write to `shared` and `results`. Scatters go to local memory at once:
/// the caller must undo them if a lane is wrong.
struct BodyCode {
  std::string text;
  std::string uniform;  // text of uniform() alone; bodies with the same one can use each other's shared values
  CodeTarget target;
  std::vector<RecordWord> record_words;
  unsigned shared_words = 0;
  std::vector<SharedValue> shared;  // the values in these words, in order
  std::vector<Carried> carried;
  bool leaves_all = false;       // leaves words that no iteration reads, too; else it cannot run a run's last one
  std::vector<Left> left;        // left by the last iteration; their planes follow those of the carried words
  std::vector<Left> left_flags;  // their bits follow, in one word for as many PEs as there are lanes
  unsigned elements = isa::kVectorElements;  // in a group
  std::vector<Stored> stored;
  std::vector<BmStep> bm_steps;
  unsigned operand_words = 0;   // that an iteration's own part hands to chains, if CodeTarget::ways are several
  unsigned scatters = 0;        // in an iteration
  unsigned scatter_planes = 0;  // of each: the row (all ones if none), then its word or the two words of its pair
  std::vector<unsigned> rows;   // rows of registers that an iteration reads, one for each plane
  bool reads_flags = false;     // reads flags of PEs, which no iteration writes
  std::string refusal;          // as in BodyGraph
};

/// Generates the code. If that is impossible, only `refusal` is set.
[[nodiscard]] BodyCode make_body_code(const BodyGraph& graph, Rounding rounding, const CodeTarget& target);

}  // namespace gdr::emulator::jit
