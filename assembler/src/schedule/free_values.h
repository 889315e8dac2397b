// Finds the results of a section that may be assigned to another place than in the source: T, any free register or word
// of local memory. Such a value is written whole by one operation, or overwritten under a flag by others that leave no
// part of it visible to anything else, and it is read only by operations of its section. Flags may get other numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "flow/dependences.h"
#include "flow/liveness.h"
#include "gdr/assembler/line_search.h"

namespace gdr::assembler {

struct FreeValue {
  std::size_t operation = 0;  // the operation that produces it
  isa::Width width = isa::Width::short_word;
  std::uint8_t elements = 0;
  std::vector<std::size_t> readers;  // operations that read it, ascending
  int base = -1;                     // the value that it overwrites where its condition holds
  isa::Predicate predicate;          // its condition as written in the source

  /// Number of short words that it takes in a register or in local memory.
  [[nodiscard]] unsigned words() const { return elements * isa::short_words(width); }
};

/// Which parts of an operation are free and which are not; -1 stands for none.
struct FreeOperation {
  std::array<int, 2> operands{-1, -1};  // values read as first and second source; for a store as the first
  int result = -1;                      // the value
  int tenancy_read = -1;
  int tenancy_written = -1;
  int flag_set = -1;  // a flag that it sets and that may have another number
  // Such flags that it reads as conditions of its writes, by role.
  std::array<int, isa::kRoles> flags_read = none_read();
  bool writes_t = false;  // writes that stay as in the source
  bool writes_gpr = false;
  bool writes_lm = false;

  static constexpr std::array<int, isa::kRoles> none_read() {
    std::array<int, isa::kRoles> none{};
    none.fill(-1);
    return none;
  }
};

/// Whether values that are written under a flag, and the flags themselves, may be free, too.
enum class Conditions : std::uint8_t { kept, free };

struct FreeSection {
  // With the dependences of accesses that stay, and a dependence of one line from each value to its readers.
  SectionGraph graph;
  std::vector<FreeOperation> operations;  // of graph.operations
  std::vector<FreeValue> values;
  std::vector<Tenancy> tenancies;
  std::size_t flags = 0;   // number of flags that may have other numbers
  Words taken;             // words that fixed accesses use, or that are live at the begin or end of the section
  Words left;              // words where the source has values that may now be elsewhere
  bool local_memory_free;  // true if values may be there, because no address is computed
};

/// Numbers of flags that no fixed part of the section uses and that are not live at its begin or end.
[[nodiscard]] std::vector<unsigned> flag_numbers(const FreeSection& section);

/// The free values of a section. Nothing if graph_of() returns nothing.
[[nodiscard]] std::optional<FreeSection> free_section(const std::vector<CodeLine>& section,
                                                      const std::vector<Tail>& tails, unsigned record_words,
                                                      const Words& entering, const Words& leaving,
                                                      Conditions conditions);

}  // namespace gdr::assembler
