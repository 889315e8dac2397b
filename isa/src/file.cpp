// Reading and atomic writing of whole files.
#include "gdr/isa/file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "gdr/isa/error.h"

namespace gdr::isa {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(errno)));
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
  std::string temporary = path.string() + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) fail(path, "written");
  bool written = true;
  while (!content.empty() && written) {
    const ssize_t count = write(descriptor, content.data(), content.size());
    written = count >= 0;
    if (written) content.remove_prefix(static_cast<std::size_t>(count));
  }
  const mode_t mask = umask(0);
  umask(mask);
  written = written && fchmod(descriptor, 0666 & ~mask) == 0;
  written = close(descriptor) == 0 && written;
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    fail(path, "written");
  }
}

}  // namespace gdr::isa
