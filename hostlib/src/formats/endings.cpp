#include "endings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gdr::hostlib {

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending;
}

bool is_of_other_format(const std::string& ending) {
  constexpr std::array<std::string_view, 14> kOthers{".gz",      ".bz2",     ".xz",   ".zst", ".zip",  ".json", ".html",
                                                     ".parquet", ".feather", ".xlsx", ".fit", ".fits", ".vtk",  ".vtu"};
  return std::ranges::find(kOthers, ending) != kOthers.end();
}

}  // namespace gdr::hostlib
