// The published conditions at more particles: N = 256 and 1024 to t = 1 with eps 0.01 and eta 0.1.
#include <gtest/gtest.h>

#include <cstdio>

#include "board_sphere.h"

namespace gdr::hostlib::testing {
namespace {

class LongSphere : public ::testing::TestWithParam<std::pair<std::size_t, std::uint64_t>> {};

TEST_P(LongSphere, KeepsItsEnergyAndItsRadius) {
  const auto [n, seed] = GetParam();
  const SphereRun run = integrate_sphere(n, seed, 1, {});
  std::printf("N = %zu, seed %llu: dE/E = %+.2e, half-mass radius %.4f to %.4f\n", n,
              static_cast<unsigned long long>(seed), run.energy_error, run.half_mass_before, run.half_mass_after);
  EXPECT_LE(std::abs(run.energy_error), n <= 256 ? 2e-7 : 1e-6);
  EXPECT_NEAR(run.half_mass_after / run.half_mass_before, 1, 2 / std::sqrt(static_cast<double>(n)));
}

INSTANTIATE_TEST_SUITE_P(Nightly, LongSphere,
                         ::testing::Values(std::pair(256, 1), std::pair(256, 2), std::pair(256, 3), std::pair(256, 4),
                                           std::pair(1024, 1), std::pair(1024, 2), std::pair(1024, 3)),
                         [](const auto& sphere) {
                           return "N" + std::to_string(sphere.param.first) + "Seed" +
                                  std::to_string(sphere.param.second);
                         });

}  // namespace
}  // namespace gdr::hostlib::testing
