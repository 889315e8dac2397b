// A goose loop as the reader passes it on: the pair function to compile, and what the host does in place of the loop.
// Nothing here refers to clang, so that the compiler builds without it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

/// How the host reads or writes a word of a record: an expression in the user's language.
struct HostWord {
  std::string text;
  bool integer = false;
  bool in_memory = false;  // it has an address, which is used to find out whether results and data overlap
};

/// A word that the loop body adds to, or of which it keeps the least or greatest value.
struct HostResult {
  HostWord word;
  std::string type;  // as written in a cast
  Place place;
};

/// A range of bytes in the user's file.
struct Slice {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct GooseLoop {
  std::string name;  // name of the pair function
  Place place;       // place of the pragma
  Slice region;      // from the pragma to the end of the loop
  Slice i_header;    // for (...)
  Slice j_header;
  Slice before;  // statements of the i-loop before and after the j-loop
  Slice after;
  std::string source;  // the user's file with the pair function in it
  std::vector<HostWord> i;
  std::vector<HostWord> j;
  std::vector<HostWord> parameters;
  std::vector<HostResult> results;
  std::vector<HostWord> written;  // words that statements before and after the j-loop write for each i
};

struct GooseRequest {
  std::string file;  // name of the file in messages
  std::string text;  // its contents
  bool cplusplus = false;
  std::vector<std::string> arguments;  // for clang
};

struct GooseUnit {
  std::vector<GooseLoop> loops;  // in the order of the file
  std::vector<Message> errors;
  std::vector<Message> warnings;
  std::string clang;    // messages of clang
  bool failed = false;  // true if clang rejects the file
};

}  // namespace gdr::compiler
