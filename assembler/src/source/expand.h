// From source text to a flat list of statements: comments, definitions, repeat, if, macro, include.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/reporter.h"
#include "syntax.h"

namespace gdr::assembler {

struct ExpandedStatement {
  Statement statement;
  std::string text;                    // after substitution
  Place where;                         // the whole line
  std::vector<std::uint32_t> columns;  // column in the source for each character of `text`, and for its end
  std::string local_name;              // set for a register of one use of a macro: its name in the macro's body

  /// The source position of a span of the statement.
  [[nodiscard]] Place place(const Span& span) const;
};

/// A source after all blocks are expanded. Lines that could not be read are gaps.
struct Expansion {
  struct Gap {
    std::vector<std::string> words;  // names that the line may have been meant to declare
    bool code = false;               // a line of a section
    bool garbage = false;            // true if it is no text of the language, so it could have been meant as anything
  };
  using Entry = std::variant<ExpandedStatement, Gap>;
  std::vector<Entry> entries;
};

/// Expands file 0 of `files`; included files are added to `files`.
[[nodiscard]] Expansion expand(std::vector<SourceFile>& files, const AssembleOptions& options, Reporter& reporter);

}  // namespace gdr::assembler
