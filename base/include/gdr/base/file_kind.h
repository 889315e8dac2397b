// Kinds of files that their first bytes tell, for readers that expect another kind.
#pragma once

#include <string_view>

namespace gdr::base {

struct FileKind {
  std::string_view name;     // with its article
  std::string_view begins;   // with these bytes
  std::string_view way_out;  // for readers of text
  bool holds_numbers;        // as they are, so that some readers take it
};

/// The kind of a file with this content; null for text, and for kinds that are not known here.
[[nodiscard]] const FileKind* file_kind(std::string_view content);

}  // namespace gdr::base
