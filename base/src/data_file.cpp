// Finds the files that come with gdr.
#include "gdr/base/data_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"

namespace gdr::base {

std::vector<std::filesystem::path> data_directories() {
  std::vector<std::filesystem::path> directories;
  if (std::string chosen = environment("GDR_DATA_DIR"); !chosen.empty()) directories.emplace_back(std::move(chosen));
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path around = program.parent_path().parent_path() / "share" / "gdr";
  if (!program.empty() && std::filesystem::is_directory(around, none)) {
    directories.push_back(around);  // an installed tree has all files
    return directories;
  }
  directories.emplace_back(GDR_INSTALLED_DATA_DIR);
#ifdef GDR_SOURCE_DIR
  directories.emplace_back(GDR_SOURCE_DIR);
#endif
  return directories;
}

std::optional<std::filesystem::path> find_data_file(const std::filesystem::path& name) {
  for (const std::filesystem::path& directory : data_directories()) {
    std::error_code none;
    if (std::filesystem::is_regular_file(directory / name, none)) return directory / name;
  }
  return std::nullopt;
}

std::filesystem::path data_file(const std::filesystem::path& name) {
  if (const std::optional<std::filesystem::path> found = find_data_file(name)) return *found;
  std::vector<std::string> looked;
  for (const std::filesystem::path& directory : data_directories()) looked.push_back((directory / name).string());
  throw Error(fmt::format("{} is not found (looked for {})", name.string(), fmt::join(looked, ", ")));
}

}  // namespace gdr::base
