// The search for few lines: operations onto lines, and each result into T, registers or local memory, wherever its
// readers find it. Who has operations says what they take, read and wait for; what they mean is not known here. It
// serves sources with `--schedule=full` and compiled functions alike. That a plan is legal is proved of its lines, not
// of it.
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

/// Where a reader finds a word. `own`: through the port that belongs to it, where it stands.
enum class Way : std::uint8_t { none, t, gpr, lm, own };

/// What a line reads through, besides T.
enum class Port : std::uint8_t { none, gpr, lm, bm, immediate };

/// A port and what goes through it: equal keys, below 2^20, share one.
struct PortKey {
  Port port = Port::none;
  int key = 0;
};

/// What an operation reads: a value, a constant, or what keeps its place. -1 stands for none.
struct SearchInput {
  int value = -1;
  int component = -1;  // of the value, which every element reads; -1: each element its own
  int constant = -1;
  PortKey stays;
};

/// Operations that take one line, of one unit; a long product is two of them in a bundle.
struct SearchOperation {
  isa::Unit unit = isa::Unit::none;
  unsigned units = 0;        // that it occupies, a bit for each
  int sequencer = 0;         // vector length and mask: lines have one
  unsigned input_lines = 1;  // 2: the line behind it reads the same inputs (a long product's first line)
  std::array<SearchInput, 2> inputs;
  PortKey moves;          // what it moves or stores through broadcast memory's port
  int result = -1;        // the value
  bool writes_t = false;  // besides the value: what keeps its place
  bool writes_gpr = false;
  bool writes_lm = false;
  int tenancy_read = -1;  // of T
  int tenancy_written = -1;
  unsigned flags_kept = 0;        // flags that it sets and that keep their numbers, a bit for each
  int flag_set = -1;              // of SearchGraph::flags
  std::vector<int> flags_used{};  // read, or set anew; as often as it does
};

struct SearchValue {
  std::size_t operation = 0;  // whose result it is
  isa::Width width = isa::Width::short_word;
  unsigned elements = isa::kVectorElements;
  int base = -1;                     // the value that it overwrites where its condition holds: both have one place
  std::vector<std::size_t> readers;  // operations, each once

  /// Short words that it takes in a register or in local memory.
  [[nodiscard]] unsigned words() const { return elements * isa::short_words(width); }
};

/// A number or a parameter: `own` is its port; a copy of it may stand in a register or in local memory.
struct SearchConstant {
  PortKey own;
  isa::Width width = isa::Width::short_word;
};

/// What T holds for accesses that stay with T: from the first write on until the last read.
struct Tenancy {
  unsigned accesses = 0;    // operations that write or read it, twice those that do both
  bool from_entry = false;  // T comes with it into the section
  bool to_end = false;      // the section leaves it in T
};

/// Operations that keep their places to each other: the two lines of a long product, and operations of one line each of
/// which reads what the next writes, all the way round.
struct Bundle {
  struct Member {
    std::size_t operation = 0;
    std::size_t offset = 0;  // lines behind the bundle's first
  };
  std::vector<Member> members;
  std::size_t earliest = 0;
};

/// Between bundles; `lines` may be negative where a long product's second line is what waits.
struct Edge {
  std::size_t to = 0;
  std::ptrdiff_t lines = 0;
};

/// Bundles and what waits for what.
struct BundleGraph {
  std::vector<Bundle> bundles;
  std::vector<std::vector<Edge>> edges;  // from each bundle

  /// Of each bundle, from how many others it waits.
  [[nodiscard]] std::vector<unsigned> predecessors() const;
  /// Lines of the longest way from each bundle to the section's end; nothing if bundles wait for themselves.
  [[nodiscard]] std::optional<std::vector<std::ptrdiff_t>> ways() const;
};

/// An access that another turn or the next section may meet.
struct EndAccess {
  std::size_t operation = 0;
  std::size_t word = 0;
  int latency = 0;  // of a write; 0: a read
};

inline constexpr int kNeverRead = std::numeric_limits<int>::max();

struct SearchGraph {
  std::vector<SearchOperation> operations;
  std::vector<SearchValue> values;
  std::vector<SearchConstant> constants;
  std::vector<Tenancy> tenancies;
  BundleGraph bundles;
  std::size_t flags = 0;               // to be numbered, in the order of the source
  std::vector<unsigned> flag_numbers;  // that they may have
  std::vector<bool> gpr_taken;         // short words of registers that are in use throughout
  std::vector<bool> lm_taken;          // of local memory
  bool values_in_lm = true;            // local memory may have values
  /// Local memory is handed out by name, not by address: words of one width share a name for good, and only if there
  /// are too few for one each.
  bool lm_by_name = false;
  bool constants_move = false;  // there may be copies of constants
  bool repeats = false;         // the section's end runs before its begin
  std::vector<EndAccess> ends;  // of the operations
  std::vector<int> first_read;  // of each word, lines behind the section's end
};

/// What is decided of a value. `gpr` and `lm` tell whether it stands there from its line on; `*_until` is the last line
/// that reads it there, of values that share a place that of the first.
struct PlacedValue {
  int line = -1;  // of its operation; -1: not placed
  int gpr = 0;
  int lm = 0;
  int t = 0;  // written to T
  int gpr_until = 0;
  int lm_until = 0;
  int readers_left = 0;
  int in_t_alone = 0;
};

struct PlacedOperation {
  int line = -1;
  std::array<int, 2> ways{};  // Way of each input
};

struct Plan {
  std::size_t lines = 0;
  std::vector<PlacedOperation> operations;
  std::vector<PlacedValue> values;
  std::vector<unsigned> gpr;   // address of each value in registers, if it stands there
  std::vector<unsigned> lm;    // in local memory; with `lm_by_name` the number of its name among those of its width
  std::vector<int> constants;  // Way of each one's copy; none: there is no copy
  std::vector<unsigned> constant_addresses;  // of copies in registers
  std::vector<unsigned> flags;               // number of each
  bool shared_names = false;
  unsigned lm_words = 0;  // short words of local memory that values and constants take
};

struct SearchOptions {
  double tries = 1;          // schedules to compare
  double tries_for_one = 0;  // at least, as long as there is no plan
  std::uint64_t seed = 1;
  std::size_t limit = 0;  // a plan has fewer lines
};

/// The shortest plan found; the same graph and options give the same one. Nothing if none has fewer than `limit` lines,
/// or bundles wait for themselves.
[[nodiscard]] std::optional<Plan> search_plan(const SearchGraph& graph, const SearchOptions& options);

/// Lines that units and the longest chain leave no way around; 0 if bundles wait for themselves.
[[nodiscard]] std::size_t least_lines(const SearchGraph& graph);

}  // namespace gdr::assembler
