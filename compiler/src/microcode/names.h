// Unique names for registers and words of local memory.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "microcode.h"

namespace gdr::compiler {

/// The form of a name that can be used in assembly lines, which are ASCII and limited in length.
[[nodiscard]] std::string spelled(const std::string& name);

/// True for names of variables of the source, and of their members, that a debugger can be asked for.
[[nodiscard]] bool is_shown(std::string name);

class Names {
 public:
  explicit Names(const Microcode& code);
  /// Returns `wanted`, changed to a valid name, with a number appended if that name is taken.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace gdr::compiler
