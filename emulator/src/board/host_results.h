// Results of a run on the host, which adds those of chips and then those of boards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gdr/emulator/counters.h"
#include "gdr/emulator/events.h"
#include "transfer.h"

namespace gdr::emulator {

/// The results of a program in groups that the host combines at once.
///
/// A number with a floating-point reduction is converted to a double when it arrives. Everything else stays a word, as
/// in the ring, and is converted once all are combined: so the results do not depend on the number of chips, and an
/// integer saturates once, if the sum of all chips is beyond 64 bits.
class ResultGroups {
 public:
  /// `out` are the entries of the results of `program`; both must outlive this object.
  ResultGroups(const isa::Program& program, std::span<const Entry> out);

  /// Results by group: [group][i-particle and field of the group]. A group has either numbers or words.
  struct Values {
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<LongWord>> words;
  };
  /// The values of a chip's or a board's words, shape [i-particle][field].
  [[nodiscard]] Values values_of(std::span<const LongWord> words, ConversionEvents& events) const;
  /// Combines `more` into `sums`, in place; results without a reduction keep their values. `place` is the junction. Its
  /// events are added to `events` and `first`.
  void combine(Values& sums, const Values& more, JunctionEvent place, FpEvents& events,
               FirstJunctionEvents& first) const;
  /// The host's fields, shape [i-particle][field].
  [[nodiscard]] std::vector<std::uint64_t> fields_of(const Values& values, ConversionEvents& events) const;

 private:
  /// Fields of one operation and one width.
  struct Group {
    std::optional<isa::Op> reduction;
    Width width = Width::long_word;  // of words
    bool floating = false;           // combined as doubles
    std::vector<std::size_t> fields;
  };
  [[nodiscard]] std::size_t variable_of(std::size_t field) const;

  const isa::Program& program_;
  std::span<const Entry> out_;
  std::vector<Group> groups_;
};

}  // namespace gdr::emulator
