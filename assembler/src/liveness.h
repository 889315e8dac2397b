// Words that a later line may read, on every way through the kernel.
#pragma once

#include <array>
#include <bitset>

#include "dataflow.h"

namespace gdr::assembler {

/// Numbered as in dataflow.h.
using Words = std::bitset<kAllWords>;

/// Words in use before a line, of those in use behind it.
[[nodiscard]] Words live_before(const CodeLine& line, Words live);

/// At the begin and behind the last line of each section.
struct Liveness {
  std::array<Words, isa::kSections> entering;
  std::array<Words, isa::kSections> leaving;
};
/// Behind loop termination the results are in use, and what the next run reads.
[[nodiscard]] Liveness liveness_of(const SectionLines& lines, const isa::Program& program);

}  // namespace gdr::assembler
