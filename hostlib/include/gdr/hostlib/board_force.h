// Forces from the emulated board: the gravity-with-jerk kernels behind the interface that the integrator uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/device.h"
#include "gdr/hostlib/force_backend.h"
#include "gdr/hostlib/gravity_records.h"

namespace gdr::hostlib {

/// Names of gdr's own kernels with jerk.
[[nodiscard]] std::vector<std::string> jerk_kernels();

/// Noise of gdr's own kernels with jerk, as measured in docs/kernels/kernels.md. A kernel of another name is assumed to
/// compute with short words.
[[nodiscard]] ForceNoise noise_of_kernel(std::string_view kernel);

/// Runs a kernel of Type I that has the variables of GravityRecords and the parameter `ti`. Other variables are sent as
/// zero, and other results are ignored. Ids must fit the kernel's 36-bit integers.
class BoardForce final : public ForceBackend {
 public:
  /// Loads `program` into `device`, which must outlive this object and which nothing else may use. Throws gdr::Error if
  /// the engine is `timing`, or naming a variable that the program lacks.
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
  std::size_t j_written_ = 0;  // addresses from 0 on that were written, in any run
  GravityRecords records_;
};

}  // namespace gdr::hostlib
