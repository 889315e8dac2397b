// The search for a short section: it assigns operations to lines, and each result to T, registers or local memory,
// where its readers can find it. The caller says for each operation what it occupies, reads and waits for; the search
// does not know what operations mean. Sources with `--schedule=full` and compiled functions use it alike. The legality
// of a plan is not proved here but afterwards, on the lines made from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "gdr/isa/effects.h"
#include "gdr/isa/isa.h"

namespace gdr::assembler {

/// From where a reader takes a word. `own`: through a port of its own, because the word keeps its place.
enum class Way : std::uint8_t { none, t, gpr, lm, own };

/// Ports that a line reads through, besides T.
enum class Port : std::uint8_t { none, gpr, lm, bm, immediate };

/// A port and what it carries. Operations with equal keys can share the port; keys are below 2^20.
struct PortKey {
  Port port = Port::none;
  int key = 0;
};

/// An input of an operation: a value, a constant, or a word that keeps its place. -1 stands for none.
struct SearchInput {
  int value = -1;
  int component = -1;  // component of the value that every element reads; -1: each element reads its own
  int constant = -1;
  PortKey stays;
};

/// An operation of one unit, which takes one line. A long product is two of them in a bundle.
struct SearchOperation {
  isa::Unit unit = isa::Unit::none;
  unsigned units = 0;        // units that it occupies, one bit each
  int sequencer = 0;         // vector length and mask as one number: all operations of a line have the same
  unsigned input_lines = 1;  // 2: the next line reads the same inputs (first line of a long product)
  std::array<SearchInput, 2> inputs;
  PortKey moves;          // what it moves or stores through the port of broadcast memory
  int result = -1;        // the value
  bool writes_t = false;  // besides the value: writes that keep their place
  bool writes_gpr = false;
  bool writes_lm = false;
  int tenancy_read = -1;  // index of the tenancy of T that it reads
  int tenancy_written = -1;
  unsigned flags_kept = 0;        // flags that it sets and that keep their numbers, one bit each
  int flag_set = -1;              // index of a flag below SearchGraph::flags
  std::vector<int> flags_used{};  // flags that it reads or sets again, once for each access
};

struct SearchValue {
  std::size_t operation = 0;  // the operation that produces it
  isa::Width width = isa::Width::short_word;
  unsigned elements = isa::kVectorElements;
  int base = -1;                     // the value that it overwrites where its condition holds: both have the same place
  std::vector<std::size_t> readers;  // operations that read it, each once

  /// Number of short words that it takes in a register or in local memory.
  [[nodiscard]] unsigned words() const { return elements * isa::short_words(width); }
};

/// A number or a parameter. It can be read through its port `own`, or from a copy in a register or in local memory.
struct SearchConstant {
  PortKey own;
  isa::Width width = isa::Width::short_word;
};

/// What T holds for accesses that must stay in T, from the first write to the last read.
struct Tenancy {
  unsigned accesses = 0;    // operations that write or read it; those that do both count twice
  bool from_entry = false;  // T already holds it when the section begins
  bool to_end = false;      // T still holds it when the section ends
};

/// Operations at fixed distances from each other: the two lines of a long product, or a cycle of one-line operations in
/// which each reads what the next one writes.
struct Bundle {
  struct Member {
    std::size_t operation = 0;
    std::size_t offset = 0;  // lines after the first line of the bundle
  };
  std::vector<Member> members;
  std::size_t earliest = 0;
};

/// Bundle `to` must begin at least `lines` lines after the bundle that has this edge. `lines` may be negative where the
/// second line of a long product is what waits.
struct Edge {
  std::size_t to = 0;
  std::ptrdiff_t lines = 0;
};

/// Bundles and the dependences between them.
struct BundleGraph {
  std::vector<Bundle> bundles;
  std::vector<std::vector<Edge>> edges;  // from each bundle

  /// For each bundle, the number of dependences that it waits for.
  [[nodiscard]] std::vector<unsigned> predecessors() const;
  /// For each bundle, the length in lines of the longest path to the end of the section. Nothing if the dependences
  /// form a cycle.
  [[nodiscard]] std::optional<std::vector<std::ptrdiff_t>> ways() const;
  /// For each bundle, the first line that its dependences allow. They must not form a cycle.
  [[nodiscard]] std::vector<std::ptrdiff_t> earliest() const;
  /// Bundles in an order in which each follows those it waits for; those of a cycle are missing.
  [[nodiscard]] std::vector<std::size_t> order() const;
};

/// An access to a word that another iteration or the next section may access, too.
struct EndAccess {
  std::size_t operation = 0;
  std::size_t word = 0;
  int latency = 0;  // latency of a write; 0 for a read
};

inline constexpr int kNeverRead = std::numeric_limits<int>::max();

struct SearchGraph {
  std::vector<SearchOperation> operations;
  std::vector<SearchValue> values;
  std::vector<SearchConstant> constants;
  std::vector<Tenancy> tenancies;
  BundleGraph bundles;
  std::size_t flags = 0;               // flags that need a number, in the order of the source
  std::vector<unsigned> flag_numbers;  // numbers that these flags may have
  std::vector<bool> gpr_taken;         // short words of registers that are in use during the whole section
  std::vector<bool> lm_taken;          // the same for local memory
  bool values_in_lm = true;            // true if values may be placed in local memory
  /// If true, local memory is assigned as names instead of addresses. All words of a name have one width. Values share
  /// a name only if there are too few words for a name each.
  bool lm_by_name = false;
  bool constants_move = false;  // true if constants may be copied to registers or local memory
  bool repeats = false;         // true for a loop: the section begins again after its end
  std::vector<EndAccess> ends;  // accesses of the operations
  std::vector<int> first_read;  // for each word, how many lines after the section's end it is first read
};

/// What the search has decided for a value. `gpr` and `lm` are 1 if the value is kept there from its line on. `*_until`
/// is the last line that reads it there; values that share a place keep it in the first of them.
struct PlacedValue {
  int line = -1;  // line of its operation; -1: not placed yet
  int gpr = 0;
  int lm = 0;
  int t = 0;  // 1: written to T
  int gpr_until = 0;
  int lm_until = 0;
  int readers_left = 0;
  int in_t_alone = 0;
};

struct PlacedOperation {
  int line = -1;
  std::array<int, 2> ways{};  // the Way of each input, as int
};

struct Plan {
  std::size_t lines = 0;
  std::vector<PlacedOperation> operations;
  std::vector<PlacedValue> values;
  std::vector<unsigned> gpr;  // address of each value in registers, if it is kept there
  // The same in local memory; with `lm_by_name` the number of its name among those of its width.
  std::vector<unsigned> lm;
  std::vector<int> constants;                // Way of each constant's copy; Way::none: there is no copy
  std::vector<unsigned> constant_addresses;  // addresses of the copies in registers
  std::vector<unsigned> flags;               // number of each flag
  bool shared_names = false;
  unsigned lm_words = 0;  // short words of local memory that values and constants take
};

struct SearchOptions {
  double tries = 1;          // number of schedules to compare
  double tries_for_one = 0;  // lower limit of that number as long as no plan has been found
  std::uint64_t seed = 1;
  std::size_t limit = 0;  // a plan must have fewer lines than this
};

/// Returns the shortest plan found. The same graph and options give the same plan. Nothing if no plan has fewer than
/// `limit` lines, or if the dependences form a cycle.
[[nodiscard]] std::optional<Plan> search_plan(const SearchGraph& graph, const SearchOptions& options);

/// Lower limit of the number of lines, from dependences and from operations that share a unit; 0 if the dependences
/// form a cycle.
[[nodiscard]] std::size_t least_lines(const SearchGraph& graph);

/// False if least_lines() or a cheaper limit shows that no plan has fewer than `lines` lines; far from these limits
/// true, without the cost of least_lines().
[[nodiscard]] bool may_have_fewer(const SearchGraph& graph, std::size_t lines);

}  // namespace gdr::assembler
