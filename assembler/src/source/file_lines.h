// A source file as lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnostics/reporter.h"

namespace gdr::assembler {

/// Far beyond any line of a kernel.
inline constexpr std::size_t kLongestLine = 1000;
/// Of parentheses, and of macros, repeats and includes.
inline constexpr int kDeepestNesting = 24;

struct SourceLine {
  std::string text;  // without comment and trailing blanks
  std::uint32_t file = 0;
  std::uint32_t number = 0;
};

using BlockLines = std::vector<SourceLine>;

struct FileLines {
  BlockLines lines;                              // without empty ones
  std::vector<std::vector<std::string>> broken;  // names in lines that are no text of the language
};

/// Splits file `file` of the reporter into lines. Lines that are not text are reported and left out; comments that
/// allow warnings are noted in the reporter.
[[nodiscard]] FileLines lines_of(const std::string& text, std::uint32_t file, Reporter& reporter);

}  // namespace gdr::assembler
