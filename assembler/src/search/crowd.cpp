#include "crowd.h"

#include <algorithm>
#include <functional>

namespace gdr::assembler {

Crowd largest_crowd(std::vector<Use> uses) {
  std::ranges::sort(uses, std::greater{}, &Use::after);
  Crowd largest;
  for (const Use& first : uses) {
    // Of those that may not come before `first`, those with the most lines after them are taken one by one.
    Crowd crowd{first.earliest, 0, 0};
    for (const Use& use : uses) {
      if (use.earliest < first.earliest) continue;
      ++crowd.uses;
      crowd.after = use.after;
      if (crowd.lines() > largest.lines()) largest = crowd;
    }
  }
  return largest;
}

}  // namespace gdr::assembler
