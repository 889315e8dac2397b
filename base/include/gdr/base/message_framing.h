// Messages on a stream of bytes, as editors frame them: the Language Server Protocol and the Debug Adapter Protocol.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gdr::base {

/// Cuts a stream into messages: header lines with `Content-Length: N`, an empty line, N bytes.
class MessageFraming {
 public:
  static constexpr std::size_t kMostHeaderBytes = 4096;
  static constexpr std::size_t kMostMessageBytes = std::size_t{8} << 20;

  void push(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole message; nothing until there is one. Throws gdr::Error for a header without a length, or one beyond
  /// these limits: where the next message begins is then not known.
  [[nodiscard]] std::optional<std::string> next();

 private:
  std::string buffer_;
};

/// A message with its header.
[[nodiscard]] std::string framed(std::string_view content);

}  // namespace gdr::base
