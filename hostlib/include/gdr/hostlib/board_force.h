// Forces on the emulated board: the gravity-with-jerk kernels behind the integrator's interface.
#pragma once

#include <string_view>

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/force_backend.h"

namespace gdr::hostlib {

/// Noise of the shipped kernels with jerk, as docs/kernels.md measures it; other names are taken for kernels of short
/// words.
[[nodiscard]] ForceNoise noise_of_kernel(std::string_view kernel);

/// Runs a kernel with the variables of kernels/gravity_jerk.vsm (any Type-I program with them): j-data xj[3] vj[3]
/// aby2[3] a1by6[3] a2by18[3] mj tj indexj, i-data xi[3] vi[3] eps2 indexi, parameter ti, results acc[3] jerk[3] pot;
/// others are sent as zero and ignored. Ids must fit the kernel's 36-bit integers.
class BoardForce final : public ForceBackend {
 public:
  /// `device` must outlive this and serve it alone; `program` is loaded into it. Throws gdr::Error naming a variable
  /// that the program lacks.
  BoardForce(Device& device, isa::Program program);

  void set_j_count(std::size_t n) override;
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override;
  void set_time(double t) override;
  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override;
  [[nodiscard]] ForceNoise noise() const override { return noise_; }

 private:
  Device& device_;
  ForceNoise noise_;
  std::size_t j_count_ = 0;
  struct Layout {
    std::size_t fields = 0;
    std::size_t x = 0, v = 0, a_by_2 = 0, jerk_by_6 = 0, snap_by_18 = 0, mass = 0, t0 = 0, index = 0, eps2 = 0;
    std::size_t acc = 0, jerk = 0, pot = 0;
  };
  Layout j_;
  Layout i_;
  Layout result_;
};

}  // namespace gdr::hostlib
