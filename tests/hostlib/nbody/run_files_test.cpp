#include "gdr/hostlib/run_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "gdr/base/file.h"
#include "gdr/hostlib/diagnostics.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::ScratchDirectory;

Snapshot some_snapshot() {
  Snapshot snapshot{12, 0.1, make_plummer(20, 1)};
  snapshot.particles.id[3] = -7;
  snapshot.particles.mass[4] = 0.0;
  snapshot.particles.position[5] = {-0.0, std::numeric_limits<double>::denorm_min(), -std::nextafter(1.0, 2.0)};
  snapshot.particles.velocity[6] = {std::numeric_limits<double>::max(), 1.0 / 3.0, -1e-300};
  return snapshot;
}

RunFile some_file() {
  Sample sample;
  sample.t = 0.1;
  return {{{"kernel", std::string("gravity")}, {"eps", 0.01}, {"boards", std::int64_t{2}}},
          {sample_values(sample), sample_values(sample)},
          {},
          some_snapshot(),
          7,
          units_named("msun,pc,km/s")};
}

TEST(Hdf5, SnapshotsComeBackWithEveryBit) {
  const ScratchDirectory directory;
  write_run_file(directory / "a.h5", some_file());
  const Snapshot read = read_run_snapshot(directory / "a.h5");
  EXPECT_EQ(read, some_snapshot());
  EXPECT_EQ(state_hash(read.particles), state_hash(some_snapshot().particles));
}

TEST(Hdf5, SamplesAndNamesOfSnapshotFilesComeBack) {
  const ScratchDirectory directory;
  RunFile file = some_file();
  file.snapshot.reset();
  file.others = {{"a-0000.h5"}, {"a-0012.h5", 2}};
  write_run_file(directory / "a.h5", file);
  const RunFile read = read_run_file(directory / "a.h5");
  EXPECT_EQ(read.others, file.others);
  ASSERT_EQ(read.samples.size(), 2U);
  // NaN, of what there is none of, is unequal to itself.
  EXPECT_EQ(sample_csv_line(read.samples[1]), sample_csv_line(file.samples[1]));
}

TEST(Hdf5, TheLastSnapshotIsFoundThroughItsLink) {
  const ScratchDirectory directory;
  RunFile numbered;
  numbered.snapshot = some_snapshot();
  write_run_file(directory / "a-0001.h5", numbered);
  RunFile whole;
  whole.others = {{"a-0000.h5"}, {"a-0001.h5"}};
  write_run_file(directory / "a.h5", whole);
  EXPECT_EQ(read_run_snapshot(directory / "a.h5"), some_snapshot());
  std::filesystem::remove(directory / "a-0001.h5");
  const std::string error = error_of([&] { (void)read_run_snapshot(directory / "a.h5"); });
  EXPECT_NE(error.find("a.h5: particles/0000000002"), std::string::npos) << error;
}

TEST(Hdf5, TheSameContentHasTheSameBytes) {
  const ScratchDirectory directory;
  write_run_file(directory / "a.h5", some_file());
  write_run_file(directory / "b.h5", some_file());
  EXPECT_EQ(base::read_file(directory / "a.h5"), base::read_file(directory / "b.h5"));
}

TEST(Hdf5, WhatIsNoRunFileIsRefusedWithItsName) {
  const ScratchDirectory directory;
  const auto refusal = [&](const std::filesystem::path& path) {
    const std::string error = error_of([&] { (void)read_run_snapshot(path); });
    EXPECT_TRUE(error.starts_with(path.string())) << error;
    return error;
  };
  EXPECT_NE(refusal(directory / "none.h5").find("no such file"), std::string::npos);
  base::write_file(directory / "text.h5", "1\n2\n0\n");
  EXPECT_NE(refusal(directory / "text.h5").find("no HDF5 file"), std::string::npos);
  RunFile empty;
  write_run_file(directory / "empty.h5", empty);
  EXPECT_NE(refusal(directory / "empty.h5").find("no snapshot"), std::string::npos);
  write_run_file(directory / "a.h5", some_file());
  const std::string good = base::read_file(directory / "a.h5");
  for (std::size_t length = 0; length < good.size() - 8; length += 997) {
    base::write_file(directory / "cut.h5", good.substr(0, length));
    refusal(directory / "cut.h5");
  }
}

TEST(Hdf5, GadgetsFormKeepsEveryBitOfParticlesAndTime) {
  const ScratchDirectory directory;
  write_snapshot(directory / "a.hdf5", some_snapshot(), SnapshotFormat::gadget);
  const LoadedSnapshot read = load_run_snapshot(directory / "a.hdf5");
  EXPECT_EQ(read.snapshot.particles, some_snapshot().particles);
  EXPECT_EQ(read.snapshot.time, some_snapshot().time);
  ASSERT_EQ(read.notes.size(), 1u);  // Gadget's form states units only with numbers that are in them
  EXPECT_NE(read.notes[0].find("units"), std::string::npos) << read.notes[0];
  const std::string good = base::read_file(directory / "a.hdf5");
  for (std::size_t length = 0; length < good.size() - 8; length += 997) {
    base::write_file(directory / "cut.h5", good.substr(0, length));
    EXPECT_NE(error_of([&] { (void)read_run_snapshot(directory / "cut.h5"); }), "") << length;
  }
  EXPECT_NE(error_of([&] {
              write_snapshot(directory / "a.dat", some_snapshot(), SnapshotFormat::gadget);
            }).find("the name must end in .hdf5 or .h5"),
            std::string::npos);
}

TEST(Hdf5, InvalidParticlesAreNotWritten) {
  const ScratchDirectory directory;
  RunFile file = some_file();
  file.snapshot->particles.mass[2] = -1.0;
  EXPECT_NE(error_of([&] { write_run_file(directory / "a.h5", file); }).find("mass -1"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory / "a.h5"));
}

TEST(Hdf5, IsToldByTheNamesEnd) {
  EXPECT_TRUE(is_hdf5("a.h5"));
  EXPECT_TRUE(is_hdf5("folder.txt/a.hdf5"));
  EXPECT_FALSE(is_hdf5("a.txt"));
  EXPECT_FALSE(is_hdf5("h5"));
}

}  // namespace
}  // namespace gdr::hostlib
