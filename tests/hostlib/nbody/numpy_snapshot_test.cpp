// Snapshots in NumPy's arrays and archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "foreign_snapshots.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

using testing::Bytes;
using testing::error_of;
using ::testing::HasSubstr;
using testing::ScratchDirectory;

std::string bytes_of_npy(const std::string& dictionary, const std::vector<double>& numbers) {
  std::string head = dictionary;
  head.append(63 - (10 + head.size()) % 64, ' ');
  Bytes out;
  out.text("\x93NUMPY\1").text(std::string(1, '\0')).add(static_cast<std::uint16_t>(head.size() + 1)).text(head + '\n');
  for (const double value : numbers) out.add(value);
  return out.str();
}

TEST(SnapshotKinds, RowsOfSevenNumbersInNumPysArraysAreRead) {
  const std::string in_rows = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 7), }";
  const std::string in_columns = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 7), }";
  const std::vector<double> rows{0.5, 1, 2, 3, 4, 5, 6, 0.25, -1, -2, -3, -4, -5, -6};
  const std::vector<double> columns{0.5, 0.25, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6};
  const ScratchDirectory directory;
  for (const std::string& content : {bytes_of_npy(in_rows, rows), bytes_of_npy(in_columns, columns)}) {
    base::write_file(directory / "in", content);
    const Particles particles = read_snapshot(directory / "in").particles;
    EXPECT_EQ(particles.mass, (std::vector<double>{0.5, 0.25}));
    EXPECT_EQ(particles.position[1], (Vec3{-1, -2, -3}));
    EXPECT_EQ(particles.velocity[0], (Vec3{4, 5, 6}));
  }
  const auto refusal = [&](const std::string& dictionary, std::size_t numbers) {
    base::write_file(directory / "in", bytes_of_npy(dictionary, std::vector<double>(numbers)));
    return error_of([&] { (void)load_snapshot(directory / "in"); });
  };
  EXPECT_THAT(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 6), }", 12),
              HasSubstr("the array has shape (2, 6): it must have rows of seven numbers"));
  EXPECT_THAT(refusal(in_rows, 13), HasSubstr("the file holds 13 numbers, fewer than the shape"));
  EXPECT_THAT(refusal(in_rows, 15), HasSubstr("8 bytes follow the last of 14 numbers"));
  EXPECT_THAT(refusal("{'descr': '<c8', 'fortran_order': False, 'shape': (14,), }", 14),
              HasSubstr("a type other than f8, f4, i8, i4, u8, u4"));
  EXPECT_THAT(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 7), }", 14),
              HasSubstr("fewer than the shape"));
}

TEST(SnapshotKinds, NumPysArraysOfEitherByteOrderAndWithoutSignAreRead) {
  const ScratchDirectory directory;
  const auto big = [](std::vector<double> values) {
    for (double& value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      std::uint64_t turned = 0;
      for (int byte = 0; byte < 8; ++byte) turned |= (bits >> (8 * byte) & 0xff) << (8 * (7 - byte));
      std::memcpy(&value, &turned, sizeof turned);
    }
    return values;
  };
  base::write_file(directory / "in", bytes_of_npy("{'descr': '>f8', 'fortran_order': False, 'shape': (1, 7), }",
                                                  big({0.5, 1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(read_snapshot(directory / "in").particles.position[0], (Vec3{1, 2, 3}));
  const std::string fields =
      "{'descr': [('id', '<u8'), ('m', '<f8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('vx', '<f8'), ('vy', '<f8'), "
      "('vz', '<f8')], 'fortran_order': False, 'shape': (1,), }";
  const auto with_id = [&](std::uint64_t id) {
    double bits = 0;
    std::memcpy(&bits, &id, sizeof id);
    base::write_file(directory / "in", bytes_of_npy(fields, {bits, 0.5, 1, 2, 3, 4, 5, 6}));
  };
  with_id(12345678901);
  EXPECT_EQ(read_snapshot(directory / "in").particles.id[0], 12345678901);
  with_id(std::uint64_t{1} << 63);
  EXPECT_THAT(error_of([&] { (void)load_snapshot(directory / "in"); }),
              HasSubstr("column 'id' row 0: 9223372036854775808 is above 2^63 - 1"));
}

TEST(SnapshotKinds, IntegersOfNumPysArraysThatNoDoubleHoldsAreRefused) {
  const ScratchDirectory directory;
  const auto write = [&](std::int64_t last) {
    std::vector<double> bits;
    for (const std::int64_t number :
         {std::int64_t{1}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{5}, last}) {
      bits.push_back(std::bit_cast<double>(number));
    }
    base::write_file(directory / "in",
                     bytes_of_npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 7), }", bits));
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  write(kLarge + 2);
  EXPECT_EQ(read_snapshot(directory / "in").particles.velocity[0], (Vec3{4, 5, 9007199254740994.0}));
  write(kLarge + 1);
  EXPECT_THAT(error_of([&] { (void)load_snapshot(directory / "in"); }),
              HasSubstr("in: number 6 is 9007199254740993, an integer that no double holds"));
}

TEST(SnapshotKinds, ArchivesThatAreDamagedOrOfOtherArraysAreRefused) {
  const Snapshot written{7, 0.75, make_plummer(20, 5)};
  const ScratchDirectory directory;
  write_snapshot(directory / "out", written, SnapshotFormat::npz);
  const std::string good = base::read_file(directory / "out");
  const auto refusal = [&](const std::string& content) -> std::string {  // none if it is read
    base::write_file(directory / "in", content);
    try {
      (void)load_snapshot(directory / "in");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string content = good;
    for (std::size_t at = 0; (at = content.find(from, at)) != std::string::npos;) {
      content.replace(at, to.size(), to);
    }
    return content;
  };
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(refusal(with("mass.npy", "mast.npy")), HasSubstr("there is no array mass (or m)"));
  EXPECT_THAT(refusal(with("position.npy", "positiom.npy")), HasSubstr("there is no array position of shape (n, 3)"));
  EXPECT_THAT(refusal(with("id.npy", "id.nqy")), HasSubstr("member id.nqy is no NumPy array"));
  std::string damaged = good;
  damaged[good.find("velocity.npy") + 140] ^= 1;
  EXPECT_THAT(refusal(damaged), HasSubstr("member velocity.npy: its CRC-32 is another one"));
  for (std::size_t size = 4; size < good.size(); size += 97) EXPECT_NE(refusal(good.substr(0, size)), "") << size;
  // A change of any byte is refused, or concerns nothing that is read.
  for (std::size_t at = 4; at < good.size(); at += 13) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    if (refusal(changed).empty()) {
      EXPECT_EQ(read_snapshot(directory / "in").particles, written.particles) << at;
    }
  }
}

}  // namespace
}  // namespace gdr::hostlib
