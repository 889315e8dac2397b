// Live words: those that a later line may read, on some path through the kernel.
#pragma once

#include <array>
#include <bitset>

#include "dataflow.h"

namespace gdr::assembler {

/// Numbered as in dataflow.h.
using Words = std::bitset<kAllWords>;

/// The words live before a line, computed from those live after it.
[[nodiscard]] Words live_before(const CodeLine& line, Words live);

/// Live words at the begin and after the last line of each section.
struct Liveness {
  std::array<Words, isa::kSections> entering;
  std::array<Words, isa::kSections> leaving;
};
/// After loop termination, the results and what the next run reads are live.
[[nodiscard]] Liveness liveness_of(const SectionLines& lines, const isa::Program& program);

}  // namespace gdr::assembler
