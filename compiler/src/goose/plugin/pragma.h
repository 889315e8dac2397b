// The directive: #pragma goose parallel for loopcounter(i, j) precision("double") result(ax[i], pot[i]).
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <string>
#include <vector>

namespace gdr::compiler {

enum class Precision : std::uint8_t { in_double, in_single, mixed };

/// One of the results that a directive names: words and punctuation, such as a [ i ] [ 0 .. 2 ]. Or one of the
/// variables of its clause private.
struct NamedVariable {
  clang::SourceLocation where;
  std::vector<std::string> words;
  std::string text;
};

struct Directive {
  clang::SourceLocation where;  // of the word goose
  clang::SourceLocation end;    // of the line, continuations included
  std::string i;
  std::string j;
  Precision precision = Precision::in_double;
  bool names_results = false;
  std::vector<NamedVariable> results;
  std::vector<NamedVariable> privates;
  bool wrong = false;  // told already
};

using Refuse = std::function<void(clang::SourceLocation, std::string)>;

/// Has the preprocessor put the directives of the main file into `found`, which must outlive it.
void watch_directives(clang::Preprocessor& preprocessor, std::vector<Directive>& found, const Refuse& refuse);

}  // namespace gdr::compiler
