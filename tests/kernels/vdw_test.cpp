// vdw.vsm against host double.
#include <random>

#include "gdr/isa/loop_bound.h"
#include "reference.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

using emulator::FpEvents;
using hostlib::Vec3;

// Worst relative errors of one term, in roundings to short words: d 1, r^2 3, 1/r^2 6.5 (r^2's, 2 in the last round of
// Newton, 1.5 that a seed off by 12 % leaves after three rounds), q 7.5, q^3 24.5, e q^3 26, and of the brackets q^3 -
// 1 and q^3 - 1/2 25.5 of the sum of their terms. Potential: both factors and two roundings; force: both, 1/r^2, d and
// four.
constexpr double kVdwBound = 56 * kShort;
constexpr double kForceBound = 64 * kShort;

std::vector<VanDerWaals> on_board(const std::vector<Vec3>& xi, double eps2, double s2, const std::vector<Well>& wells,
                                  std::string_view engine = emulator::Engine::reference, FpEvents* events = nullptr) {
  Device board(options(engine));
  board.load(kernel("vdw"));
  Fields j;
  for (const Well& well : wells) j << well.x << well.depth;
  board.write_j(0, j.bits());
  Fields i;
  for (const Vec3& x : xi) i << x << eps2 << s2;
  const auto results = board.run(i.bits(), wells.size());
  std::vector<VanDerWaals> sums(xi.size());
  for (std::size_t k = 0; k < xi.size(); ++k) {
    sums[k].force = vector_in(results, 4 * k);
    sums[k].pot = number_in(results, 4 * k + 3);
  }
  if (events != nullptr) *events = board.counters().fp;
  return sums;
}

void expect_near(const VanDerWaals& found, const VanDerWaals& expected) {
  EXPECT_LE(norm(found.force - expected.force), kForceBound * expected.force_scale);
  EXPECT_LE(std::abs(found.pot - expected.pot), kVdwBound * expected.pot_scale);
}

TEST(VanDerWaals, LoopFitsItsLinesAndIsBoundByThem) {
  const isa::LoopBound bound = isa::loop_bound(kernel("vdw"));
  EXPECT_LE(bound.lines, 36u);
  EXPECT_EQ(bound.bound(), "lines");
}

TEST(VanDerWaals, LiquidAgreesWithDouble) {
  // A disturbed lattice whose neighbours stand near the well's bottom.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> disturbance(-0.1, 0.1);
  std::vector<Well> wells;
  for (int n = 0; n < 512; ++n) {
    const Vec3 site{1.1 * (n % 8), 1.1 * (n / 8 % 8), 1.1 * (n / 64)};
    wells.push_back({site + Vec3{disturbance(random), disturbance(random), disturbance(random)}, 0.5 + 0.001 * n});
  }
  std::vector<Vec3> xi;
  for (const Well& well : wells) xi.push_back(well.x);
  for (const double eps2 : {0.0, 0.01}) {
    const std::vector<VanDerWaals> found = on_board(xi, eps2, 1.0, wells, emulator::Engine::simd);
    for (std::size_t k = 0; k < xi.size(); ++k) expect_near(found[k], vdw(xi[k], eps2, 1.0, wells));
  }
}

TEST(VanDerWaals, OnePairObeysTheWorstCaseAtEveryDistance) {
  for (int exponent = -3; exponent <= 6; ++exponent) {
    const std::vector<Well> one{{{}, 0.7}};
    std::vector<Vec3> xi;
    for (int step = 0; step < 64; ++step) {
      const double r = std::ldexp(1.0 + step / 64.0 + 1e-9, exponent);
      xi.push_back({r * 0.6, r * -0.48, r * 0.64});
    }
    FpEvents events;
    const std::vector<VanDerWaals> found = on_board(xi, 0.0, 2.25, one, emulator::Engine::reference, &events);
    for (std::size_t k = 0; k < xi.size(); ++k) expect_near(found[k], vdw(xi[k], 0.0, 2.25, one));
    EXPECT_EQ(events, FpEvents());
  }
}

TEST(VanDerWaals, CoincidentPairContributesNothing) {
  FpEvents events;
  const VanDerWaals found =
      on_board({{0.3, -0.2, 0.7}}, 0.0, 1.0, {{{0.3, -0.2, 0.7}, 1.0}}, emulator::Engine::reference, &events).front();
  EXPECT_EQ(found.force, Vec3());
  EXPECT_EQ(found.pot, 0.0);
  EXPECT_EQ(events, FpEvents());
}

}  // namespace
}  // namespace gdr::kernels::testing
