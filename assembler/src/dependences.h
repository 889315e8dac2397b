// What a section's operations are, and which must wait for which so that every one reads and leaves the words that it
// reads and leaves in the section as written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "code.h"

namespace gdr::assembler {

/// What one unit does in one line.
struct UnitOperation {
  const CodeLine* from = nullptr;
  std::size_t line = 0;  // its index in the section
  isa::Unit unit = isa::Unit::none;
};

/// `after` stands at least `lines` lines behind `before`; 0: in the same line or later.
struct Dependence {
  std::size_t before = 0;
  std::size_t after = 0;
  unsigned lines = 0;
};

/// The last lines of a section that may run right before this one: their results may be on the way.
using Tail = std::vector<const CodeLine*>;

struct SectionGraph {
  std::vector<UnitOperation> operations;  // in the order of lines
  std::vector<Dependence> dependences;    // between operations, by their index
  std::vector<unsigned> earliest;         // line of each operation, because of results on the way into the section
};

/// True if the operation reads or writes what `access` is of: its own operands, or the line's mask.
[[nodiscard]] bool belongs(const CodeAccess& access, const UnitOperation& operation);

/// Accesses that make no dependences.
using LeftOut = std::function<bool(const CodeAccess&)>;

/// Nothing if the section does what cannot be followed: a line that is unknown, or a store into the j-records.
[[nodiscard]] std::optional<SectionGraph> graph_of(const std::vector<CodeLine>& section, const std::vector<Tail>& tails,
                                                   unsigned record_words, const LeftOut& left_out = nullptr);

}  // namespace gdr::assembler
