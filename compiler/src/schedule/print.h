// Prints a scheduled kernel as readable assembly source.
#pragma once

#include <string>

#include "microcode/microcode.h"
#include "schedule.h"

namespace gdr::compiler {

struct Scheduled {
  const PairFunction& function;
  const Microcode& code;
  const Schedule& initialization;
  const Schedule& body;
  const Schedule& termination;
};

/// The whole source. `head` is its first comment, a line without `#`.
[[nodiscard]] std::string source_of(const Scheduled& kernel, const std::string& head);

}  // namespace gdr::compiler
