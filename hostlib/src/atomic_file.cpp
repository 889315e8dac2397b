#include "gdr/hostlib/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "gdr/isa/error.h"

namespace gdr::hostlib {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const char* what, int reason) {
  throw Error(fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(reason != 0 ? reason : EIO)));
}

void write_directly(const fs::path& path, std::string_view bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) refuse(path, "open for writing", errno);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) refuse(path, "write", errno);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  std::error_code ignored;
  const bool exists = fs::exists(path, ignored);
  if (exists && fs::is_directory(path, ignored)) refuse(path, "write", EISDIR);
  if (exists && !fs::is_regular_file(path, ignored)) return write_directly(path, bytes);

  const fs::path target = exists ? fs::canonical(path) : path;
  fs::path partial = target;
  partial += fmt::format(".{}.partial", ::getpid());
  try {
    write_directly(partial, bytes);
    std::error_code reason;
    fs::rename(partial, target, reason);
    if (reason) refuse(target, "replace", reason.value());
  } catch (...) {
    fs::remove(partial, ignored);
    throw;
  }
}

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse(path, "read", EISDIR);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path, "open", errno);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) refuse(path, "read", errno);
  return bytes;
}

}  // namespace gdr::hostlib
