#include "header_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "clang.h"
#include "gdr/base/digest.h"
#include "gdr/base/environment.h"
#include "gdr/base/own_files.h"
#include "gdr/base/user_cache.h"

namespace gdr::compiler {
namespace {

// An entry is this text, the digest of all that follows, the key, a line for each file that the header was made of, an
// empty line, and the header. The number must change with this layout.
constexpr std::string_view kMagic = "gdr kernel header 1\n";
constexpr std::size_t kDigestDigits = 64;
constexpr const char* kExtension = ".header";
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

// Clang may have failed for a reason of the moment, such as memory.
using Clock = std::filesystem::file_time_type::clock;
constexpr std::chrono::hours kRefusalHolds{24};

std::string digest(std::string_view text) { return base::sha256_hex(std::as_bytes(std::span(text))); }

/// The file that the system starts for `program`; empty if there is none.
std::string file_of_program(const std::string& program) {
  const auto found = [](const std::filesystem::path& path) -> std::string {
    std::error_code none;
    const std::filesystem::path file = std::filesystem::canonical(path, none);
    return !none && std::filesystem::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0 ? file.string()
                                                                                                    : "";
  };
  if (program.find('/') != std::string::npos) return found(program);
  const std::string folders = base::environment("PATH");
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    if (end > at) {
      if (std::string file = found(std::filesystem::path(folders.substr(at, end - at)) / program); !file.empty())
        return file;
    }
    at = end + 1;
  }
  return "";
}

/// Size, time and name of a file or folder, on a line; empty if it is not there.
std::string line_of(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return "";
  return fmt::format("{} {}.{} {}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec, path);
}

/// The files, and the folders that the system's headers were found in, with those above: a folder beside them may be of
/// a newer library, which clang prefers.
std::set<std::string> with_folders(const std::vector<std::string>& files) {
  std::set<std::string> all(files.begin(), files.end());
  for (const std::string& file : files) {
    if (file.starts_with(kernel_headers())) continue;
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    all.insert({folder.string(), folder.parent_path().string()});
  }
  return all;
}

/// Variables by which clang finds other headers, or reads other arguments than those of the command.
bool changed_by_environment() {
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"}) {
    if (!base::environment(name).empty()) return true;
  }
  return false;
}

}  // namespace

bool begins_with_kernel_header(std::string_view source) {
  const auto skip = [&source](std::string_view characters) {
    source.remove_prefix(std::min(source.size(), source.find_first_not_of(characters)));
  };
  const auto skip_word = [&source](std::string_view word) {
    const bool found = source.starts_with(word);
    if (found) source.remove_prefix(word.size());
    return found;
  };
  for (;;) {
    skip(" \t\n\v\f\r");
    const bool is_line = source.starts_with("//");
    if (!is_line && !source.starts_with("/*")) break;
    const std::size_t end = source.find(is_line ? "\n" : "*/", 2);
    if (end == std::string_view::npos || source.substr(0, end).find('\\') != std::string_view::npos) return false;
    source.remove_prefix(end + (is_line ? 1 : 2));
  }
  if (!skip_word("#")) return false;
  skip(" \t");
  if (!skip_word("include")) return false;
  skip(" \t");
  return skip_word("<gdr/kernel.h>");
}

HeaderCache::HeaderCache(const std::vector<std::string>& command)
    : program_(changed_by_environment() ? "" : file_of_program(command.front())) {
  const std::optional<std::filesystem::path> folder = base::user_cache();
  if (!folder || program_.empty() || !kernel_headers().starts_with('/')) return;
  std::string text = fmt::format("{}{}\n", kMagic, GDR_VERSION);
  for (const std::string& argument : command) text += argument + '\n';
  key_ = digest(text + program_);
  path_ = *folder / (key_ + kExtension);
}

std::optional<std::string> HeaderCache::find() const {
  if (path_.empty() || !base::is_private_folder(path_.parent_path())) return std::nullopt;
  std::optional<std::string> entry = base::read_private_file(path_, kMostBytes);
  constexpr std::size_t kHead = kMagic.size() + kDigestDigits;
  if (!entry || entry->size() < kHead || !entry->starts_with(kMagic)) return std::nullopt;
  std::string_view body = std::string_view(*entry).substr(kHead);
  if (std::string_view(*entry).substr(kMagic.size(), kDigestDigits) != digest(body) || !body.starts_with(key_))
    return std::nullopt;
  body.remove_prefix(key_.size());
  while (!body.starts_with('\n')) {
    const std::string_view line = body.substr(0, body.find('\n'));
    const std::size_t name = line.find(' ', line.find(' ') + 1) + 1;
    if (line_of(std::string(line.substr(name))) != line) return std::nullopt;
    body.remove_prefix(line.size() + 1);
  }
  std::error_code none;
  if (body.size() == 1 && std::filesystem::last_write_time(path_, none) + kRefusalHolds < Clock::now())
    return std::nullopt;
  entry->erase(0, entry->size() - body.size() + 1);
  return entry;
}

bool HeaderCache::can_keep() const { return !path_.empty() && base::make_private_folder(path_.parent_path()); }

void HeaderCache::keep(std::string_view header, const std::vector<std::string>& files) const {
  if (!can_keep()) return;
  std::string body = key_ + line_of(program_) + '\n';
  std::set<std::string> all = with_folders(files);
  all.insert(kernel_headers() + "/gdr/kernel.h");
  for (const std::string& file : all) {
    const std::string line = line_of(file);
    if (line.empty() || line.find('\n') != std::string::npos) return;
    body += line + '\n';
  }
  body += '\n';
  body += header;
  try {
    // Written in one step, because other processes may write the same entry.
    base::write_private_file(path_, fmt::format("{}{}{}", kMagic, digest(body), body));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next process makes it again
  }
  base::remove_oldest_entries(path_.parent_path(), kExtension, kMostEntries);
}

void HeaderCache::remove() const {
  std::error_code none;
  if (!path_.empty()) std::filesystem::remove(path_, none);
}

}  // namespace gdr::compiler
