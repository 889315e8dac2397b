// Messages on a stream of bytes, framed as in the protocols of editors: the Language Server Protocol and the Debug
// Adapter Protocol.
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
  /// The next complete message; nothing if none has arrived yet. Throws gdr::Error for a header without a length or
  /// beyond these limits, since it is then unknown where the next message begins.
  [[nodiscard]] std::optional<std::string> next();

 private:
  std::string buffer_;
};

/// A message with its header.
[[nodiscard]] std::string framed(std::string_view content);

}  // namespace gdr::base
