#include "gdr/base/user_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "gdr/base/environment.h"

namespace gdr::base {
namespace {

constexpr std::size_t kDigits = 64;  // of SHA-256

bool belongs_to_user(const struct stat& about) {
  return about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_entry(const std::filesystem::path& path, std::string_view extension) {
  const std::string name = path.stem().string();
  return path.extension().string() == extension && name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::optional<std::filesystem::path> user_cache() {
  const auto absolute = [](const std::string& name) { return !name.empty() && name.front() == '/'; };
  const std::string chosen = environment("GDR_CACHE_DIR");
  if (!chosen.empty()) return chosen;
  const std::string cache = environment("XDG_CACHE_HOME");
  if (absolute(cache)) return std::filesystem::path(cache) / "gdr";
  const std::string home = environment("HOME");
  if (absolute(home)) return std::filesystem::path(home) / ".cache" / "gdr";
  return std::nullopt;
}

bool is_private_folder(const std::filesystem::path& folder) {
  struct stat about{};
  return lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && belongs_to_user(about);
}

bool make_private_folder(const std::filesystem::path& folder) {
  std::error_code none;
  std::filesystem::create_directories(folder.parent_path(), none);
  mkdir(folder.c_str(), S_IRWXU);
  return is_private_folder(folder) && access(folder.c_str(), R_OK | W_OK | X_OK) == 0;
}

std::optional<std::string> read_private_file(const std::filesystem::path& path, std::uint64_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::optional<std::string> content;
  struct stat about{};
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && belongs_to_user(about) &&
      static_cast<std::uint64_t>(about.st_size) <= most) {
    content.emplace(static_cast<std::size_t>(about.st_size), '\0');
    std::size_t have = 0;
    while (have < content->size()) {
      const ssize_t got = read(file, content->data() + have, content->size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    if (have != content->size()) content.reset();
  }
  close(file);
  return content;
}

void remove_oldest_entries(const std::filesystem::path& folder, std::string_view extension, std::size_t most) {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> entries;
  std::error_code none;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, none)) {
    std::error_code gone;
    if (!is_entry(entry.path(), extension)) continue;
    const std::filesystem::file_time_type written = entry.last_write_time(gone);
    if (!gone) entries.emplace_back(written, entry.path());
  }
  if (entries.size() <= most) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t n = 0; n < entries.size() - most; ++n) {
    std::error_code gone;
    std::filesystem::remove(entries[n].second, gone);
  }
}

}  // namespace gdr::base
