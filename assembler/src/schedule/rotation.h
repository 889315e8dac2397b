// The rotated body of a pipelined loop (pipeline.h) with one operation on each line, from which the search for few
// lines then makes a short one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bundles.h"
#include "free_values.h"

namespace gdr::assembler {

/// A line without a text of its own.
[[nodiscard]] CodeLine made_line(isa::Line line, const Place& where);

/// A line that sets the flag of all elements to a condition on zero: `zero` sets the flag, `negative` clears it.
/// `jvalid`: only in blocks that have a record.
[[nodiscard]] CodeLine flag_line(unsigned flag, isa::Condition condition, bool jvalid, const Place& where);

/// The numbers of the two flags of a pipelined loop.
struct PipelineFlags {
  unsigned turned = 0;  // there was an iteration before
  unsigned valid = 0;   // the last iteration had a record
};

struct Rotation {
  std::vector<CodeLine> lines;  // a long product is on two of them
  std::size_t second = 0;       // number of lines of the second stage, which come first
  std::size_t set = 0;          // index of the line that sets `turned`; the one before it sets `valid`

  /// True if the second stage can be skipped: its writes can take one more condition, and it has no other effects.
  [[nodiscard]] bool can_wait() const;
};

/// The bundles that are in the second stage. What depends on one of them is there, too.
using Cut = std::vector<bool>;

/// Cuts a body, and rotates it.
class Rotator {
 public:
  /// Keeps a reference to `section`.
  Rotator(const FreeSection& section, PipelineFlags flags);

  /// All cuts by the earliest and by the latest line that a bundle can be on.
  [[nodiscard]] std::vector<Cut> cuts() const;

  /// The body rotated at a cut. `copies`: where the values that both stages read are copied for the second one; none:
  /// no copies, they keep a place of their own. Nothing if a value finds no place, or if the second stage has effects
  /// that cannot be skipped.
  [[nodiscard]] std::optional<Rotation> rotated(const Cut& second, Way copies) const;

 private:
  void find_order();
  [[nodiscard]] std::size_t first_of(std::size_t bundle) const;

  const FreeSection& section_;
  PipelineFlags flags_;
  BundleGraph bundles_;
  std::vector<std::size_t> order_;      // of bundles: each after those it waits for, otherwise as in the source
  std::vector<std::ptrdiff_t> levels_;  // for each bundle the first line that it can be on
};

}  // namespace gdr::assembler
