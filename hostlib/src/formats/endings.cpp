#include "endings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "gdr/base/file_kind.h"

namespace gdr::hostlib {

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending;
}

bool is_of_other_format(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 9> kOthers{".json", ".html", ".parquet", ".feather", ".xlsx",
                                                    ".fit",  ".fits", ".vtk",     ".vtu"};
  return base::is_compressed_name(path) || std::ranges::find(kOthers, ending_of(path)) != kOthers.end();
}

}  // namespace gdr::hostlib
