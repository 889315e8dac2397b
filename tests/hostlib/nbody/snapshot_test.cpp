#include "gdr/hostlib/snapshot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "gdr/base/file.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::ScratchDirectory;

const std::string kHeader = "3\n2\n0.5\n";
const std::string kRow0 = "0 0.5 1 2 3 4 5 6\n";
const std::string kRow1 = "1 0.5 -1 -2 -3 -4 -5 -6\n";

Snapshot read_text(const std::string& text) {
  const ScratchDirectory directory;
  base::write_file(directory / "in.dat", text);
  return read_snapshot(directory / "in.dat");
}

// The error of reading `text`, from its line number on.
std::string refusal(const std::string& text) {
  const std::string error = error_of([&] { (void)read_text(text); });
  const auto at = error.find("in.dat:");
  EXPECT_NE(at, std::string::npos) << error;
  return at == std::string::npos ? error : error.substr(at + 7);
}

TEST(Snapshot, PhigrapeRoundTripKeepsEveryBit) {
  const ScratchDirectory directory;
  Snapshot written{-12, 0.1, make_plummer(50, 1)};
  written.particles.id[3] = -7;
  written.particles.mass[4] = 0.0;
  written.particles.position[5] = {-0.0, std::numeric_limits<double>::denorm_min(), -std::nextafter(1.0, 2.0)};
  written.particles.velocity[6] = {std::numeric_limits<double>::max(), -std::numeric_limits<double>::min(), 1.0 / 3.0};
  write_snapshot(directory / "a.dat", written, SnapshotFormat::phigrape);
  const Snapshot read = read_snapshot(directory / "a.dat");
  EXPECT_EQ(read, written);
  EXPECT_EQ(state_hash(read.particles), state_hash(written.particles));
}

TEST(Snapshot, PlainRoundTripKeepsEveryBitOfTheParticles) {
  const ScratchDirectory directory;
  const Snapshot written{4, 0.75, make_plummer(50, 2)};
  write_snapshot(directory / "a.dat", written, SnapshotFormat::plain);
  const Snapshot read = read_snapshot(directory / "a.dat");
  EXPECT_EQ(read.particles, written.particles);
  EXPECT_EQ(read.step, 0);
  EXPECT_EQ(read.time, 0.0);
}

TEST(Snapshot, ReadsWhatOtherCodesWrite) {
  const Snapshot s =
      read_text("# made elsewhere\r\n 3\r\n 2\r\n 0.5D+00\r\n\r\n1 5.0d-1 +1 2. .3E1\t4 5 6\r\n0 1 0 0 0 0 0 -1\r\n");
  EXPECT_EQ(s.step, 3);
  EXPECT_EQ(s.time, 0.5);
  ASSERT_EQ(s.particles.size(), 2U);
  EXPECT_EQ(s.particles.id[0], 1);
  EXPECT_EQ(s.particles.mass[0], 0.5);
  EXPECT_EQ(s.particles.position[0], (Vec3{1.0, 2.0, 3.0}));
  EXPECT_EQ(s.particles.velocity[1], (Vec3{0.0, 0.0, -1.0}));
}

TEST(Snapshot, BadInputIsRefusedWithLineAndValue) {
  const auto says = [](const std::string& text, const std::string& expected) {
    const std::string error = refusal(text);
    EXPECT_EQ(error.substr(0, expected.size()), expected);
  };
  says("", " the file holds no particles");
  says("# nothing\n\n", "2: the file holds no particles");
  says("1 2 3\n", "1: first line has 3 columns");
  says("x\n2\n0\n", "1: column step: 'x'");
  says("3\n2.5\n0\n", "2: column N: '2.5'");
  says("3\n0\n0\n", "2: particle number 0");
  says("3\n2\n", "2: the file ends before the header's time");
  says("3\n2 2\n", "2: header: expected particle number alone, found 2 columns");
  says("3\n2\nnan\n" + kRow0 + kRow1, "3: column time: 'nan' is not finite");
  says(kHeader + kRow0, "4: the file ends after 1 of 2 particles");
  says(kHeader + kRow0 + kRow1 + "2 0.5 0 0 0 0 0 0\n", "6: more rows than the 2 particles");
  says(kHeader + kRow0 + kRow0, "5: index 0 occurs twice, first on line 4");
  says(kHeader + "0 0.5 1 2 3 4 5\n" + kRow1, "4: expected 8 columns (index m x y z vx vy vz), found 7");
  says(kHeader + kRow0 + "1 -0.5 1 2 3 4 5 6\n", "5: column m: mass -0.5 is negative");
  says(kHeader + kRow0 + "1 0.5 1 NaN 3 4 5 6\n", "5: column y: 'NaN' is not finite");
  says(kHeader + kRow0 + "1 0.5 1 2 3 4 -inf 6\n", "5: column vy: '-inf' is not finite");
  says(kHeader + kRow0 + "1 0.5 1 2 3 4 5x 6\n", "5: column vy: '5x' is no number");
  says(kHeader + kRow0 + "1 0.5 1 2 3 4 5 1e999\n", "5: column vz: '1e999' is outside");
  says(kHeader + kRow0 + "1.5 0.5 1 2 3 4 5 6\n", "5: column index: '1.5'");
  says("1 0 0 0 0 0 0\n\n1 0 0 0 0 0\n", "3: expected 7 columns (m x y z vx vy vz), found 6");
}

TEST(Snapshot, FileCutOffAnywhereIsRefused) {
  const ScratchDirectory directory;
  const Snapshot s{1, 0.5, make_plummer(2, 1)};
  write_snapshot(directory / "whole.dat", s, SnapshotFormat::phigrape);
  const std::string whole = base::read_file(directory / "whole.dat");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    base::write_file(directory / "cut.dat", whole.substr(0, bytes));
    EXPECT_NE(error_of([&] { (void)read_snapshot(directory / "cut.dat"); }), "") << bytes << " bytes";
  }
}

TEST(Snapshot, FileThatCannotBeOpenedIsNamed) {
  const ScratchDirectory directory;
  EXPECT_NE(error_of([&] { (void)read_snapshot(directory / "none"); }).find("none"), std::string::npos);
  const Snapshot s{0, 0.0, make_plummer(2, 1)};
  const auto inside_nothing = directory / "none" / "a.dat";
  EXPECT_NE(error_of([&] { write_snapshot(inside_nothing, s, SnapshotFormat::plain); }).find("a.dat"),
            std::string::npos);
}

TEST(Snapshot, RefusedParticlesLeaveTheOlderFileAsItWas) {
  const ScratchDirectory directory;
  Snapshot s{0, 0.0, make_plummer(2, 1)};
  write_snapshot(directory / "a.dat", s, SnapshotFormat::phigrape);
  const std::string before = base::read_file(directory / "a.dat");
  s.particles.mass[1] = -1.0;
  EXPECT_NE(error_of([&] { write_snapshot(directory / "a.dat", s, SnapshotFormat::phigrape); }).find("mass -1"),
            std::string::npos);
  EXPECT_EQ(base::read_file(directory / "a.dat"), before);
}

}  // namespace
}  // namespace gdr::hostlib
