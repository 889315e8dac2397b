// SHA-256 through OpenSSL.
#include "gdr/base/digest.h"

#include <openssl/evp.h>

#include <array>
#include <tuple>

#include "gdr/base/error.h"

namespace gdr::base {

namespace {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::span<const std::byte> bytes) {
  Digest digest{};
  unsigned size = 0;
  GDR_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
             "SHA-256 is available");
  return digest;
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const unsigned char byte : sha256(bytes)) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256_base64(std::span<const std::byte> bytes) {
  const Digest digest = sha256(bytes);
  std::array<unsigned char, 4 * ((std::tuple_size_v<Digest> + 2) / 3) + 1> text{};  // it ends with a zero byte
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return {text.begin(), text.begin() + length};
}

}  // namespace gdr::base
