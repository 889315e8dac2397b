// The vector elements of a loop body, by the words that its lines name: whether they are independent, and which words
// are copies where some elements have none of their own.
#pragma once

#include <map>
#include <vector>

#include "decoded_program.h"
#include "simd/scheduler.h"

namespace gdr::emulator::jit {

/// True if each element does the same on words of its own, one behind the other.
[[nodiscard]] bool elements_are_independent(const std::vector<const DecodedLine*>& lines);

/// Words of the elements behind CodeTarget::own_elements, as copies of the words of the last that has its own. Whoever
/// calls the function looks whether the words are the same: any choice is right.
class CopiedElements {
 public:
  /// Of these lines; the schedule must outlive the object.
  CopiedElements(const std::vector<const DecodedLine*>& lines, const simd::Schedule& schedule, unsigned own_elements);

  /// The row whose word this one's is a copy of, or itself if there is none or one of the two has another place.
  [[nodiscard]] unsigned original(unsigned row) const;
  /// The word that a turn takes over in place of this one, which may be itself.
  [[nodiscard]] unsigned taken_over(unsigned row, bool is_long) const;

 private:
  /// False for what is equal in all PEs and has a place of its own while turns run.
  [[nodiscard]] bool stands_in_its_row(unsigned row) const;

  const simd::Schedule& schedule_;
  std::map<unsigned, unsigned> copy_of_;  // by row, of the lines that name it first
};

}  // namespace gdr::emulator::jit
