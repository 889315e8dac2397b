// Sums over ranks: the rules of docs/machine/arithmetic.md hold beyond the boards of one process.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "gdr/cluster/nbody_ranks.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/kernel_program.h"
#include "thread_ranks.h"

namespace gdr::cluster {
namespace {

using emulator::FpEvent;
using emulator::Junction;
using emulator::JunctionEvent;
using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;

constexpr unsigned kRanks = 3;
constexpr unsigned kBoardChips = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

JParticle at(std::int64_t id, double x, double mass) {
  JParticle particle;
  particle.id = id;
  particle.mass = mass;
  particle.x = {x, 0.25, -0.5};
  particle.v = {0.125, 0.25, 0.5};
  return particle;
}

/// A particle for every chip of three boards, all of mass 0.
std::vector<JParticle> massless() {
  std::vector<JParticle> particles;
  for (unsigned chip = 0; chip < kRanks * kBoardChips; ++chip) particles.push_back(at(100 + chip, 1, 0));
  return particles;
}

/// Masses of all sizes, infinite ones among them.
std::vector<JParticle> wild(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<JParticle> particles = massless();
  for (JParticle& particle : particles) {
    particle.x.x = random() % 2 == 0 ? 1 : -1;
    switch (random() % 5) {
      case 0:
        particle.mass = kInfinity;
        break;
      case 1:
        particle.mass = 0x1p1023;
        break;
      case 2:
        particle.mass = 0x1p-1021 * (1 + static_cast<double>(random() % 1024) / 1024);
        break;
      default:
        particle.mass = 1 + static_cast<double>(random() % 1024) / 1024;
    }
  }
  return particles;
}

struct Found {
  std::vector<Force> forces;
  emulator::FpEvents counted;
  std::vector<JunctionEvent> first;  // of the junction between boards or ranks
};

std::vector<IParticle> targets() {
  std::vector<IParticle> particles;
  for (int n = 0; n < 5; ++n) particles.push_back({n, {0.0625 * n, 0.25, -0.5}, {0.125, 0.25, 0.5}});
  return particles;
}

Found computed(hostlib::ForceBackend& backend, const Device& device, const std::vector<JParticle>& particles,
               Junction junction) {
  std::vector<std::size_t> addresses;
  for (std::size_t n = 0; n < particles.size(); ++n) addresses.push_back(n);
  backend.set_j_count(particles.size());
  backend.set_j_particles(addresses, particles);
  backend.set_time(0);
  Found found{backend.evaluate(targets(), 0.01), device.counters().fp, {}};
  for (const JunctionEvent& event : device.first_junction_events()) {
    if (event.junction == junction) found.first.push_back(event);
  }
  return found;
}

DeviceOptions with_boards(unsigned boards) {
  DeviceOptions options;
  options.threads = 1;
  options.boards = boards;
  return options;
}

/// By one process with a board for each rank.
Found of_one_process(const std::vector<JParticle>& particles) {
  Device device(with_boards(kRanks));
  hostlib::BoardForce backend(device, hostlib::kernel_program("gravity_jerk"));
  return computed(backend, device, particles, Junction::board);
}

std::vector<Found> of_ranks(const std::vector<JParticle>& particles) {
  std::vector<Found> found(kRanks);
  tests::run_on_threads(kRanks, [&](Communicator& communicator) {
    Device device(with_boards(1));
    NbodyRanks ranks(communicator, split_named("j", kRanks), load_cluster("grape-dr-64"));
    const auto backend = ranks.share(device, hostlib::kernel_program("gravity_jerk"));
    found[communicator.rank()] = computed(*backend, device, particles, Junction::rank);
  });
  return found;
}

std::vector<std::uint64_t> bits_of(const std::vector<Force>& forces) {
  std::vector<std::uint64_t> bits;
  for (const Force& f : forces) {
    for (const double number : {f.acc.x, f.acc.y, f.acc.z, f.jerk.x, f.jerk.y, f.jerk.z, f.pot}) {
      bits.push_back(std::bit_cast<std::uint64_t>(number));
    }
  }
  return bits;
}

TEST(RankSums, OfInfinitiesOfBothSignsAreInfiniteWithAnEventAtTheRank) {
  std::vector<JParticle> particles = massless();
  particles[0].mass = kInfinity;  // on the first rank's board, to the right of the targets
  particles[kBoardChips].mass = kInfinity;
  particles[kBoardChips].x.x = -1;  // on the second one's, to the left
  const std::vector<Found> found = of_ranks(particles);
  for (const Found& of_rank : found) {
    for (const Force& force : of_rank.forces) EXPECT_EQ(force.acc.x, kInfinity);
  }
  // The second rank adds up the forces on the second to third particle of five.
  ASSERT_FALSE(found[1].first.empty());
  const JunctionEvent& event = found[1].first.front();
  EXPECT_EQ(event.event, FpEvent::invalid);
  EXPECT_EQ(event.chip, 1u) << "at what the second rank sent";
  EXPECT_EQ(event.result, 1u);
  const isa::Program program = hostlib::kernel_program("gravity_jerk");
  EXPECT_EQ(program.variables[event.variable].name, "acc");
  EXPECT_EQ(emulator::text_of(program, event), "invalid in the sum over ranks, at rank 1: result 1 of acc");
}

TEST(RankSums, AreThoseOfOneProcessWithAllBoards) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::vector<JParticle> particles = wild(seed);
    const Found expected = of_one_process(particles);
    const std::vector<Found> found = of_ranks(particles);
    emulator::FpEvents counted;
    for (const Found& of_rank : found) {
      EXPECT_EQ(bits_of(of_rank.forces), bits_of(expected.forces)) << seed;
      counted += of_rank.counted;
    }
    EXPECT_EQ(counted, expected.counted) << seed;
    for (const Force& f : expected.forces) {
      for (const double number : {f.acc.x, f.acc.y, f.acc.z, f.jerk.x, f.jerk.y, f.jerk.z, f.pot}) {
        EXPECT_FALSE(std::isnan(number)) << seed;
        EXPECT_NE(std::fpclassify(number), FP_SUBNORMAL) << seed;
        EXPECT_FALSE(number == 0 && std::signbit(number)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace gdr::cluster
