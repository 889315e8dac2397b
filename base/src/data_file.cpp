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
#include "gdr/base/plugin.h"

namespace gdr::base {
namespace {

/// The data of the installed tree that the code is in; empty if it is in none. The code is in PREFIX/bin, in a library
/// below PREFIX/lib, or in a module of Python, PREFIX/lib/python3/dist-packages/grapedr at most.
std::filesystem::path installed_tree() {
  constexpr int kDeepest = 5;
  std::filesystem::path folder = own_file().parent_path();
  for (int level = 0; level < kDeepest && folder.has_relative_path(); ++level) {
    folder = folder.parent_path();
    std::error_code none;
    if (std::filesystem::path data = folder / "share" / "gdr"; std::filesystem::is_directory(data, none)) return data;
  }
  return {};
}

}  // namespace

std::vector<std::filesystem::path> data_directories() {
  std::vector<std::filesystem::path> directories;
  if (std::string chosen = environment("GDR_DATA_DIR"); !chosen.empty()) directories.emplace_back(std::move(chosen));
  if (std::filesystem::path installed = installed_tree(); !installed.empty()) {
    directories.push_back(std::move(installed));  // it has all files
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
