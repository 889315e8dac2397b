// What the force engines refuse of their callers: both the same, in the same words, and before anything is written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/kernel_program.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class ForceCalls : public ::testing::TestWithParam<const char*> {
 protected:
  /// Two particles of mass 1, at x = 1 and x = 2.
  void SetUp() override {
    const std::string kernel = GetParam();
    if (kernel == "doubles") {
      force_ = std::make_unique<DirectForce>();
    } else {
      force_ = std::make_unique<BoardForce>(device_, kernel_program(kernel));
    }
    force_->set_j_count(2);
    const std::array<std::size_t, 2> addresses{0, 1};
    std::array<JParticle, 2> particles;
    for (std::size_t k = 0; k < 2; ++k) {
      particles[k].id = static_cast<std::int64_t>(k);
      particles[k].mass = 1;
      particles[k].x.x = static_cast<double>(k + 1);
    }
    force_->set_j_particles(addresses, particles);
    force_->set_time(0);
  }
  Force at_origin(double eps2 = 0) {
    IParticle particle;
    particle.id = 7;
    return force_->evaluate({&particle, 1}, eps2).at(0);
  }

  Device device_;
  std::unique_ptr<ForceBackend> force_;
};

TEST_P(ForceCalls, RefuseNanInEveryNumberOfAParticle) {
  const std::array<std::function<double&(JParticle&)>, 17> numbers{
      [](JParticle& j) -> double& { return j.mass; },         [](JParticle& j) -> double& { return j.t0; },
      [](JParticle& j) -> double& { return j.x.x; },          [](JParticle& j) -> double& { return j.x.y; },
      [](JParticle& j) -> double& { return j.x.z; },          [](JParticle& j) -> double& { return j.v.x; },
      [](JParticle& j) -> double& { return j.v.y; },          [](JParticle& j) -> double& { return j.v.z; },
      [](JParticle& j) -> double& { return j.a_by_2.x; },     [](JParticle& j) -> double& { return j.a_by_2.y; },
      [](JParticle& j) -> double& { return j.a_by_2.z; },     [](JParticle& j) -> double& { return j.jerk_by_6.x; },
      [](JParticle& j) -> double& { return j.jerk_by_6.y; },  [](JParticle& j) -> double& { return j.jerk_by_6.z; },
      [](JParticle& j) -> double& { return j.snap_by_18.x; }, [](JParticle& j) -> double& { return j.snap_by_18.y; },
      [](JParticle& j) -> double& { return j.snap_by_18.z; }};
  const double before = at_origin().pot;
  for (const auto& number : numbers) {
    std::array<JParticle, 2> particles;
    particles[0].mass = 100;  // would be seen
    particles[1].id = 5;
    number(particles[1]) = kNan;
    const std::array<std::size_t, 2> addresses{0, 1};
    EXPECT_EQ(error_of([&] { force_->set_j_particles(addresses, particles); }),
              "set_j_particles: the particle of id 5 for address 1 has a number that is NaN");
    EXPECT_EQ(at_origin().pot, before);
  }
}

TEST_P(ForceCalls, RefuseAddressesBeyondTheCountAndOtherNumbersOfThem) {
  const double before = at_origin().pot;
  std::array<JParticle, 2> particles;
  particles[0].mass = 100;
  const std::array<std::size_t, 2> addresses{0, 2};
  EXPECT_EQ(error_of([&] { force_->set_j_particles(addresses, particles); }),
            "set_j_particles: address 2 is not below the j count 2");
  EXPECT_EQ(error_of([&] { force_->set_j_particles(std::span(addresses).first(1), particles); }),
            "set_j_particles: 1 addresses for 2 particles");
  EXPECT_EQ(at_origin().pot, before);
}

TEST_P(ForceCalls, KeepTheLastParticleOfAnAddressThatIsThereTwice) {
  std::array<JParticle, 2> particles;
  particles[0].mass = 100;
  particles[1].x.x = 4;
  particles[1].mass = 1;
  const std::array<std::size_t, 2> addresses{0, 0};
  force_->set_j_particles(addresses, particles);
  EXPECT_NEAR(at_origin().pot, -0.75, 1e-6);  // -1 / 4 - 1 / 2
}

TEST_P(ForceCalls, RefuseNanInIParticlesTimesAndSoftening) {
  for (const double eps2 : {kNan, -1.0})
    EXPECT_NE(error_of([&] { at_origin(eps2); }).find("evaluate: eps2 = "), std::string::npos);
  for (const bool of_velocity : {false, true}) {
    std::array<IParticle, 2> particles;
    particles[1].id = 6;
    (of_velocity ? particles[1].v.z : particles[1].x.y) = kNan;
    EXPECT_EQ(error_of([&] { static_cast<void>(force_->evaluate(particles, 0)); }),
              "evaluate: the particle of id 6 has a number that is NaN");
  }
  for (const double t : {kNan, HUGE_VAL}) {
    EXPECT_NE(error_of([&] { force_->set_time(t); }).find("is refused: a time is finite"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ForceCalls, ::testing::Values("doubles", "gravity_jerk", "gravity_jerk_136"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace gdr::hostlib
