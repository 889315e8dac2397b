#include "included_file.h"

#include <fmt/format.h>

#include <vector>

#include "gdr/base/data_file.h"
#include "source_limits.h"
#include "source_text.h"

namespace gdr::assembler {

std::filesystem::path identity_of(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, none);
  return none ? path : canonical;
}

std::optional<std::filesystem::path> find_included(const std::string& name, const std::filesystem::path& including,
                                                   const AssembleOptions& options, const Place& where,
                                                   Reporter& reporter) {
  std::vector<std::filesystem::path> places{including.parent_path() / name};
  for (const std::filesystem::path& directory : options.include_directories) places.push_back(directory / name);
  for (const std::filesystem::path& path : places) {
    if (options.unsaved.contains(identity_of(path))) return path;
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    if (!std::filesystem::exists(status)) continue;
    if (!std::filesystem::is_regular_file(status)) {
      reporter.error(Code::include, where, fmt::format("'{}' is no regular file", path.string()));
      return std::nullopt;
    }
    if (const auto bytes = std::filesystem::file_size(path, none); !none && bytes > kMostSourceBytes) {
      reporter.error(Code::include, where,
                     fmt::format("'{}' has {} bytes, more than {}", path.string(), bytes, kMostSourceBytes));
      return std::nullopt;
    }
    return path;
  }
  const std::filesystem::path plain(name);
  if (plain.filename() == plain) {
    if (const auto own = base::find_data_file(kMacros / plain)) return own;
  }
  std::vector<std::string> looked;
  for (const std::filesystem::path& path : places) looked.push_back(path.string());
  reporter.error(Code::include, where, fmt::format("'{}' is not found; looked for {}", name, quoted_list(looked)));
  return std::nullopt;
}

}  // namespace gdr::assembler
