// Splits what a compiler or an assembler printed into single diagnostics, which editors show at their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::debugger {

struct ShownDiagnostic {
  std::string text;  // all its lines, with notes and excerpts of the source
  std::string head;  // the line that names the error or the warning; empty for lines before the first one
  std::string file;  // empty if the diagnostic has no place
  std::int64_t line = 0;
  std::int64_t column = 0;
  bool is_error = false;
};

[[nodiscard]] std::vector<ShownDiagnostic> shown_diagnostics(std::string_view text);

}  // namespace gdr::debugger
