#include "gdr/hostlib/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "gdr/base/file.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::ScratchDirectory;

Checkpoint some_checkpoint() {
  DirectForce force;
  HermiteIntegrator integrator(force, make_plummer(16, 1), {});
  integrator.evolve(0.4);
  return {integrator.state(), -0.25, "what a program adds"};
}

TEST(Checkpoint, RestartedRunEndsWithTheBitsOfAnUninterruptedOne) {
  const ScratchDirectory directory;
  const Particles start = make_plummer(64, 1);
  DirectForce one_force;
  HermiteIntegrator uninterrupted(one_force, start, {});
  uninterrupted.evolve(1.0);

  {
    DirectForce force;
    HermiteIntegrator first_half(force, start, {});
    first_half.evolve(0.4);
    ASSERT_GT(first_half.predicted_at(first_half.time()), 0U);  // the particles have times of their own
    write_checkpoint(directory / "half.ckpt", {first_half.state(), -0.25, {}});
  }
  const Checkpoint checkpoint = read_checkpoint(directory / "half.ckpt");
  DirectForce force;
  HermiteIntegrator second_half(force, checkpoint.state);
  second_half.evolve(1.0);
  EXPECT_EQ(state_hash(second_half.particles_at(1.0)), state_hash(uninterrupted.particles_at(1.0)));
  EXPECT_EQ(second_half.state(), uninterrupted.state());
}

TEST(Checkpoint, RoundTripKeepsEveryBitAndTheCheckpointBefore) {
  const ScratchDirectory directory;
  Checkpoint written = some_checkpoint();
  written.state.bodies[0].mass = std::numeric_limits<double>::denorm_min();
  written.state.bodies[1].id = std::numeric_limits<std::int64_t>::min();
  written.state.counters.smallest_steps = 5;
  written.state.counters.noise_limited_steps = 7;
  write_checkpoint(directory / "a.ckpt", some_checkpoint());
  write_checkpoint(directory / "a.ckpt", written);
  EXPECT_EQ(read_checkpoint(directory / "a.ckpt"), written);
  const auto files = std::distance(std::filesystem::directory_iterator(directory.path()), {});
  EXPECT_EQ(files, 2);
  EXPECT_EQ(read_checkpoint(directory / "a.ckpt~"), some_checkpoint());
}

TEST(Checkpoint, BehindASymbolicLinkKeepsTheCheckpointBefore) {
  const ScratchDirectory directory;
  std::filesystem::create_directory(directory / "scratch");
  // The second link leads over the first one.
  std::filesystem::create_symlink("scratch/a.ckpt", directory / "link");
  std::filesystem::create_symlink(directory / "link", directory / "second");
  for (const char* const name : {"link", "second"}) {
    std::filesystem::remove(directory / "scratch/a.ckpt");
    Checkpoint written = some_checkpoint();
    for (const double energy : {1.0, 2.0, 3.0}) {
      written.initial_energy = energy;
      write_checkpoint(directory / name, written);
      EXPECT_TRUE(std::filesystem::is_symlink(directory / name));
      EXPECT_EQ(read_checkpoint(directory / "scratch/a.ckpt").initial_energy, energy);
      if (energy == 1) continue;
      const auto before = previous_checkpoint(directory / name);
      EXPECT_FALSE(std::filesystem::is_symlink(before));
      EXPECT_EQ(read_checkpoint(before).initial_energy, energy - 1);
    }
  }
}

/// While an object exists, files of this process can have this many bytes at most.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Checkpoint, ThatCannotBeWrittenLeavesBothEarlierOnes) {
  const ScratchDirectory directory;
  const auto path = directory / "a.ckpt";
  const auto before = previous_checkpoint(path);
  write_checkpoint(before, some_checkpoint());  // as after a restart from it, of a run whose last one is damaged
  const std::string good = base::read_file(before);
  const std::string damaged = good.substr(0, good.size() / 2);
  base::write_file(path, damaged);
  {
    const FileLimit limit(512);
    EXPECT_NE(error_of([&] { write_checkpoint(path, some_checkpoint()); }).find("a.ckpt: cannot be written"),
              std::string::npos);
  }
  EXPECT_EQ(base::read_file(path), damaged);
  EXPECT_EQ(base::read_file(before), good);
}

TEST(Checkpoint, ReplacesNoOtherFilesThatHaveTheNameOfTheOneBefore) {
  const ScratchDirectory directory;
  const auto path = directory / "a.ckpt";
  const auto before = previous_checkpoint(path);
  write_checkpoint(path, some_checkpoint());
  std::filesystem::create_directory(before);
  write_checkpoint(path, some_checkpoint());
  EXPECT_TRUE(std::filesystem::is_directory(before));
  EXPECT_NE(error_of([&] { require_room_for_previous(path); }).find("a.ckpt~: "), std::string::npos);
  std::filesystem::remove(before);
  base::write_file(before, "notes");
  write_checkpoint(path, some_checkpoint());
  EXPECT_EQ(base::read_file(before), "notes");
  EXPECT_NE(error_of([&] { require_room_for_previous(path); }).find("it is no checkpoint"), std::string::npos);
  base::write_file(before, "gdrn");  // a copy that was cut off
  require_room_for_previous(path);
  // Nor does another file become the checkpoint before.
  base::write_file(path, "notes");
  write_checkpoint(path, some_checkpoint());
  EXPECT_EQ(base::read_file(before), "gdrn");
}

TEST(Checkpoint, EveryFlippedBitIsRefused) {
  const ScratchDirectory directory;
  const auto path = directory / "a.ckpt";
  write_checkpoint(path, some_checkpoint());
  const std::string good = base::read_file(path);
  for (std::size_t k = 0; k < good.size(); k += 7) {
    std::string damaged = good;
    damaged[k] = static_cast<char>(damaged[k] ^ 4);
    base::write_file(path, damaged);
    EXPECT_NE(error_of([&] { (void)read_checkpoint(path); }).find("checkpoint refused"), std::string::npos) << k;
  }
}

TEST(Checkpoint, ReasonOfTheRefusalIsNamed) {
  const ScratchDirectory directory;
  const auto path = directory / "a.ckpt";
  write_checkpoint(path, some_checkpoint());
  const std::string good = base::read_file(path);
  const auto error_for = [&](const std::string& bytes) {
    base::write_file(path, bytes);
    const std::string text = error_of([&] { (void)read_checkpoint(path); });
    EXPECT_NE(text.find("a.ckpt"), std::string::npos) << text;
    return text;
  };
  for (std::size_t length = 8; length < good.size(); length += 101) {
    EXPECT_NE(error_for(good.substr(0, length)).find("truncated"), std::string::npos) << length;
  }
  EXPECT_NE(error_for("").find("no checkpoint"), std::string::npos);
  EXPECT_NE(error_for("1\n2\n0.0\n").find("no checkpoint"), std::string::npos);
  EXPECT_NE(error_for(good + "x").find("damaged"), std::string::npos);
  std::string newer = good;
  newer[8] = 99;
  EXPECT_NE(error_for(newer).find("version 99"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)read_checkpoint(directory / "none"); }).find("none"), std::string::npos);
}

TEST(Checkpoint, StateThatBreaksTheSchemesRulesIsRefused) {
  const ScratchDirectory directory;
  const auto error_with = [&](const std::function<void(HermiteState&)>& change) {
    Checkpoint c = some_checkpoint();
    change(c.state);
    write_checkpoint(directory / "a.ckpt", c);
    return error_of([&] { (void)read_checkpoint(directory / "a.ckpt"); });
  };
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies[3].dt = 3; }).find("particle 3: step of 3"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies[3].dt = 0; }).find("step of 0"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies[3].t += 1; }).find("particle 3: time"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.time = -1; }).find("time of -1"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.options.eta = -1; }).find("eta = -1"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies[2].id = 1; }).find("id 1"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies[2].snap.x = 1 / 0.0; }).find("derivative"), std::string::npos);
  EXPECT_NE(error_with([](HermiteState& s) { s.bodies.clear(); }).find("length"), std::string::npos);
}

TEST(Checkpoint, InitialEnergyThatIsNotFiniteIsRefused) {
  const ScratchDirectory directory;
  for (const double energy : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Checkpoint c = some_checkpoint();
    c.initial_energy = energy;
    write_checkpoint(directory / "a.ckpt", c);
    EXPECT_NE(error_of([&] { (void)read_checkpoint(directory / "a.ckpt"); }).find("initial energy"), std::string::npos);
  }
}

}  // namespace
}  // namespace gdr::hostlib
