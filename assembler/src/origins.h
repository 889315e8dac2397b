// Where a program's lines come from: uses of macros and turns of repeats, and the text that each line stands for.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "code.h"

namespace gdr::assembler {

/// Enters into a program the origins that its positions name, each once.
class Origins {
 public:
  /// Keeps references to both.
  Origins(const Reporter& reporter, isa::Program& program) : reporter_(reporter), program_(program) {}

  [[nodiscard]] isa::SourcePosition position_of(const Place& place);

 private:
  [[nodiscard]] std::uint32_t number_of(std::uint32_t origin);

  const Reporter& reporter_;
  isa::Program& program_;
  std::map<std::uint32_t, std::uint32_t> numbers_;  // by the reporter's
};

/// The texts of lines that differ from what stands in their files, in the order of their places. The lines are those of
/// the source, before any operation has moved.
[[nodiscard]] std::vector<isa::ExpandedText> expanded_texts(const SectionCode& code, const Symbols& symbols,
                                                            std::span<const SourceFile> files, Origins& origins);

}  // namespace gdr::assembler
