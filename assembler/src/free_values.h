// Which results of a section's operations may stand elsewhere than the source says: T, a register or a word of local
// memory, whatever is free. Such a value is written whole by one operation, or written over under a flag by others that
// leave no part of it to anybody else, and read by operations of its section alone. Flags may have other numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dependences.h"
#include "gdr/assembler/line_search.h"
#include "liveness.h"

namespace gdr::assembler {

struct FreeValue {
  std::size_t operation = 0;  // whose result it is
  isa::Width width = isa::Width::short_word;
  std::uint8_t elements = 0;
  std::vector<std::size_t> readers;  // operations, ascending
  int base = -1;                     // the value that it overwrites where its condition holds
  isa::Predicate predicate;          // its condition, as written

  /// Short words that it takes in a register or in local memory.
  [[nodiscard]] unsigned words() const { return elements * isa::short_words(width); }
};

/// What is free and what is not of an operation; -1 stands for nothing.
struct FreeOperation {
  std::array<int, 2> operands{-1, -1};  // values read as first and second source; of a store as the first
  int result = -1;                      // the value
  int tenancy_read = -1;
  int tenancy_written = -1;
  int flag_set = -1;                                      // a flag that may have another number
  std::array<int, isa::kRoles> flags_read = none_read();  // such flags, as conditions of what it writes, by role
  bool writes_t = false;                                  // as written in the source
  bool writes_gpr = false;
  bool writes_lm = false;

  static constexpr std::array<int, isa::kRoles> none_read() {
    std::array<int, isa::kRoles> none{};
    none.fill(-1);
    return none;
  }
};

/// Whether what is written under a flag, and the flags, may be values, too.
enum class Conditions : std::uint8_t { kept, free };

struct FreeSection {
  SectionGraph graph;  // with the dependences of accesses that stay, and one line from value to reader
  std::vector<FreeOperation> operations;  // of graph.operations
  std::vector<FreeValue> values;
  std::vector<Tenancy> tenancies;
  std::size_t flags = 0;   // that may have other numbers
  Words taken;             // that accesses which stay touch, or that are in use at an end of the section
  Words left;              // where the source has values, which may now stand elsewhere
  bool local_memory_free;  // values may stand there: no address is computed
};

/// Flags that nothing of the section which stays touches, and that are not in use at its ends.
[[nodiscard]] std::vector<unsigned> flag_numbers(const FreeSection& section);

/// Nothing where graph_of() gives nothing.
[[nodiscard]] std::optional<FreeSection> free_section(const std::vector<CodeLine>& section,
                                                      const std::vector<Tail>& tails, unsigned record_words,
                                                      const Words& entering, const Words& leaving,
                                                      Conditions conditions);

}  // namespace gdr::assembler
