// The loops themselves, for the instruction set whose lanes are chosen. No product is fused with a sum, and the square
// root and the quotient are IEEE's: a lane's bits are those of the same formula on single doubles.
#pragma once

#include "direct_sums.h"
#include "lanes.h"

namespace gdr::hostlib::simd {
namespace {

/// As many particles as there are lanes; the polynomials of JParticle.
template <class L>
void predict_lanes(const MemoryColumns& memory, double time, const PredictedColumns& predicted, std::size_t at) {
  using Doubles = typename L::Doubles;
  const Doubles dt = Doubles(time) - L::load(memory.t0 + at);
  const Doubles snap_x = Doubles(0.75) * dt;
  const Doubles snap_v = Doubles(3.0) * dt;
  for (std::size_t k = 0; k < 3; ++k) {
    const Doubles v = L::load(memory.v[k] + at);
    const Doubles a = L::load(memory.a_by_2[k] + at);
    const Doubles jerk = L::load(memory.jerk_by_6[k] + at);
    const Doubles snap = L::load(memory.snap_by_18[k] + at);
    L::store(predicted.x[k] + at, L::load(memory.x[k] + at) + dt * (v + dt * (a + dt * (jerk + snap_x * snap))));
    L::store(predicted.v[k] + at, v + dt * (Doubles(2.0) * a + dt * (Doubles(3.0) * jerk + snap_v * snap)));
  }
}

void predict(const MemoryColumns& memory, double time, const PredictedColumns& predicted, std::size_t first,
             std::size_t last) {
  std::size_t at = first;
  for (; at + Lanes::kLanes <= last; at += Lanes::kLanes) predict_lanes<Lanes>(memory, time, predicted, at);
  for (; at < last; ++at) predict_lanes<OneLane>(memory, time, predicted, at);
}

/// i-particles, one a lane, and their sums.
struct Targets {
  using Doubles = Lanes::Doubles;
  Lanes::Ids id;
  Doubles x[3], v[3];
  Doubles acc[3], jerk[3], pot;

  void load(const TargetColumns& from, std::size_t at) {
    id = Lanes::load(from.id + at);
    pot = Doubles(0.0);
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = Lanes::load(from.x[k] + at);
      v[k] = Lanes::load(from.v[k] + at);
      acc[k] = jerk[k] = Doubles(0.0);
    }
  }
  void store(const TargetColumns& to, std::size_t at) const {
    Lanes::store(to.pot + at, pot);
    for (std::size_t k = 0; k < 3; ++k) {
      Lanes::store(to.acc[k] + at, acc[k]);
      Lanes::store(to.jerk[k] + at, jerk[k]);
    }
  }
  /// Adds what j-particle `j` causes. Where a lane's pair counts nothing its sums stay as they are: what is computed
  /// for it may be no number.
  void add(const SourceColumns& sources, std::size_t j, Doubles eps2) {
    Doubles d[3];
    Doubles u[3];
    for (std::size_t k = 0; k < 3; ++k) {
      d[k] = Doubles(sources.x[k][j]) - x[k];
      u[k] = Doubles(sources.v[k][j]) - v[k];
    }
    const Doubles s2 = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + eps2;
    const Doubles by_s2 = Doubles(1.0) / s2;
    const Doubles m_by_s = Doubles(sources.mass[j]) * Lanes::root(by_s2);
    const Doubles m_by_s3 = m_by_s * by_s2;
    const Doubles du = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
    const Doubles slope = (Doubles(3.0) * du) * by_s2;
    const Lanes::Mask nothing = Lanes::either(Lanes::equal(Lanes::Ids(sources.id[j]), id), Lanes::is_zero(s2));
    for (std::size_t k = 0; k < 3; ++k) {
      acc[k] = Lanes::choose(nothing, acc[k], acc[k] + m_by_s3 * d[k]);
      jerk[k] = Lanes::choose(nothing, jerk[k], jerk[k] + m_by_s3 * (u[k] - slope * d[k]));
    }
    pot = Lanes::choose(nothing, pot, pot - m_by_s);
  }
};

template <std::size_t vectors>
void sum_vectors(const SourceColumns& sources, double eps2, const TargetColumns& columns, std::size_t at) {
  Targets targets[vectors];
  for (std::size_t n = 0; n < vectors; ++n) targets[n].load(columns, at + n * Lanes::kLanes);
  for (std::size_t j = 0; j < sources.count; ++j) {
    for (Targets& each : targets) each.add(sources, j, Targets::Doubles(eps2));
  }
  for (std::size_t n = 0; n < vectors; ++n) targets[n].store(columns, at + n * Lanes::kLanes);
}

void sum(const SourceColumns& sources, double eps2, const TargetColumns& columns, std::size_t first, std::size_t last) {
  static_assert(Lanes::kLanes <= kMostLanes && kGroup % (Lanes::kVectors * Lanes::kLanes) == 0);
  std::size_t at = first;
  for (; at + Lanes::kVectors * Lanes::kLanes <= last; at += Lanes::kVectors * Lanes::kLanes) {
    sum_vectors<Lanes::kVectors>(sources, eps2, columns, at);
  }
  for (; at < last; at += Lanes::kLanes) sum_vectors<1>(sources, eps2, columns, at);
}

}  // namespace
}  // namespace gdr::hostlib::simd
