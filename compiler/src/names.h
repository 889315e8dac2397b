// Names of registers and words of local memory, each of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "microcode.h"

namespace gdr::compiler {

/// What of a name stands in lines of the assembler, which are of ASCII and have an end.
[[nodiscard]] std::string spelled(const std::string& name);

class Names {
 public:
  explicit Names(const Microcode& code);
  /// `wanted`, or what is made of it, and a number behind it where it is taken.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace gdr::compiler
