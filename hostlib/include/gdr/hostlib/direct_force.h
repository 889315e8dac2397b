// The reference among the force engines: plain IEEE double on the host.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gdr/hostlib/force_backend.h"

namespace gdr::hostlib {

/// Direct summation in host double, j-particles in ascending address. Same bits on every machine.
class DirectForce final : public ForceBackend {
 public:
  void set_j_count(std::size_t n) override;
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override;
  void set_time(double t) override;
  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override;

 private:
  struct Source {
    std::int64_t id;
    double mass;
    Vec3 x;
    Vec3 v;
  };
  void predict();

  std::vector<JParticle> memory_;
  std::vector<Source> predicted_;  // memory_ at time_, valid while fresh_
  double time_ = 0.0;
  bool fresh_ = false;
};

}  // namespace gdr::hostlib
