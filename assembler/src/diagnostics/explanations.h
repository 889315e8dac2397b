// Long texts of the diagnostics, for explain() and for the test that each example gives its own diagnostic.
#pragma once

#include <span>
#include <string_view>

#include "codes.h"

namespace gdr::assembler {

/// A diagnostic with its long text. The source `wrong` causes the diagnostic, the source `right` does not; in both the
/// `kernel` line may be left out.
struct Explanation {
  Code code;
  std::string_view title;
  std::string_view text;
  std::string_view wrong;
  std::string_view right;
};

[[nodiscard]] std::span<const Explanation> explanations();

}  // namespace gdr::assembler
