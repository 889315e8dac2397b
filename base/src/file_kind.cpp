#include "gdr/base/file_kind.h"

#include <algorithm>
#include <array>

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

}  // namespace gdr::base
