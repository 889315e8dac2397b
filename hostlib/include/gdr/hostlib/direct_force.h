// The reference force engine: plain IEEE doubles on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/hostlib/force_backend.h"

namespace gdr::hostlib {

/// How the host computes. The options change no bit of the results.
struct DirectOptions {
  unsigned threads = 1;                  // up to 1024; 0: as many as the host has
  std::optional<emulator::HostIsa> isa;  // instruction set; none: emulator::default_host_isa()
};

/// Direct summation in host double over the j-particles, in ascending order of their addresses. i-particles are
/// processed side by side in the lanes of host vectors and divided among threads, and each has sums of its own. The
/// bits are therefore the same on every machine.
class DirectForce final : public ForceBackend {
 public:
  /// Throws gdr::Error for threads out of range or an instruction set that the host lacks.
  explicit DirectForce(const DirectOptions& options = {});

  void set_j_count(std::size_t n) override;
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override;
  void set_time(double t) override;
  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override;

 private:
  using Axes = std::array<std::vector<double>, 3>;  // x, y, z

  void predict();
  void in_parts(std::size_t all, std::size_t part, bool worth_threads,
                const std::function<void(std::size_t first, std::size_t last)>& work);

  emulator::HostIsa isa_;
  std::unique_ptr<emulator::ThreadPool> threads_;  // null for one thread
  // The memory of j-particles, one entry for each address. The vectors may be longer than j_count_ after the host's
  // memory ran out.
  std::size_t j_count_ = 0;
  std::vector<std::int64_t> id_;
  std::vector<double> mass_, t0_;
  Axes x_, v_, a_by_2_, jerk_by_6_, snap_by_18_;
  Axes predicted_x_, predicted_v_;  // at time_, valid while fresh_
  double time_ = 0.0;
  bool fresh_ = false;
};

}  // namespace gdr::hostlib
