// Snapshots of columns: names and units in comments, and an index.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign_snapshots.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/snapshot.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::loaded_text;

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

}  // namespace
}  // namespace gdr::hostlib
