// The operations of a section and their dependences: which must wait for which so that each reads and writes the same
// words as in the section as written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "encode/code.h"

namespace gdr::assembler {

/// The operation of one unit in one line.
struct UnitOperation {
  const CodeLine* from = nullptr;
  std::size_t line = 0;  // its index in the section
  isa::Unit unit = isa::Unit::none;
};

/// Operation `after` must be at least `lines` lines after operation `before`; 0: in the same line or later.
struct Dependence {
  std::size_t before = 0;
  std::size_t after = 0;
  unsigned lines = 0;
};

/// The last lines of a section that may run just before this one: their results may not have arrived yet.
using Tail = std::vector<const CodeLine*>;

struct SectionGraph {
  std::vector<UnitOperation> operations;  // ordered by line
  std::vector<Dependence> dependences;    // between operations, given by index
  // Earliest line of each operation, given the results that have not arrived when the section begins.
  std::vector<unsigned> earliest;
};

/// True if `access` belongs to the operation: to one of its operands, or to the line's mask.
[[nodiscard]] bool belongs(const CodeAccess& access, const UnitOperation& operation);

/// True for accesses that cause no dependences.
using LeftOut = std::function<bool(const CodeAccess&)>;

/// Nothing if the section has something that cannot be followed: an unknown line, or a store into the j-records.
[[nodiscard]] std::optional<SectionGraph> graph_of(const std::vector<CodeLine>& section, const std::vector<Tail>& tails,
                                                   unsigned record_words, const LeftOut& left_out = nullptr);

}  // namespace gdr::assembler
