// What passes between the steps and the library that knows clang. Nothing here refers to clang.
#pragma once

#include <string>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

struct XaccRequest {
  std::string file;                    // name of the file in messages
  std::string text;                    // its contents, or those with the board's calls in place of its loops
  std::vector<std::string> arguments;  // for clang
};

struct XaccUnit {
  std::string source;           // the program with calls in place of the directives; empty if there are errors
  std::vector<Message> errors;  // in the order of the file
  std::string clang;            // messages of clang
  bool failed = false;          // true if clang rejects the file
  bool found = false;           // true if there is a directive of XcalableMP or OpenACC
  bool board = false;           // true if there is a loop for the board
};

}  // namespace gdr::compiler
