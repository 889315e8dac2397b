// Kinds of files that their first bytes tell, for readers that expect another kind, and compressed ones that their
// names tell, for writers.
#pragma once

#include <filesystem>
#include <string>
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

/// What the name of a file says of its format: all from the last dot on, in small letters, such as `.csv` of `run.CSV`.
/// Unlike std::filesystem's extension, it is there for a name that is only an ending, too: `.csv` of `.csv`.
[[nodiscard]] std::string ending_of(const std::filesystem::path& path);

/// Whether the name ends as those of compressed files do, such as run.csv.gz.
[[nodiscard]] bool is_compressed_name(const std::filesystem::path& path);

/// Throws gdr::Error if an output has such a name: gdr compresses nothing, and a reader would take the content for
/// damaged. Pipes and devices may have any name: another program may compress what goes into them.
void refuse_compressed_name(const std::filesystem::path& output);

}  // namespace gdr::base
