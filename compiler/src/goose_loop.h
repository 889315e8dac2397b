// A goose loop as the reader hands it on: the pair function to compile, and what the host has to say in the loop's
// place. Nothing here names clang, so that the compiler builds without it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pair_function.h"

namespace gdr::compiler {

/// How the host reads or writes a word of a record: an expression of the user's language.
struct HostWord {
  std::string text;
  bool integer = false;
  bool in_memory = false;  // its address tells whether results and data overlap
};

/// A word that the loop body adds to, or takes the least or greatest of.
struct HostResult {
  HostWord word;
  std::string type;  // as a cast writes it
  Place place;
};

/// Bytes of the user's file.
struct Slice {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct GooseLoop {
  std::string name;  // of the pair function
  Place place;       // of the pragma
  Slice region;      // from the pragma to the end of the loop
  Slice i_header;    // for (...)
  Slice j_header;
  Slice before;  // statements of the i-loop before and behind the j-loop
  Slice after;
  std::string source;  // the user's file with the pair function in it
  std::vector<HostWord> i;
  std::vector<HostWord> j;
  std::vector<HostWord> parameters;
  std::vector<HostResult> results;
  std::vector<HostWord> written;  // by statements before and behind the j-loop, for each i
};

struct GooseRequest {
  std::string file;  // as messages name it
  std::string text;  // what it holds
  bool cplusplus = false;
  std::vector<std::string> arguments;  // for clang
};

struct GooseUnit {
  std::vector<GooseLoop> loops;  // in the order of the file
  std::vector<Message> errors;
  std::string clang;    // what clang says
  bool failed = false;  // clang does not compile the file
};

}  // namespace gdr::compiler
