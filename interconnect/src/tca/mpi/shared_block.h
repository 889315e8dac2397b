// Memory that processes of one computer share. It is a file without a name: nothing is left behind, however the
// processes end.
#pragma once

#include <cstddef>

namespace gdr::interconnect {

class SharedBlock {
 public:
  SharedBlock() = default;
  /// New memory, zeroed. Throws gdr::Error if the system has none.
  [[nodiscard]] static SharedBlock create(std::size_t bytes);
  /// Memory that another process created and in which its file has this number. Throws gdr::Error if it is gone.
  [[nodiscard]] static SharedBlock open(long process, int file);
  ~SharedBlock() { close(); }
  SharedBlock(SharedBlock&& other) noexcept { *this = static_cast<SharedBlock&&>(other); }
  SharedBlock& operator=(SharedBlock&& other) noexcept;
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The file's number in the process that created it; -1 in others.
  [[nodiscard]] int file() const { return file_; }

 private:
  void map(int file, std::size_t bytes);
  void close();

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace gdr::interconnect
