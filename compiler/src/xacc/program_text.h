// What a program with directives gets in front and behind: declarations of the runtime, and its arrays' layout.
#pragma once

#include <string>
#include <vector>

#include "layout.h"

namespace gdr::compiler {

struct XaccText {
  const XaccLayout& layout;
  std::vector<unsigned> lines;  // of the directive align, by array
};

/// Stands in front of the user's first line. `file` is the name in messages.
[[nodiscard]] std::string xacc_head(const XaccText& text, const std::string& file);
/// Stands behind the last line.
[[nodiscard]] std::string xacc_tail(const XaccText& text, const std::string& file);

}  // namespace gdr::compiler
