#include "shared_block.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

SharedBlock SharedBlock::create(std::size_t bytes) {
  SharedBlock block;
  block.file_ = memfd_create("gdr-tca", MFD_CLOEXEC);
  if (block.file_ < 0 || ftruncate(block.file_, static_cast<off_t>(bytes)) != 0) {
    throw Error(fmt::format("{} bytes of shared memory are refused: {}", bytes, reason()));
  }
  block.map(block.file_, bytes);
  return block;
}

SharedBlock SharedBlock::open(long process, int file) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
  SharedBlock block;
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) throw Error(fmt::format("{} cannot be shared: {}", path, reason()));
  struct stat found{};
  if (fstat(opened, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size <= 0) {
    ::close(opened);
    throw Error(fmt::format("{} cannot be shared: it is no memory", path));
  }
  try {
    block.map(opened, static_cast<std::size_t>(found.st_size));
  } catch (...) {
    ::close(opened);
    throw;
  }
  ::close(opened);  // the mapping stays
  return block;
}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
  if (this != &other) {
    close();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    file_ = std::exchange(other.file_, -1);
  }
  return *this;
}

void SharedBlock::map(int file, std::size_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) throw Error(fmt::format("{} bytes of shared memory are refused: {}", bytes, reason()));
  data_ = static_cast<std::byte*>(mapped);
  bytes_ = bytes;
}

void SharedBlock::close() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (file_ >= 0) ::close(file_);
  data_ = nullptr;
  file_ = -1;
}

}  // namespace gdr::interconnect
