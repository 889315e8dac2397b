// Reading and atomic writing of whole files.
#include "gdr/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "gdr/base/error.h"

namespace gdr::base {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(errno)));
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(descriptor, content.data(), content.size());
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Pipes, terminals and other devices cannot be replaced.
void write_in_place(const std::filesystem::path& path, std::string_view content) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "written");
  const bool written = write_all(descriptor, content);
  if (close(descriptor) != 0 || !written) fail(path, "written");
}

void replace(const std::filesystem::path& path, std::string_view content) {
  std::string temporary = path.string() + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) fail(path, "written");
  const mode_t mask = umask(0);
  umask(mask);
  const bool written = write_all(descriptor, content) && fchmod(descriptor, 0666 & ~mask) == 0;
  if (close(descriptor) != 0 || !written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    fail(path, "written");
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    errno = EISDIR;
    fail(path, "read");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "read");
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) fail(path, "read");
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code none;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)) {
    write_in_place(path, content);
    return;
  }
  // A link keeps being one: its target is replaced.
  const std::filesystem::path target = std::filesystem::exists(path, none) ? std::filesystem::canonical(path) : path;
  replace(target, content);
}

}  // namespace gdr::base
