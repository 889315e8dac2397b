// Numbers in binary files of either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "gdr/base/error.h"

namespace gdr::hostlib {

/// Reads numbers one after the other, and refuses what lies beyond the end.
class ByteReader {
 public:
  /// `file` is the name in messages.
  ByteReader(std::string_view bytes, std::endian order, std::string file)
      : bytes_(bytes), order_(order), file_(std::move(file)) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  void go_to(std::size_t at) {
    if (at > bytes_.size()) refuse("the file ends too early");
    at_ = at;
  }
  [[nodiscard]] std::string_view take(std::size_t count) {
    if (count > left()) refuse("the file ends too early");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  template <class Number>
  [[nodiscard]] Number number() {
    return number_in<Number>(take(sizeof(Number)), order_);
  }
  /// Throws gdr::Error `FILE: byte N: WHY`.
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(file_ + ": byte " + std::to_string(at_) + ": " + std::string(why));
  }

  template <class Number>
  [[nodiscard]] static Number number_in(std::string_view bytes, std::endian order) {
    char held[sizeof(Number)];
    for (std::size_t k = 0; k < sizeof(Number); ++k) {
      held[k] = bytes[order == std::endian::native ? k : sizeof(Number) - 1 - k];
    }
    Number value;
    std::memcpy(&value, held, sizeof(Number));
    return value;
  }

 private:
  std::string_view bytes_;
  std::endian order_;
  std::string file_;
  std::size_t at_ = 0;
};

/// Appends a number, least significant byte first.
template <class Number>
void append_number(std::string& bytes, Number value) {
  char held[sizeof(Number)];
  std::memcpy(held, &value, sizeof(Number));
  for (std::size_t k = 0; k < sizeof(Number); ++k) {
    bytes += held[std::endian::native == std::endian::little ? k : sizeof(Number) - 1 - k];
  }
}

}  // namespace gdr::hostlib
