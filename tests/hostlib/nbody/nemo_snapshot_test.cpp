// Snapshots of NEMO: masses, keys and sets of several snapshots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
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
using ::testing::HasSubstr;
using testing::loaded_text;
using testing::nemo_of;
using testing::nemo_set;
using testing::NemoSet;
using testing::ScratchDirectory;

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

}  // namespace
}  // namespace gdr::hostlib
