#include "sha256.h"

#include <openssl/evp.h>

#include "gdr/isa/error.h"

namespace gdr::hostlib {

Sha256Digest sha256(std::string_view bytes) {
  Sha256Digest digest{};
  unsigned int length = 0;
  const int ok = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  GDR_ASSERT(ok == 1 && length == kSha256Bytes, "OpenSSL computes SHA-256");
  return digest;
}

std::string to_hex(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace gdr::hostlib
