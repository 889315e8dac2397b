// Snapshots of other codes, read by content.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "foreign_snapshots.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

using testing::bodies;
using testing::Bytes;
using testing::error_of;
using testing::gadget;
using ::testing::HasSubstr;
using testing::loaded_text;
using testing::nemo_of;
using testing::nemo_set;
using testing::number;
using testing::ScratchDirectory;
using testing::starlab;
using testing::vector;

std::string row(const Particles& p, std::size_t i, const std::string& between = " ") {
  std::string text = number(p.mass[i]);
  for (const Vec3& v : {p.position[i], p.velocity[i]}) {
    for (const double value : {v.x, v.y, v.z}) text += between + number(value);
  }
  return text;
}

std::string tipsy(bool swapped, bool padded) {
  const Particles p = bodies();
  Bytes out(swapped);
  out.add(1.5);
  for (const int count : {8, 3, 0, 6, 2}) out.add(std::int32_t{count});
  if (padded) out.add(std::int32_t{0});
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3& x = p.position[i];
    const Vec3& v = p.velocity[i];
    for (const double value : {p.mass[i], x.x, x.y, x.z, v.x, v.y, v.z, 0.0, 0.0}) out.add(static_cast<float>(value));
    if (i >= 6) out.add(0.0F).add(0.0F);
  }
  return out.str();
}

std::string nemo(bool swapped) { return nemo_of({nemo_set(1.5)}, swapped); }

std::string unformatted() {
  const Particles p = bodies();
  Bytes out;
  for (std::size_t i = 0; i < p.size(); ++i) {
    out.record([&](Bytes& in) {
      in.add(p.mass[i]);
      for (const Vec3& v : {p.position[i], p.velocity[i]}) in.add(v.x).add(v.y).add(v.z);
    });
  }
  return out.str();
}

std::string rows(const std::string& before, const std::string& between = " ", const std::string& first = "",
                 const std::string& behind = "") {
  const Particles p = bodies();
  std::string text = before;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto with_id = [&](const std::string& column) { return column == "ID" ? std::to_string(p.id[i]) : column; };
    text += (first.empty() ? "" : with_id(first) + between) + row(p, i, between) +
            (behind.empty() ? "" : between + with_id(behind)) + '\n';
  }
  return text;
}

std::string one_by_one(const std::string& head, bool by_axis) {
  const Particles p = bodies();
  std::string text = head;
  for (const double mass : p.mass) text += number(mass) + '\n';
  for (const auto* of : {&p.position, &p.velocity}) {
    if (!by_axis) {
      for (const Vec3& v : *of) text += vector(v) + '\n';
      continue;
    }
    for (double Vec3::* axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
      for (const Vec3& v : *of) text += number(v.*axis) + '\n';
    }
  }
  return text;
}

std::string phantom() {
  const Particles p = bodies();
  std::string text = "1.5\n8\n";
  for (std::size_t i = 0; i < p.size(); ++i) {
    text += std::to_string(i) + '\n' + number(p.mass[i]) + '\n' + vector(p.position[i]) + '\n' + vector(p.velocity[i]) +
            '\n';
  }
  return text;
}

struct KindCase {
  std::string name;
  std::string content;
  double time = 0;
};

TEST(SnapshotKinds, AreToldByContentAndReadToTheBit) {
  const std::vector<KindCase> cases{
      {"Gadget 1", gadget(false, false), 1.5},
      {"Gadget 1, other order", gadget(true, false), 1.5},
      {"Gadget 2", gadget(false, true), 1.5},
      {"Gadget 2, other order", gadget(true, true), 1.5},
      {"Tipsy", tipsy(false, true), 1.5},
      {"Tipsy, other order", tipsy(true, true), 1.5},
      {"Tipsy without padding", tipsy(true, false), 1.5},
      {"NEMO", nemo(false), 1.5},
      {"NEMO, other order", nemo(true), 1.5},
      {"unformatted", unformatted()},
      {"CSV", rows("m,x,y,z,vx,vy,vz\n", ",")},
      {"CSV without names", rows("", ",")},
      {"names", rows("id mass x y z vx vy vz\n", " ", "ID")},
      {"names in a comment", rows("# m x y z vx vy vz\n")},
      {"McLuster", rows("#Mass_[Msun]\tx_[pc]\ty_[pc]\tz_[pc]\tvx_[km/s]\tvy_[km/s]\tvz_[km/s]\tkw\n", "\t", "", "1")},
      {"AMUSE's CSV", rows("#mass,x,y,z,vx,vy,vz\n#MSun,pc,pc,pc,kms,kms,kms\n", ",")},
      {"index first", rows("", " ", "ID")},
      {"index last", rows("", " ", "", "ID")},
      {"PeTar", rows("0 8 1.5\n", " ", "", "0 0 1 0"), 1.5},
      {"treecode", one_by_one("8\n3\n1.5\n", false), 1.5},
      {"Tipsy's text", one_by_one("8 0 0\n3\n1.5\n", true), 1.5},
      {"Phantom-GRAPE", phantom(), 1.5},
      {"Starlab", starlab(), 1.5},
  };
  const Particles expected = bodies();
  for (const KindCase& each : cases) {
    SCOPED_TRACE(each.name);
    const ScratchDirectory directory;
    base::write_file(directory / "in", each.content);
    LoadedSnapshot loaded;
    ASSERT_NO_THROW(loaded = load_snapshot(directory / "in"));
    EXPECT_EQ(loaded.snapshot.particles.id, expected.id);
    EXPECT_EQ(loaded.snapshot.particles.mass, expected.mass);
    EXPECT_EQ(loaded.snapshot.time, each.time);
    ASSERT_EQ(loaded.snapshot.particles.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Sums of a tree's nodes round once.
      const double most = each.name == "Starlab" ? 1e-15 : 0;
      EXPECT_NEAR(loaded.snapshot.particles.position[i].x, expected.position[i].x, most);
      EXPECT_NEAR(loaded.snapshot.particles.position[i].z, expected.position[i].z, most);
      EXPECT_NEAR(loaded.snapshot.particles.velocity[i].y, expected.velocity[i].y, most);
    }
    if (each.name != "Starlab") {
      EXPECT_EQ(loaded.snapshot.particles, expected);
    }
    // A file that ends anywhere else is refused, or has fewer rows; it never throws anything else.
    std::vector<std::size_t> sizes{each.content.size() - 4};
    for (std::size_t size = 0; size < sizes[0]; size += 1 + each.content.size() / 23) sizes.push_back(size);
    for (const std::size_t size : sizes) {
      base::write_file(directory / "cut", each.content.substr(0, size));
      try {
        EXPECT_LT(load_snapshot(directory / "cut").snapshot.particles.size(), expected.size());
      } catch (const Error&) {
      }
    }
  }
}

TEST(SnapshotKinds, EveryFormThatIsWrittenIsReadToTheBit) {
  Snapshot written{7, 0.75, make_plummer(20, 5)};
  written.particles.id[3] = 99;
  for (const std::string_view name : snapshot_format_names()) {
    SCOPED_TRACE(name);
    const SnapshotFormat format = snapshot_format_names().find(name).value();
    if (format == SnapshotFormat::gadget) continue;  // HDF5, of which builds without it have none: run_files_test.cpp
    const ScratchDirectory directory;
    write_snapshot(directory / "out", written, format);
    const Snapshot read = read_snapshot(directory / "out");
    EXPECT_EQ(read.particles.mass, written.particles.mass);
    EXPECT_EQ(read.particles.position, written.particles.position);
    EXPECT_EQ(read.particles.velocity, written.particles.velocity);
    if (format != SnapshotFormat::plain) {
      EXPECT_EQ(read.particles.id, written.particles.id);
    }
    const bool has_step = format == SnapshotFormat::phigrape || format == SnapshotFormat::npz;
    EXPECT_EQ(read.step, has_step ? written.step : 0);
    EXPECT_EQ(read.time, has_step || format == SnapshotFormat::nemo ? written.time : 0);
  }
}

TEST(SnapshotKinds, BracketsTellTheEndOfAStarlabFile) {
  std::string content = starlab();
  while (content.back() == '\n') content.pop_back();
  const ScratchDirectory directory;
  base::write_file(directory / "in", content);
  EXPECT_EQ(read_snapshot(directory / "in").particles.size(), bodies().size());
}

TEST(SnapshotKinds, TheLastOfSeveralSnapshotsOfStarlabIsTaken) {
  std::string later = starlab();
  for (const auto& [from, to] :
       {std::pair("system_time  =  1.5", "system_time  =  2"), std::pair("m  =  0.125", "m  =  0.5")}) {
    later.replace(later.find(from), std::string(from).size(), to);
  }
  const LoadedSnapshot loaded = loaded_text(starlab() + later);
  EXPECT_EQ(loaded.snapshot.time, 2);
  EXPECT_EQ(loaded.snapshot.particles.mass,
            (std::vector<double>{0.5, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}));
  EXPECT_EQ(loaded.snapshot.particles.id, bodies().id);
  EXPECT_THAT(loaded.notes, ::testing::ElementsAre("the last of 2 snapshots is taken"));
  EXPECT_TRUE(loaded_text(starlab()).notes.empty());
}

TEST(SnapshotKinds, OthersAreRefusedByNameWithAWayOut) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\x1f\x8b\x08" + std::string(20, '\1'), "the packed bytes are damaged"},
      {"PK\3\4" + std::string(20, '\0'), "the zip archive has no directory at its end: is it cut off?"},
      {"\x89HDF\r\n\x1a\n", "is an HDF5 file: give it a name that ends in .h5"},
      {std::string("\xff\xfe"
                   "0\0",
                   4),
       "is UTF-16 text: save it as UTF-8"},
      {"\xfd\x37zXZ" + std::string(20, '\0'), "is a file compressed by xz: unpack it with unxz"},
      {"SIMPLE  =                    T / FITS", "is a FITS file: write its table as CSV"},
      {"# vtk DataFile Version 3.0\nstars\nASCII\n", "is a VTK file: write its points as CSV"},
      {"PAR1" + std::string(20, '\1'), "is a Parquet file: write its table as CSV"},
      {"0.5;1;2;3;4;5;6\n", "in:1: semicolons are between the fields, where commas or blanks must be"},
      {"m;x;y;z;vx;vy;vz\n0,5;1;2;3;4;5;6\n", "in:1: semicolons are between the fields"},
      {std::string("ab\0cd", 5), "is a binary file of no kind that gdr knows"},
      {"0.5 \x1b]0;x\x07 1 2 3 4 5\n", "column x: '\\x1b]0;x\\x07' is no number"},
      {"1 0 0 0 0 0 0 1\n", "nothing tells if an index stands first or last"},
      {"0.5 1 2 3 4\n", "first line has 5 columns"},
      {"0.5 1 2 3 4 5 6\r0.5 1 2 3 4 5 6\r", "lines end with carriage returns alone"},
      {"# m x y z vx vy vz\r0.5 1 2 3 4 5 6\r", "lines end with carriage returns alone"},
      {"set SnapShot\n  set Parameters\n    int Nobj 32\n",
       "is the text form (tsf) of a NEMO snapshot: give the binary"},
  };
  for (const auto& [content, message] : cases) {
    const ScratchDirectory directory;
    base::write_file(directory / "in", content);
    EXPECT_THAT(error_of([&] { (void)load_snapshot(directory / "in"); }), HasSubstr(message));
  }
}

}  // namespace
}  // namespace gdr::hostlib
