// Numbers and places are those of PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
#include "zip.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "bytes.h"
#include "gdr/base/error.h"
#include "unpack.h"

namespace gdr::hostlib {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kCentralEnd = 0x06054b50;
constexpr std::string_view kCentralEndMark("PK\5\6", 4);
constexpr std::size_t kCentralEndBytes = 22;
constexpr std::uint16_t kVersionToRead = 20;  // 2.0, the oldest that readers know with folders
constexpr std::uint16_t kStored = 0;          // methods
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;          // bit of the flags
constexpr std::uint16_t kZip64 = 1;              // tag of the extra field with sizes of 64 bits
constexpr std::uint32_t kIn64Bits = 0xffffffff;  // in place of a size that stands there
constexpr std::uint16_t kDate1980 = 0x21;        // 1 January 1980, counted from year 0 of this format

std::uint32_t zip_crc(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
      std::uint32_t rest = byte;
      constexpr std::uint32_t kPolynomial = 0xedb88320;  // section 4.4.7, the bits turned round
      for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? (rest >> 1) ^ kPolynomial : rest >> 1;
      table[byte] = rest;
    }
    return table;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

struct CentralEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t stored = 0;  // bytes in the archive
  std::uint64_t size = 0;
  std::uint64_t header_at = 0;
};

CentralEntry central_entry(ByteReader& in, const std::string& file) {
  if (in.number<std::uint32_t>() != kCentralHeader) in.refuse("the archive's directory is damaged");
  CentralEntry entry;
  (void)in.take(4);  // versions
  entry.flags = in.number<std::uint16_t>();
  entry.method = in.number<std::uint16_t>();
  (void)in.take(4);  // time and date
  entry.crc = in.number<std::uint32_t>();
  entry.stored = in.number<std::uint32_t>();
  entry.size = in.number<std::uint32_t>();
  const auto name_bytes = in.number<std::uint16_t>();
  const auto extra_bytes = in.number<std::uint16_t>();
  const auto comment_bytes = in.number<std::uint16_t>();
  (void)in.take(8);  // disk, attributes
  entry.header_at = in.number<std::uint32_t>();
  entry.name = in.take(name_bytes);
  ByteReader extra(in.take(extra_bytes), std::endian::little, file);
  (void)in.take(comment_bytes);
  while (extra.left() > 0) {
    const auto tag = extra.number<std::uint16_t>();
    const auto bytes = extra.number<std::uint16_t>();
    ByteReader field(extra.take(bytes), std::endian::little, file);
    if (tag != kZip64) continue;
    // In this order, those that did not fit.
    for (std::uint64_t* value : {&entry.size, &entry.stored, &entry.header_at}) {
      if (*value == kIn64Bits) *value = field.number<std::uint64_t>();
    }
  }
  return entry;
}

std::string bytes_of(std::string_view archive, const CentralEntry& entry, const std::string& file) {
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("{}: member {}: {}", file, entry.name, why));
  };
  if ((entry.flags & kEncrypted) != 0) refuse("is encrypted");
  if (entry.method != kStored && entry.method != kDeflated) {
    refuse(fmt::format("is compressed by method {}: save it by numpy.savez or numpy.savez_compressed", entry.method));
  }
  ByteReader in(archive, std::endian::little, file);
  const bool fits = entry.method == kDeflated || entry.stored == entry.size;
  if (!fits || entry.header_at > archive.size()) refuse("its sizes do not fit the archive");
  in.go_to(entry.header_at);
  if (in.number<std::uint32_t>() != kLocalHeader) refuse("there is no header where the archive's directory says");
  (void)in.take(22);  // what the directory has, too
  const auto name_bytes = in.number<std::uint16_t>();
  const auto extra_bytes = in.number<std::uint16_t>();
  (void)in.take(std::size_t{name_bytes} + extra_bytes);
  if (entry.stored > in.left()) refuse("the archive ends within it");
  const std::string_view stored = in.take(entry.stored);
  std::string bytes = entry.method == kStored ? std::string(stored)
                                              : unpacked(stored, Wrapping::none, entry.size,
                                                         fmt::format("{}: member {}", file, entry.name));
  if (zip_crc(bytes) != entry.crc) refuse("its CRC-32 is another one: the file is damaged");
  return bytes;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> zip_members(std::string_view archive, const std::string& file) {
  const std::size_t end_at = archive.rfind(kCentralEndMark);
  if (end_at == std::string_view::npos || archive.size() - end_at < kCentralEndBytes) {
    throw Error(fmt::format("{}: the zip archive has no directory at its end: is it cut off?", file));
  }
  ByteReader end(archive, std::endian::little, file);
  end.go_to(end_at + 10);
  const auto count = end.number<std::uint16_t>();
  (void)end.take(4);  // bytes of the directory
  const auto directory_at = end.number<std::uint32_t>();
  ByteReader directory(archive, std::endian::little, file);
  directory.go_to(directory_at);
  std::vector<std::pair<std::string, std::string>> members;
  std::uint64_t left = archive.size();  // members that share bytes would make much of a small file
  for (unsigned n = 0; n < count; ++n) {
    const CentralEntry entry = central_entry(directory, file);
    if (entry.stored > left) directory.refuse("the members have more bytes than the archive");
    left -= entry.stored;
    members.emplace_back(entry.name, bytes_of(archive, entry, file));
  }
  return members;
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive;
  std::string directory;
  const auto append_common = [](std::string& to, const std::string& name, const std::string& bytes) {
    append_number(to, kVersionToRead);
    append_number(to, std::uint32_t{0});  // flags, method: stored
    append_number(to, std::uint16_t{0});  // midnight
    append_number(to, kDate1980);
    append_number(to, zip_crc(bytes));
    append_number(to, static_cast<std::uint32_t>(bytes.size()));
    append_number(to, static_cast<std::uint32_t>(bytes.size()));
    append_number(to, static_cast<std::uint16_t>(name.size()));
    append_number(to, std::uint16_t{0});  // extra fields
  };
  for (const auto& [name, bytes] : members) {
    if (bytes.size() + archive.size() + directory.size() >= kIn64Bits) {
      throw Error("the numbers do not fit a zip archive, which holds less than 4 GiB: choose npy");
    }
    append_number(directory, kCentralHeader);
    append_number(directory, kVersionToRead);  // made by
    append_common(directory, name, bytes);
    append_number(directory, std::uint32_t{0});  // comment, disk
    append_number(directory, std::uint16_t{0});  // attributes, three fields
    append_number(directory, std::uint32_t{0});
    append_number(directory, static_cast<std::uint32_t>(archive.size()));
    directory += name;
    append_number(archive, kLocalHeader);
    append_common(archive, name, bytes);
    archive += name + bytes;
  }
  const auto begin = static_cast<std::uint32_t>(archive.size());
  const auto count = static_cast<std::uint16_t>(members.size());
  archive += directory;
  append_number(archive, kCentralEnd);
  append_number(archive, std::uint32_t{0});  // disks
  append_number(archive, count);             // on this disk, and in all
  append_number(archive, count);
  append_number(archive, static_cast<std::uint32_t>(directory.size()));
  append_number(archive, begin);
  append_number(archive, std::uint16_t{0});  // comment
  return archive;
}

}  // namespace gdr::hostlib
