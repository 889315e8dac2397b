// The tutorial, counting and nearest-neighbour kernels on every shape of machine, with counts of j-particles around the
// sizes of a round of blocks, chips and boards.
#include <limits>
#include <random>
#include <tuple>

#include "reference.h"
#include "testing.h"

namespace gdr::kernels::testing {
namespace {

struct Shape {
  const char* machine;
  unsigned boards;
  std::string_view engine;
};

class SmallKernels : public ::testing::TestWithParam<std::tuple<Shape, std::size_t>> {
 protected:
  static Device device(std::string_view name) {
    const Shape& shape = std::get<0>(GetParam());
    Device device(options(shape.engine, shape.machine, shape.boards));
    device.load(kernel(name));
    return device;
  }
  static std::size_t nj() { return std::get<1>(GetParam()); }

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::int64_t tag() {
    return std::uniform_int_distribution<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000)(random_);
  }

  std::mt19937_64 random_{7};
};

/// Two runs of a chip, the second one not full.
constexpr std::size_t kParticles = 131;

TEST_P(SmallKernels, CountMeetsEveryPairOnce) {
  Device board = device("count");
  std::vector<std::int64_t> tagj(nj());
  for (std::int64_t& value : tagj) value = tag();
  Fields j;
  for (const std::int64_t value : tagj) j << value;
  board.write_j(0, j.bits());
  std::vector<std::int64_t> tagi(kParticles);
  for (std::size_t i = 0; i < kParticles; ++i) tagi[i] = i < nj() ? tagj[i] : tag();
  Fields i_fields;
  for (const std::int64_t value : tagi) i_fields << value;
  const auto results = board.run(i_fields.bits(), nj());
  for (std::size_t i = 0; i < kParticles; ++i) {
    const auto field = [&](std::size_t n) { return static_cast<std::int64_t>(results.at(3 * i + n)); };
    EXPECT_EQ((Counted{field(0), field(1), field(2)}), count(tagi[i], tagj)) << "i-particle " << i;
  }
}

TEST_P(SmallKernels, NearestIsTheSmallestDistance) {
  Device board = device("nearest");
  std::vector<hostlib::Vec3> xj(nj());
  Fields j;
  for (hostlib::Vec3& x : xj) {
    x = {number(-1, 1), number(-1, 1), number(-1, 1)};
    j << x;
  }
  board.write_j(0, j.bits());
  std::vector<hostlib::Vec3> xi(kParticles);
  Fields i_fields;
  for (hostlib::Vec3& x : xi) {
    x = {number(-1, 1), number(-1, 1), number(-1, 1)};
    i_fields << x;
  }
  const auto results = board.run(i_fields.bits(), nj());
  for (std::size_t i = 0; i < kParticles; ++i) {
    const double expected = nearest(xi[i], xj);
    if (nj() == 0) {
      EXPECT_EQ(number_in(results, i), std::numeric_limits<double>::infinity());
    } else {
      // Each difference is rounded to a short word and squared; the rest is long.
      EXPECT_NEAR(number_in(results, i), expected, 2.1 * kShort * expected);
    }
  }
}

TEST_P(SmallKernels, TutorialSumsMassTimesDistance) {
  Device board = device("tutorial");
  std::vector<double> xj(nj());
  std::vector<double> mj(nj());
  Fields j;
  for (std::size_t n = 0; n < nj(); ++n) {
    xj[n] = number(-1, 1);
    mj[n] = number(0, 1);
    j << xj[n] << mj[n];
  }
  board.write_j(0, j.bits());
  std::vector<double> xi(kParticles);
  Fields i_fields;
  for (double& x : xi) i_fields << (x = number(-1, 1));
  const auto results = board.run(i_fields.bits(), nj());
  for (std::size_t i = 0; i < kParticles; ++i) {
    double scale = 0;
    for (std::size_t n = 0; n < nj(); ++n) scale += std::abs(mj[n] * (xj[n] - xi[i]));
    // The mass is rounded to a short word; all else is long.
    EXPECT_NEAR(number_in(results, i), tutorial(xi[i], xj, mj), 1.01 * kShort * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, SmallKernels,
                         ::testing::Combine(::testing::Values(Shape{"model1800", 1, emulator::Engine::reference},
                                                              Shape{"model1800", 1, emulator::Engine::simd},
                                                              Shape{"model1800", 2, emulator::Engine::simd},
                                                              Shape{"model450", 1, emulator::Engine::simd},
                                                              Shape{"model450", 2, emulator::Engine::reference}),
                                            ::testing::Values(0u, 1u, 37u, 64u, 65u)),
                         [](const auto& tested) {
                           const Shape& shape = std::get<0>(tested.param);
                           return std::string(shape.machine) + "Boards" + std::to_string(shape.boards) +
                                  (shape.engine == emulator::Engine::simd ? "Simd" : "Reference") + "Nj" +
                                  std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace gdr::kernels::testing
