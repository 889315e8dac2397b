// Which results of a section's operations may stand elsewhere than the source says: T, a register or a word of local
// memory, whatever is free. Such a value is written whole by one operation and read by operations of its section alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dependences.h"
#include "liveness.h"

namespace gdr::assembler {

struct FreeValue {
  std::size_t operation = 0;  // whose result it is
  isa::Width width = isa::Width::short_word;
  std::uint8_t elements = 0;
  std::vector<std::size_t> readers;  // operations, ascending

  /// Short words that it takes in a register or in local memory.
  [[nodiscard]] unsigned words() const { return elements * isa::short_words(width); }
};

/// What T holds for accesses that stay with T: from the first write on until the last read.
struct Tenancy {
  unsigned accesses = 0;    // operations that write or read it, twice those that do both
  bool from_entry = false;  // T comes with it into the section
  bool to_end = false;      // the section leaves it in T
};

/// What is free and what is not of an operation; -1 stands for nothing.
struct FreeOperation {
  std::array<int, 2> operands{-1, -1};  // values read as first and second source; of a store as the first
  int result = -1;                      // the value
  int tenancy_read = -1;
  int tenancy_written = -1;
  bool writes_t = false;  // as written in the source
  bool writes_gpr = false;
  bool writes_lm = false;
};

struct FreeSection {
  SectionGraph graph;  // with the dependences of accesses that stay, and one line from value to reader
  std::vector<FreeOperation> operations;  // of graph.operations
  std::vector<FreeValue> values;
  std::vector<Tenancy> tenancies;
  Words taken;             // that accesses which stay touch, or that are in use at an end of the section
  Words left;              // where the source has values, which may now stand elsewhere
  bool local_memory_free;  // values may stand there: no address is computed
};

/// Nothing where graph_of() gives nothing.
[[nodiscard]] std::optional<FreeSection> free_section(const std::vector<CodeLine>& section,
                                                      const std::vector<Tail>& tails, unsigned record_words,
                                                      const Words& entering, const Words& leaving);

}  // namespace gdr::assembler
