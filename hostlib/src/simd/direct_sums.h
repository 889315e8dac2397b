// The loops of DirectForce for one instruction set of the host: i-particles, or j-particles that are predicted, stand
// side by side in the lanes of host vectors. Every lane does the same IEEE operations in the same order on every host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gdr::emulator {
enum class HostIsa : std::uint8_t;  // its header has functions, which are not to be compiled for one instruction set
}

namespace gdr::hostlib::simd {

template <class Number>
using Axes = std::array<Number*, 3>;  // x, y, z

/// j-particles as JParticle has them, one column a member.
struct MemoryColumns {
  const double* t0;
  Axes<const double> x, v, a_by_2, jerk_by_6, snap_by_18;
};

/// The same at the time of the forces.
struct PredictedColumns {
  Axes<double> x, v;
};

struct SourceColumns {
  std::size_t count;
  const std::int64_t* id;
  const double* mass;
  Axes<const double> x, v;
};

/// i-particles and their sums. The columns are longer than the number of particles by kMostLanes - 1 at least.
struct TargetColumns {
  const std::int64_t* id;
  Axes<const double> x, v;
  Axes<double> acc, jerk;
  double* pot;
};

inline constexpr std::size_t kMostLanes = 8;
inline constexpr std::size_t kGroup = 16;  // i-particles that are summed for side by side, at most

struct DirectLoops {
  /// Particles `first` to `last` - 1.
  void (*predict)(const MemoryColumns& memory, double time, const PredictedColumns& predicted, std::size_t first,
                  std::size_t last);
  /// Sums over all sources for i-particles `first` to `last` - 1, and for what stands behind them up to a whole vector.
  void (*sum)(const SourceColumns& sources, double eps2, const TargetColumns& targets, std::size_t first,
              std::size_t last);
};

[[nodiscard]] DirectLoops direct_loops(emulator::HostIsa isa);

}  // namespace gdr::hostlib::simd
