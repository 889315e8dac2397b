// SHA-256 through OpenSSL.
#include "gdr/base/digest.h"

#include <openssl/evp.h>

#include <array>

#include "gdr/base/error.h"

namespace gdr::base {

std::string sha256_hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  GDR_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
             "SHA-256 is available");
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace gdr::base
