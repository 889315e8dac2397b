// Text in C programs that the compiler writes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gdr::compiler {

/// A string literal of C, in quotes, on one line. Every character is one of this text, also in the name of a file.
inline std::string c_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      literal += fmt::format("\\{:03o}", byte);
    } else {
      if (c == '"' || c == '\\') literal += '\\';
      literal += c;
    }
  }
  return literal + '"';
}

}  // namespace gdr::compiler
