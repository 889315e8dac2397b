// Origins of a program's lines: uses of macros and iterations of repeats, and the expanded text of each line.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "encode/code.h"

namespace gdr::assembler {

/// Adds to a program the origins that its positions refer to, each once.
class Origins {
 public:
  /// Keeps references to both.
  Origins(const Reporter& reporter, isa::Program& program) : reporter_(reporter), program_(program) {}

  [[nodiscard]] isa::SourcePosition position_of(const Place& place);

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t origin);

  const Reporter& reporter_;
  isa::Program& program_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // by the number that the reporter gave it
};

/// The expanded texts of those lines whose text differs from that in their file, ordered by source position. The lines
/// are those of the source, before the scheduler has moved any operation.
[[nodiscard]] std::vector<isa::ExpandedText> expanded_texts(const SectionCode& code, const Symbols& symbols,
                                                            std::span<const SourceFile> files, Origins& origins);

}  // namespace gdr::assembler
