// Any bytes as an object file, its checksum mended so that what is behind it is reached: refused by gdr::Error, or a
// program that is written back as it was read, and that listing, stubs and disassembler take.
#include <algorithm>
#include <span>
#include <vector>

#include "fuzz.h"
#include "gdr/assembler/disassemble.h"
#include "gdr/assembler/listing.h"
#include "gdr/assembler/stubs.h"
#include "gdr/base/digest.h"
#include "gdr/isa/program.h"

namespace {

constexpr std::size_t kDigestBytes = 64;

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// The checksum is the first run of 64 hexadecimal digits; it counts itself as zeros.
std::string with_checksum(std::string file) {
  std::size_t run = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    run = is_digit(file[at]) ? run + 1 : 0;
    if (run < kDigestBytes) continue;
    const std::size_t begin = at + 1 - kDigestBytes;
    std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(begin), kDigestBytes, '\0');
    return file.replace(begin, kDigestBytes, gdr::base::sha256_hex(std::as_bytes(std::span(file))));
  }
  return file;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  const std::string file = with_checksum(std::string(fuzz::text_of(data, size)));
  isa::Program program;
  if (fuzz::refuses([&] { program = isa::deserialize(std::as_bytes(std::span(file)), "fuzz.gdro"); })) return 0;
  FUZZ_HOLDS(isa::deserialize(isa::serialize(program), "again.gdro") == program);
  static_cast<void>(assembler::listing(program));
  static_cast<void>(assembler::generate_stubs(program));
  static_cast<void>(assembler::disassemble(program));
  return 0;
}
