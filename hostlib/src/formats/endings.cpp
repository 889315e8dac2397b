#include "endings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gdr/base/file_kind.h"

namespace gdr::hostlib {

bool is_of_other_format(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 9> kOthers{".json", ".html", ".parquet", ".feather", ".xlsx",
                                                    ".fit",  ".fits", ".vtk",     ".vtu"};
  return base::is_compressed_name(path) || std::ranges::find(kOthers, base::ending_of(path)) != kOthers.end();
}

}  // namespace gdr::hostlib
