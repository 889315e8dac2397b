// Examines which words a loop body's lines use for each vector element: whether the elements are independent, and which
// words are copies where some elements have none of their own.
#pragma once

#include <map>
#include <vector>

#include "line/decoded_program.h"
#include "line/scheduler.h"

namespace gdr::emulator::jit {

/// True if every element does the same on words of its own, and these words follow one another. Lines may use flags
/// only if `with_flags`.
[[nodiscard]] bool elements_are_independent(const std::vector<const DecodedLine*>& lines, bool with_flags);

/// Takes words of the elements after the first CodeTarget::own_elements as copies of words of the last of these. The
/// caller of the compiled function checks that such words are equal, so any choice of copies is right.
class CopiedElements {
 public:
  /// Examines these lines. The schedule must outlive this object.
  CopiedElements(const std::vector<const DecodedLine*>& lines, const simd::Schedule& schedule, unsigned own_elements);

  /// Returns the row that `row` is a copy of. Returns `row` if there is none, or if one of the two words is kept
  /// elsewhere.
  [[nodiscard]] unsigned original(unsigned row) const;
  /// Returns the row of the word that an iteration takes over in place of this one; it may be `row`.
  [[nodiscard]] unsigned taken_over(unsigned row, bool is_long) const;

 private:
  /// False for words that are equal in all PEs, which are kept elsewhere while iterations run.
  [[nodiscard]] bool stands_in_its_row(unsigned row) const;

  const simd::Schedule& schedule_;
  std::map<unsigned, unsigned> copy_of_;  // by row; the first line that names a row decides
};

}  // namespace gdr::emulator::jit
