// The body of the j-loop as a pair function in the user's language.
#pragma once

#include <string>

#include "pair_body.h"

namespace gdr::compiler {

struct PairStyle {
  std::string name;
  std::string file;  // as messages name it
  Precision precision = Precision::in_double;
  bool cplusplus = false;
};

/// Records and function, from the start of a line to the end of one.
[[nodiscard]] std::string pair_function_text(const PairBody& body, const clang::ASTContext& context,
                                             const PairStyle& style);

/// Fields of a record in their order; a record without any has one that is 0.
[[nodiscard]] std::vector<const BodyField*> fields_of(const PairBody& body, Record record);

}  // namespace gdr::compiler
