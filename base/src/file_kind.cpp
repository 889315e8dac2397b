#include "gdr/base/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "gdr/base/error.h"

namespace gdr::base {

using std::string_view_literals::operator""sv;

const FileKind* file_kind(std::string_view content) {
  static constexpr std::array kKinds{
      FileKind{"a file compressed by gzip", "\x1f\x8b"sv, "unpack it with gunzip", false},
      FileKind{"a file compressed by zstd", "\x28\xb5\x2f\xfd"sv, "unpack it with unzstd", false},
      FileKind{"a file compressed by bzip2", "BZh"sv, "unpack it with bunzip2", false},
      FileKind{"a file compressed by xz", "\xfd\x37zXZ"sv, "unpack it with unxz", false},
      FileKind{"UTF-16 text", "\xff\xfe"sv, "save it as UTF-8", false},
      FileKind{"UTF-16 text", "\xfe\xff"sv, "save it as UTF-8", false},
      FileKind{"a FITS file", "SIMPLE  ="sv, "write its table as CSV, with the names of the columns", false},
      FileKind{"a VTK file", "# vtk DataFile"sv, "write its points as CSV, with the names of the columns", false},
      FileKind{"a Parquet file", "PAR1"sv, "write its table as CSV, with the names of the columns", false},
      FileKind{"an HDF5 file", "\x89HDF"sv, "text is expected here", true},
      FileKind{"a zip archive, such as NumPy's .npz", "PK\3\4"sv, "text is expected here", true},
      FileKind{"a NumPy array", "\x93NUMPY"sv, "text is expected here", true},
  };
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const FileKind& kind) { return content.starts_with(kind.begins); });
  return found == kKinds.end() ? nullptr : found;
}

std::string ending_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t dot = name.rfind('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot);
  for (char& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending;
}

bool is_compressed_name(const std::filesystem::path& path) {
  static constexpr std::array kEndings{".gz"sv, ".bz2"sv, ".xz"sv, ".zst"sv, ".zip"sv, ".lz4"sv, ".lzma"sv, ".z"sv};
  return std::ranges::find(kEndings, ending_of(path)) != kEndings.end();
}

void refuse_compressed_name(const std::filesystem::path& output) {
  if (!is_compressed_name(output)) return;
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(output, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  throw Error(fmt::format("{} is refused: its name ends in {}, and outputs are not compressed", output.string(),
                          ending_of(output)));
}

}  // namespace gdr::base
