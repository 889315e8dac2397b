// The greatest number of turns of a loop, by following what decides its end from turn to turn: counters that grow by
// different steps on different paths, limits that are known by their range alone, searches that halve an interval.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>
#include <string>

#include "ranges.h"

namespace gdr::compiler {

/// More turns are not unrolled.
inline constexpr unsigned kMostTurns = 1000;

struct Turns {
  std::optional<unsigned> most;  // how often control comes to the loop's first block
  // If there are none: what is missing, and where.
  std::string missing;
  const llvm::Instruction* at = nullptr;
};

/// The loop has a block before it and one that leads back, as loop-simplify makes them.
[[nodiscard]] Turns turns_of(const llvm::Loop& loop, const llvm::LoopInfo& loops, Ranges& ranges);

}  // namespace gdr::compiler
