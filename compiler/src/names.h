// Names of registers and words of local memory, each of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "microcode.h"

namespace gdr::compiler {

class Names {
 public:
  explicit Names(const Microcode& code);
  /// `wanted`, or what is made of it, and a number behind it where it is taken.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace gdr::compiler
