// Snapshots of other codes, written here by what their pages say, and read by content.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/snapshot.h"
#include "nbody/nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::ScratchDirectory;

/// Bytes of numbers in the host's order, or swapped.
class Bytes {
 public:
  explicit Bytes(bool swapped = false) : swapped_(swapped) {}
  template <class Number>
  Bytes& add(Number number) {
    char held[sizeof(Number)];
    std::memcpy(held, &number, sizeof(Number));
    for (std::size_t k = 0; k < sizeof(Number); ++k) text_ += held[swapped_ ? sizeof(Number) - 1 - k : k];
    return *this;
  }
  Bytes& text(const std::string& text) {
    text_ += text;
    return *this;
  }
  /// A Fortran record of what `fill` adds.
  Bytes& record(const std::function<void(Bytes&)>& fill) {
    Bytes inside(swapped_);
    fill(inside);
    const auto size = static_cast<std::int32_t>(inside.text_.size());
    return add(size).text(inside.text_).add(size);
  }
  [[nodiscard]] const std::string& str() const { return text_; }

 private:
  bool swapped_;
  std::string text_;
};

/// Eight bodies whose numbers are those of single precision, so that all forms hold them exactly.
Particles bodies() {
  Particles p = make_plummer(8, 3);
  const auto single = [](Vec3& v) { v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; };
  for (double& mass : p.mass) mass = 0.125;
  for (Vec3& x : p.position) single(x);
  for (Vec3& v : p.velocity) single(v);
  return p;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string row(const Particles& p, std::size_t i, const std::string& between = " ") {
  std::string text = number(p.mass[i]);
  for (const Vec3& v : {p.position[i], p.velocity[i]}) {
    for (const double value : {v.x, v.y, v.z}) text += between + number(value);
  }
  return text;
}

std::string vector(const Vec3& v) { return number(v.x) + ' ' + number(v.y) + ' ' + number(v.z); }

/// The header's fields that tell whether the particles are all, and what their numbers mean [Springel 2005, Gadget-2
/// users' guide, table 4].
struct GadgetFields {
  double time = 1.5;
  double redshift = 0;
  std::vector<std::int32_t> totals{0, 0, 0, 0, 0, 0};
  std::int32_t files = 0;
  double omega0 = 0;
  double hubble = 0;
};

std::string gadget(bool swapped, bool named, const GadgetFields& fields = {},
                   const std::vector<std::string>& order = {"POS ", "VEL ", "ID  ", "MASS"}) {
  const Particles p = bodies();
  Bytes out(swapped);
  const auto block = [&](const std::string& name, const std::function<void(Bytes&)>& fill) {
    Bytes content(swapped);
    fill(content);
    if (named) {
      out.record([&](Bytes& in) { in.text(name).add(static_cast<std::int32_t>(content.str().size() + 8)); });
    }
    out.record([&](Bytes& in) { in.text(content.str()); });
  };
  block("HEAD", [&](Bytes& in) {
    for (const int count : {0, 5, 0, 0, 3, 0}) in.add(std::int32_t{count});
    for (const double mass : {0.0, 0.125, 0.0, 0.0, 0.0, 0.0}) in.add(mass);
    in.add(fields.time).add(fields.redshift).add(std::int32_t{0}).add(std::int32_t{0});
    for (const std::int32_t total : fields.totals) in.add(total);
    in.add(std::int32_t{0}).add(fields.files);
    for (const double number : {0.0, fields.omega0, 0.0, fields.hubble}) in.add(number);
    while (in.str().size() < 256) in.text(std::string(1, '\0'));
  });
  const auto vectors = [&](const std::vector<Vec3>& of) {
    return [&of](Bytes& in) {
      for (const Vec3& v : of)
        in.add(static_cast<float>(v.x)).add(static_cast<float>(v.y)).add(static_cast<float>(v.z));
    };
  };
  const std::map<std::string, std::function<void(Bytes&)>> blocks{
      {"POS ", vectors(p.position)},
      {"VEL ", vectors(p.velocity)},
      {"ID  ",
       [&](Bytes& in) {
         for (const std::int64_t id : p.id) in.add(static_cast<std::uint32_t>(id));
       }},
      {"MASS",
       [&](Bytes& in) {
         for (int k = 0; k < 3; ++k) in.add(0.125F);
       }},
      {"ACCE", vectors(p.velocity)},
      {"POT ",
       [&](Bytes& in) {
         for (int k = 0; k < 8; ++k) in.add(-1.0F);
       }},
      {"INFO", [](Bytes& in) { in.text(std::string(40, 'x')); }}};
  for (const std::string& name : order) block(name, blocks.at(name));
  return out.str();
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

/// A set SnapShot of NEMO's files. What is empty is left out.
struct NemoSet {
  double time = 0;
  std::vector<float> mass{};
  std::vector<std::int32_t> keys{};
  std::vector<Vec3> positions{};
  std::vector<Vec3> velocities{};
  bool in_phases = true;
};

std::string nemo_of(const std::vector<NemoSet>& sets, bool swapped = false) {
  Bytes out(swapped);
  const auto item = [&](bool plural, const std::string& type, const std::string& tag) -> Bytes& {
    return out.add(static_cast<std::uint16_t>(plural ? 0x0b92 : 0x0992)).text(type + '\0' + tag + '\0');
  };
  const auto array = [&](const std::string& type, const std::string& tag, const std::vector<std::size_t>& extents) {
    item(true, type, tag);
    for (const std::size_t extent : extents) out.add(static_cast<std::int32_t>(extent));
    out.add(std::int32_t{0});
  };
  const auto end = [&] { out.add(std::uint16_t{0x0992}).text(std::string(")\0", 2)); };
  const auto vector = [&](const Vec3& v) { out.add(v.x).add(v.y).add(v.z); };
  item(true, "c", "History").add(std::int32_t{5}).add(std::int32_t{0}).text(std::string("mkpl\0", 5));
  for (const NemoSet& set : sets) {
    const std::size_t n = set.positions.size();
    item(false, "(", "SnapShot");
    item(false, "(", "Parameters");
    item(false, "i", "Nobj").add(std::int32_t{8});
    item(false, "d", "Time").add(set.time);
    end();
    item(false, "(", "Particles");
    item(false, "i", "CoordSystem").add(std::int32_t{66306});
    if (!set.mass.empty()) array("f", "Mass", {set.mass.size()});
    for (const float mass : set.mass) out.add(mass);
    if (!set.keys.empty()) array("i", "Key", {set.keys.size()});
    for (const std::int32_t key : set.keys) out.add(key);
    if (n > 0 && set.in_phases) {
      array("d", "PhaseSpace", {n, 2, 3});
      for (std::size_t i = 0; i < n; ++i) {
        vector(set.positions[i]);
        vector(set.velocities[i]);
      }
    } else if (n > 0) {
      array("d", "Position", {n, 3});
      for (const Vec3& x : set.positions) vector(x);
      array("d", "Velocity", {set.velocities.size(), 3});
      for (const Vec3& v : set.velocities) vector(v);
    }
    end();
    end();
  }
  return out.str();
}

NemoSet nemo_set(double time, bool in_phases = true) {
  const Particles p = bodies();
  return {time, std::vector<float>(p.size(), 0.125F), {}, p.position, p.velocity, in_phases};
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

/// The first two bodies under a node of their own.
std::string starlab() {
  const Particles p = bodies();
  const Vec3 shift{0.5, -0.25, 2.0};
  const auto node = [](int i, double m, const Vec3& x, const Vec3& v) {
    return "(Particle\n  i = " + std::to_string(i) + "\n  N = 1\n(Log\n)Log\n(Dynamics\n  m  =  " + number(m) +
           "\n  r  =  " + vector(x) + "\n  v  =  " + vector(v) + "\n)Dynamics\n(Hydro\n)Hydro\n(Star\n)Star\n";
  };
  std::string text =
      "(Particle\n  N = 8\n(Log\n)Log\n(Dynamics\n  system_time  =  1.5\n  m  =  1\n  r  =  0 0 0\n"
      "  v  =  0 0 0\n)Dynamics\n" +
      node(100, 0.25, shift, shift);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool inside = i < 2;
    text += node(static_cast<int>(p.id[i]), p.mass[i], inside ? p.position[i] - shift : p.position[i],
                 inside ? p.velocity[i] - shift : p.velocity[i]) +
            ")Particle\n";
    if (i == 1) text += ")Particle\n";
  }
  return text + ")Particle\n";
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

LoadedSnapshot loaded_text(const std::string& content) {
  const ScratchDirectory directory;
  base::write_file(directory / "in", content);
  return load_snapshot(directory / "in");
}

TEST(Nemo, MassesHoldForLaterSnapshotsWithoutMasses) {
  for (const bool in_phases : {true, false}) {
    for (const bool swapped : {true, false}) {
      NemoSet first = nemo_set(0, in_phases);
      for (std::size_t i = 0; i < first.mass.size(); ++i) first.mass[i] = static_cast<float>(i + 1);
      NemoSet later = nemo_set(2, in_phases);
      later.mass.clear();
      for (Vec3& x : later.positions) x.y += 4;
      const LoadedSnapshot loaded = loaded_text(nemo_of({first, {.time = 1}, later}, swapped));
      EXPECT_EQ(loaded.snapshot.time, 2);
      EXPECT_EQ(loaded.snapshot.particles.mass, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
      EXPECT_EQ(loaded.snapshot.particles.position, later.positions);
      EXPECT_EQ(loaded.snapshot.particles.velocity, later.velocities);
      EXPECT_THAT(loaded.notes, ::testing::ElementsAre("the last of 2 snapshots is taken"));
    }
  }
  // Masses may come alone, before all positions.
  NemoSet masses{.time = 0, .mass = nemo_set(0).mass};
  NemoSet rest = nemo_set(1);
  rest.mass.clear();
  EXPECT_EQ(loaded_text(nemo_of({masses, rest})).snapshot.particles, bodies());
}

TEST(Nemo, SnapshotsWithoutMassesThatFitAreRefused) {
  const auto refusal = [](const std::vector<NemoSet>& sets) {
    return error_of([&] { (void)loaded_text(nemo_of(sets)); });
  };
  NemoSet without = nemo_set(2);
  without.mass.clear();
  EXPECT_THAT(refusal({without}), HasSubstr("the snapshot at time 2 has no masses, nor has one before it"));
  NemoSet fewer = without;
  fewer.positions.pop_back();
  fewer.velocities.pop_back();
  EXPECT_THAT(refusal({nemo_set(0), fewer}),
              HasSubstr("the snapshot at time 2 has 7 particles, and the last masses are of 8"));
  NemoSet at_rest = nemo_set(1, false);
  at_rest.velocities.clear();
  EXPECT_THAT(refusal({nemo_set(0), at_rest}), HasSubstr("8 positions, and another number of velocities"));
  // The last one counts.
  EXPECT_EQ(loaded_text(nemo_of({without, fewer, nemo_set(3)})).snapshot.particles, bodies());
  EXPECT_THAT(refusal({{.time = 1}}), HasSubstr("no set SnapShot has positions and velocities"));
}

TEST(Nemo, KeysAreIds) {
  NemoSet first = nemo_set(0);
  first.keys = {8, 7, 6, 5, 4, 3, 2, -1};
  NemoSet later = nemo_set(1);
  EXPECT_EQ(loaded_text(nemo_of({first, later})).snapshot.particles.id,
            (std::vector<std::int64_t>{8, 7, 6, 5, 4, 3, 2, -1}));
  later.keys = {0, 0, 0, 0, 0, 0, 0, 0};
  const LoadedSnapshot loaded = loaded_text(nemo_of({first, later}));
  EXPECT_EQ(loaded.snapshot.particles.id, bodies().id);
  EXPECT_THAT(loaded.notes, ::testing::Contains(HasSubstr("keys are not one for each particle")));
}

TEST(Nemo, IdsAreWrittenAsKeys) {
  const auto written = [](std::int64_t last) {
    Snapshot snapshot{0, 1, bodies()};
    snapshot.particles.id = {7, 6, 5, 4, 3, 2, -1, last};
    const ScratchDirectory directory;
    write_snapshot(directory / "out", snapshot, SnapshotFormat::nemo);
    EXPECT_EQ(read_snapshot(directory / "out").particles.id, snapshot.particles.id);
    return base::read_file(directory / "out");
  };
  // As put_snap.c of NEMO writes them: behind the phases, of type int. Larger ones have the type long.
  const auto keys = [](auto last) {
    Bytes out(std::endian::native != std::endian::little);
    const std::string type = sizeof last == 4 ? "i" : "l";
    out.add(std::uint16_t{0x0b92}).text(type + '\0' + "Key" + '\0').add(std::int32_t{8}).add(std::int32_t{0});
    for (const int id : {7, 6, 5, 4, 3, 2, -1}) out.add(static_cast<decltype(last)>(id));
    out.add(last);
    for (int set = 0; set < 2; ++set) out.add(std::uint16_t{0x0992}).text(std::string(")\0", 2));
    return out.str();
  };
  EXPECT_THAT(written(0x7fffffff), ::testing::EndsWith(keys(std::int32_t{0x7fffffff})));
  EXPECT_THAT(written(std::int64_t{1} << 40), ::testing::EndsWith(keys(std::int64_t{1} << 40)));
}

TEST(Nemo, LaterSnapshotsWithoutParticlesAreToldOf) {
  const LoadedSnapshot loaded = loaded_text(nemo_of({nemo_set(0), {.time = 1}, {.time = 2}}));
  EXPECT_EQ(loaded.snapshot.time, 0);
  EXPECT_THAT(loaded.notes, ::testing::ElementsAre("left out: 2 later snapshots without particles, up to time 2"));
}

TEST(Gadget, APartOfASnapshotIsRefused) {
  for (const bool swapped : {false, true}) {
    for (const bool named : {false, true}) {
      const auto refusal = [&](const GadgetFields& fields) {
        return error_of([&] { (void)loaded_text(gadget(swapped, named, fields)); });
      };
      EXPECT_THAT(refusal({.files = 2}), HasSubstr("in: the snapshot is in 2 files: write it into one"));
      EXPECT_THAT(refusal({.totals = {0, 5, 0, 0, 6, 0}, .files = 1}),
                  HasSubstr("in: the snapshot has 6 particles of type 4, and this file 3 of them: write it into one"));
    }
  }
  // A writer of initial conditions may leave out the totals.
  for (const GadgetFields& whole : {GadgetFields{.totals = {0, 5, 0, 0, 3, 0}, .files = 1}, GadgetFields{.files = 1}}) {
    EXPECT_EQ(loaded_text(gadget(false, true, whole)).snapshot.particles, bodies());
  }
}

TEST(Gadget, BlocksOfFormat2AreFoundByTheirNames) {
  using Names = std::vector<std::string>;
  for (const bool swapped : {false, true}) {
    for (const Names& order :
         {Names{"VEL ", "POS ", "ID  ", "MASS"}, Names{"MASS", "POS ", "VEL ", "ID  "},
          Names{"POS ", "VEL ", "MASS", "ID  "}, Names{"INFO", "POS ", "ACCE", "VEL ", "ID  ", "POT ", "MASS"}}) {
      EXPECT_EQ(loaded_text(gadget(swapped, true, {}, order)).snapshot.particles, bodies())
          << ::testing::PrintToString(order);
    }
  }
  const auto refusal = [](const Names& order) {
    return error_of([&] { (void)loaded_text(gadget(false, true, {}, order)); });
  };
  EXPECT_THAT(refusal({"POS ", "ACCE", "ID  ", "MASS"}),
              HasSubstr("there is no block VEL with the velocities; there are ACCE, HEAD, ID, MASS, POS"));
  EXPECT_THAT(refusal({"POS ", "VEL ", "ID  ", "POS ", "MASS"}), HasSubstr("block POS is there twice"));
}

TEST(Gadget, ACosmologicalSnapshotIsRefused) {
  const auto refusal = [](const GadgetFields& fields) {
    return error_of([&] { (void)loaded_text(gadget(false, false, fields)); });
  };
  EXPECT_THAT(refusal({.time = 0.5, .redshift = 1, .omega0 = 0.3}),
              HasSubstr("in: the snapshot is cosmological (Redshift = 1): coordinates are comoving"));
  EXPECT_THAT(refusal({.time = 1, .omega0 = 0.3}), HasSubstr("cosmological (Omega0 = 0.3 at Time = 1)"));
  EXPECT_THAT(refusal({.time = 1, .omega0 = 0.3}), HasSubstr("write a header with Omega0 = 0"));
  // Runs without expansion may have parameters of cosmology.
  for (const GadgetFields& newtonian : {GadgetFields{.time = 0.5, .omega0 = 0.3}, GadgetFields{.time = 1}}) {
    EXPECT_EQ(loaded_text(gadget(false, false, newtonian)).snapshot.particles, bodies());
  }
}

TEST(Gadget, UnitsThatTheFileDoesNotStateAreToldOf) {
  EXPECT_THAT(loaded_text(gadget(false, false)).notes,
              ::testing::ElementsAre(HasSubstr("the file states no units: numbers are taken as they are, with G = 1")));
  EXPECT_THAT(loaded_text(gadget(false, false, {.hubble = 0.7})).notes,
              ::testing::ElementsAre(HasSubstr("the file states no units, and HubbleParam = 0.7, by which")));
}

TEST(SnapshotKinds, NamesInACommentTellTheColumnsHoweverTheyAreWritten) {
  const std::string row = "1 2 3 4 5 6 0.5\n";
  for (const std::string names :
       {"# x y z vx vy vz mass",
        "## x y z vx vy vz mass",
        "# 1:x 2:y 3:z 4:vx 5:vy 6:vz 7:mass",
        "# 1: x 2: y 3: z 4: vx 5: vy 6: vz 7: mass",
        "#1=x #2=y #3=z #4=vx #5=vy #6=vz #7=m[MSUN]",
        "# columns: x y z vx vy vz mass",
        "# The columns are: x y z vx vy vz mass",
        "# Columns x y z vx vy vz mass",
        "# columns: x, y, z, vx, vy, vz, mass",
        "# x | y | z | vx | vy | vz | mass",
        "#|x|y|z|vx|vy|vz|mass|",
        "# x [pc] y [pc] z [pc] vx [km / s] vy [km / s] vz [km / s] mass [Msun]",
        "# x (pc) y (pc) z (pc) vx (km/s) vy (km/s) vz (km/s) mass (Msun)",
        "# posx posy posz velx vely velz mass",
        "# xpos ypos zpos xvel yvel zvel M",
        "# x(1) y(2) z(3) vx(4) vy(5) vz(6) m(7)",
        "# pos[0] pos[1] pos[2] vel[0] vel[1] vel[2] mass",
        "# r1 r2 r3 v1 v2 v3 mass",
        "# x_0, x_1, x_2, v_0, v_1, v_2, m",
        "position(1) position(2) position(3) Velocity(1) Velocity(2) Velocity(3) m",
        "# x[0] [pc] x[1] [pc] x[2] [pc] vel[0] [km/s] vel[1] [km/s] vel[2] [km/s] mass [Msun]",
        "# my file\n\n# created: 2026\n# X Y Z Vx Vy Vz M\n# ----",
        "posx posy posz velx vely velz mass"}) {
    SCOPED_TRACE(names);
    const LoadedSnapshot loaded = loaded_text(names + "\n" + row);
    ASSERT_EQ(loaded.snapshot.particles.size(), 1);
    EXPECT_EQ(loaded.snapshot.particles.mass[0], 0.5);
    EXPECT_EQ(loaded.snapshot.particles.position[0], (Vec3{1, 2, 3}));
    EXPECT_EQ(loaded.snapshot.particles.velocity[0], (Vec3{4, 5, 6}));
    EXPECT_TRUE(loaded.notes.empty());
  }
  const LoadedSnapshot twice_mass = loaded_text("#Mass_[Msun] x y z vx vy vz Mass(t=0)_[Msun]\n0.5 1 2 3 4 5 6 0.75\n");
  EXPECT_EQ(twice_mass.snapshot.particles.mass[0], 0.5);
}

TEST(SnapshotKinds, NamesInCommentsThatDoNotTellTheColumnsAreToldOf) {
  const std::string row = "0.5 1 2 3 4 5 6\n";
  const auto refusal = [](const std::string& content) { return error_of([&] { (void)loaded_text(content); }); };
  EXPECT_THAT(refusal("# x y z vx vy vz mass type\n" + row), HasSubstr("a comment names 8 columns (x, y, z"));
  EXPECT_THAT(refusal("# x y z vx vy vz weight\n" + row), HasSubstr("column m is missing"));
  for (const std::string comment : {"# p1 p2 p3 q1 q2 q3 mass\n", "# x y z vx\n# vy vz mass\n",
                                    "# 1: x\n# 2: y\n# 3: z\n# 4: vx\n# 5: vy\n# 6: vz\n# 7: mass\n"}) {
    EXPECT_THAT(loaded_text(comment + row).notes,
                ::testing::ElementsAre(HasSubstr("the columns are taken by their number")));
  }
  for (const std::string comment : {"# m x y z vx vy vz\n", "# N = 7 x 1\n", "# a Plummer sphere\n", "#\n##\n"}) {
    EXPECT_TRUE(loaded_text(comment + row).notes.empty()) << comment;
  }
}

TEST(SnapshotKinds, VelocitiesMayStandBeforePositions) {
  for (const std::string names : {"# mass vel[0] vel[1] vel[2] pos[0] pos[1] pos[2]", "# mass v0 v1 v2 r0 r1 r2",
                                  "# m v(1) v(2) v(3) x(1) x(2) x(3)", "# m vx vy vz x y z"}) {
    SCOPED_TRACE(names);
    const Particles particles = loaded_text(names + "\n1 0 0.5 0 1 2 3\n1 0 -0.5 0 -1 -2 -3\n").snapshot.particles;
    EXPECT_EQ(particles.position[0], (Vec3{1, 2, 3}));
    EXPECT_EQ(particles.velocity[0], (Vec3{0, 0.5, 0}));
  }
  // Names of velocities that are not understood are not taken for positions.
  for (const std::string names : {"# mass vel.a vel.b vel.c pos.a pos.b pos.c", "# mass vr vt vp r t p"}) {
    EXPECT_THAT(error_of([&] { (void)loaded_text(names + "\n1 0 0.5 0 1 2 3\n"); }), HasSubstr("column 2 v")) << names;
  }
  EXPECT_THAT(error_of([&] { (void)loaded_text("# vel.a vel.b vel.c m pos.a pos.b pos.c i\n1 0 0.5 0 1 2 3 0.5\n"); }),
              HasSubstr("column 1 vel.a"));
  EXPECT_TRUE(loaded_text("# a very old file of two bodies\n1 0 0.5 0 1 2 3\n").notes.empty());
}

TEST(SnapshotKinds, AnIndexOfUnnamedColumnsHasDifferentNumbers) {
  const auto refusal = [](const std::string& content) { return error_of([&] { (void)loaded_text(content); }); };
  EXPECT_THAT(refusal("1 0.5 0.1 0.2 0 0.1 0 -0.7\n1 0.9 -0.3 0.1 0.1 0 0 -0.6\n"),
              HasSubstr("8 columns: the first one is no index"));
  EXPECT_THAT(refusal("0.5 0.1 0.2 0 0.1 0 0.7 1\n0.9 -0.3 0.1 0.1 0 0 0.6 1\n"),
              HasSubstr("the last one is no index"));
  EXPECT_THAT(refusal("2 0.5 0.1 0.2 0 0.1 0 -0.7\n0.5 0.9 -0.3 0.1 0.1 0 0 -0.6\n"),
              HasSubstr("the first one is no index"));
  // Names say what an index is, and a single row is as it was.
  EXPECT_EQ(loaded_text("# id m x y z vx vy vz\n1 0.5 0 0 0 0 0 0\n1 0.5 1 0 0 0 0 0\n").snapshot.particles.id,
            (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(loaded_text("1 0.5 0.1 0.2 0 0.1 0 -0.7\n").snapshot.particles.mass[0], 0.5);
}

TEST(UnitsInComments, MayHaveBlanksInTheirProducts) {
  const std::string names = "# m x y z vx vy vz\n";
  const std::string row = "1 2 3 4 5 6 7\n";
  for (const std::string units :
       {"# Msun pc pc pc km / s km / s km / s\n", "#kg m m m m * s**-1 m * s**-1 m * s**-1\n"}) {
    const LoadedSnapshot loaded = loaded_text(names + units + row);
    ASSERT_EQ(loaded.units.size(), 7u) << units;
    for (const StatedUnit& each : loaded.units) EXPECT_TRUE(each.unit) << each.word;
  }
  // Not one for each column.
  const LoadedSnapshot loaded = loaded_text(names + "# Msun pc pc pc mm yr-1 mm yr-1 mm yr-1\n" + row);
  EXPECT_TRUE(loaded.units.empty());
  EXPECT_THAT(loaded.notes, ::testing::ElementsAre(HasSubstr("Msun pc pc pc mm yr-1")));
}

TEST(SnapshotKinds, NamesKeepTheirUnits) {
  const std::string row = "1 2 3 4 5 6 0.5\n";
  for (const std::string names :
       {"# x [pc] y [pc] z [pc] vx [km / s] vy [km / s] vz [km / s] mass [Msun]",
        "# x (pc) y (pc) z (pc) vx (km/s) vy (km/s) vz (km/s) mass (Msun)",
        "x [pc] y [pc] z [pc] vx [km s^-1] vy [kms] vz [km/s] mass [M_sun]",
        "# x [pc] | y [pc] | z [pc] | vx [km/s] | vy [km/s] | vz [km/s] | mass [MSun]",
        "#x_[pc] y_[pc] z_[pc] vx_[km/s] vy_[km/s] vz_[km/s] Mass_[Msun]",
        "\xEF\xBB\xBF#1=x(1)[pc] #2=y[pc] #3=z[pc] #4=vx[km/s] #5=vy[km/s] #6=vz[km/s] #7=m[MSUN]"}) {
    SCOPED_TRACE(names);
    const LoadedSnapshot loaded = loaded_text(names + "\n" + row);
    EXPECT_EQ(loaded.snapshot.particles.position[0], (Vec3{1, 2, 3}));
    std::vector<std::string> known;
    for (const StatedUnit& unit : loaded.units)
      known.push_back(unit.column + " " + (unit.unit ? unit.unit->name : "?"));
    EXPECT_THAT(known, ::testing::ElementsAre("x pc", "y pc", "z pc", "vx km/s", "vy km/s", "vz km/s", "m msun"));
    ASSERT_FALSE(loaded.units.empty());
    EXPECT_THAT(loaded.units.front().place, HasSubstr("in:1"));
  }
  EXPECT_TRUE(loaded_text("# x(1) y(2) z(3) vx(4) vy(5) vz(6) m(7)\n" + row).units.empty());
}

struct Converted {
  Snapshot snapshot;
  InOneSystem system;
};

/// Of one particle at x, y, z = 1, 2, 3 with mass 0.5 and speed 4, 5, 6, under these names.
Converted converted(const std::string& names, const std::string& given) {
  LoadedSnapshot loaded = loaded_text("# " + names + "\n0.5 1 2 3 4 5 6\n");
  InOneSystem system = to_one_system(loaded, given.empty() ? std::nullopt : std::optional(units_named(given)));
  return {loaded.snapshot, system};
}

TEST(SnapshotKinds, UnitsOfColumnsComeIntoOneSystem) {
  const double kms = units_named("msun,pc,km/s").speed;
  const std::string usual = "m [Msun] x [pc] y z vx [km/s] vy vz";
  const Converted own = converted(usual, "");
  EXPECT_EQ(own.snapshot.particles.mass[0], 0.5);
  EXPECT_EQ(own.snapshot.particles.position[0], (Vec3{1, 2, 3}));
  EXPECT_EQ(own.snapshot.particles.velocity[0], (Vec3{4 * kms, 5 * kms, 6 * kms}));
  ASSERT_TRUE(own.system.units);
  EXPECT_EQ(own.system.units->name, "msun,pc,km/s");
  EXPECT_THAT(own.system.notes, ::testing::ElementsAre(HasSubstr("in:1: the columns have units (msun, pc, km/s)")));
  // The same when they are given, without a note.
  const Converted same = converted(usual, "Msun,pc,kms");
  EXPECT_EQ(same.snapshot, own.snapshot);
  EXPECT_THAT(same.system.notes, ::testing::IsEmpty());
  // A column in another unit than the first of its kind, and other units than those given.
  const Converted mixed = converted("m [Msun] x [pc] y z [kpc] vx [km/s] vy vz", "");
  EXPECT_NEAR(mixed.snapshot.particles.position[0].z, 3e3, 1e-9);
  const Converted other = converted(usual, "kg,kpc,m/s");
  EXPECT_NEAR(other.snapshot.particles.mass[0] / (0.5 * 1.3271244e20 / 6.6743e-11), 1, 1e-14);
  EXPECT_NEAR(other.snapshot.particles.position[0].y, 2e-3, 1e-16);
  EXPECT_THAT(other.system.notes, ::testing::ElementsAre(HasSubstr("masses in kg, lengths in kpc and G = 1")));
  // G M / (r v^2) is the same number in all of them.
  const auto ratio = [](const Converted& of) {
    const Particles& p = of.snapshot.particles;
    return p.mass[0] / p.position[0].x / (p.velocity[0].x * p.velocity[0].x);
  };
  EXPECT_NEAR(ratio(other) / ratio(own), 1, 1e-14);
  EXPECT_NEAR(ratio(own), 4.30091e-3 * 0.5 / 16, 1e-8);
  // What has no unit is in the given one.
  const Converted some = converted("m x [kpc] y z vx vy vz", "msun,pc,km/s");
  EXPECT_NEAR(some.snapshot.particles.position[0].x, 1e3, 1e-9);
  EXPECT_EQ(some.snapshot.particles.velocity[0], own.snapshot.particles.velocity[0]);
}

TEST(SnapshotKinds, UnitsOfAnotherQuantityAreRefusedWhateverIsGiven) {
  const std::map<std::string, std::string> wrong{
      {"m [pc] x [pc] y z vx [km/s] vy vz", "in:1: column m [pc] is a mass, but its unit is one of length"},
      {"m [Msun] x [Myr] y z vx [km/s] vy vz", "in:1: column x [Myr] is a length, but its unit is one of time"},
      {"m [Msun] x [pc] y z vx [pc] vy vz", "in:1: column vx [pc] is a speed, but its unit is one of length"},
      {"m [Msun] x [pc] y z vx vy [km/s] vz [kg]", "in:1: column vz [kg] is a speed, but its unit is one of mass"},
      {"m [nbody length] x y z vx vy vz", "in:1: column m [nbody length] is a mass, but its unit is one of length"}};
  for (const auto& [names, message] : wrong) {
    for (const std::string given : {"", "msun,pc,km/s"}) {
      EXPECT_THAT(error_of([&] { (void)converted(names, given); }), HasSubstr(message)) << names;
    }
  }
}

TEST(SnapshotKinds, UnitsOfWhichSomeAreMissingAreRefused) {
  const auto refused = [](const std::string& names, const std::string& given) {
    return error_of([&] { (void)converted(names, given); });
  };
  EXPECT_THAT(refused("m [Msun] x y z vx [km/s] vy vz", ""),
              HasSubstr("in:1: column m [Msun] has a unit, but lengths have none: name the units of all by --units "
                        "msun,LENGTH,km/s"));
  EXPECT_THAT(refused("m [Msun] x [a] y z vx [km/s] vy vz", ""), HasSubstr("but lengths have none"));
  EXPECT_THAT(refused("m [nbody mass] x [pc] y z vx [km/s] vy vz", ""),
              HasSubstr("column m [nbody mass] is in a generic unit, in which G = 1, but column x [pc] is not"));
  EXPECT_THAT(refused("m [nbody mass] x y z vx vy vz", "msun,pc,km/s"),
              HasSubstr("cannot be converted to msun,pc,km/s: leave out --units"));
  EXPECT_EQ(converted("m [10 * nbody mass] x y z vx vy vz", "").snapshot.particles.mass[0], 5.0);
  // Words that are no units at all may be anything.
  EXPECT_THAT(converted("m x [a] y z [b] vx vy vz", "").system.notes,
              ::testing::ElementsAre(HasSubstr("not checked: x [a], z [b]")));
  EXPECT_THAT(converted("m [Msun] x [pc] y z [\x1b] vx [km/s] vy vz", "msun,pc,km/s").system.notes,
              ::testing::ElementsAre(HasSubstr("not checked: z [\\x1b]")));
}

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
