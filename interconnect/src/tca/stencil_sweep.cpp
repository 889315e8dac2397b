// Sweeps of Laplace and Himeno over a rank's block.
#include <cmath>
#include <numbers>

#include "gdr/interconnect/stencil.h"

namespace gdr::interconnect {
namespace {

/// Index arithmetic of a padded block.
struct Padded {
  explicit Padded(const StencilBlock& block)
      : pitch{block.shape.padded(1) * block.shape.padded(2), block.shape.padded(2), 1} {
    for (int d = 0; d < kHaloDimensions; ++d) {
      const auto k = static_cast<std::size_t>(d);
      first[k] = block.shape.width[k];
      last[k] = first[k] + block.shape.local(d);
      global[k] = block.begin[k] - first[k];
    }
  }
  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i * pitch[0] + j * pitch[1] + k);
  }
  std::array<std::int64_t, 3> pitch;
  std::array<std::int64_t, 3> first{};   // padded index of the first element without halo
  std::array<std::int64_t, 3> last{};    // one beyond the last
  std::array<std::int64_t, 3> global{};  // index in the whole array = padded index + global
};

template <class Visit>
void for_each(const Padded& p, Visit visit) {
  for (std::int64_t i = p.first[0]; i < p.last[0]; ++i) {
    for (std::int64_t j = p.first[1]; j < p.last[1]; ++j) {
      for (std::int64_t k = p.first[2]; k < p.last[2]; ++k) visit(i, j, k);
    }
  }
}

}  // namespace

StencilBlock::StencilBlock(const HaloShape& whole, int rank) : shape(whole) {
  shape.check();
  const auto at = shape.coordinates(rank);
  for (int d = 0; d < kHaloDimensions; ++d) {
    begin[static_cast<std::size_t>(d)] = at[static_cast<std::size_t>(d)] * shape.local(d);
  }
}

void laplace_start(const StencilBlock& block, std::span<double> u) {
  const Padded p(block);
  const auto n = static_cast<double>(block.shape.extent[1]);
  for_each(p, [&](auto i, auto j, auto k) {
    const bool edge = i + p.global[0] == 0;
    u[p.at(i, j, k)] = edge ? std::sin(std::numbers::pi * static_cast<double>(j + p.global[1]) / (n - 1)) : 0;
  });
}

void himeno_start(const StencilBlock& block, std::span<float> pressure) {
  const Padded p(block);
  const auto n = static_cast<float>(block.shape.extent[0] - 1);
  for_each(p, [&](auto i, auto j, auto k) {
    const auto row = static_cast<float>(i + p.global[0]);
    pressure[p.at(i, j, k)] = row * row / (n * n);
  });
}

double laplace_sweep(const StencilBlock& block, std::span<const double> u, std::span<double> next) {
  const Padded p(block);
  double change = 0;
  for_each(p, [&](auto i, auto j, auto k) {
    const std::size_t here = p.at(i, j, k);
    const std::int64_t gi = i + p.global[0];
    const std::int64_t gj = j + p.global[1];
    next[here] = u[here];
    if (gi == 0 || gi == block.shape.extent[0] - 1 || gj == 0 || gj == block.shape.extent[1] - 1) return;
    next[here] = 0.25 * (u[p.at(i - 1, j, k)] + u[p.at(i + 1, j, k)] + u[p.at(i, j - 1, k)] + u[p.at(i, j + 1, k)]);
    const double difference = next[here] - u[here];
    change += difference * difference;
  });
  return change;
}

double himeno_sweep(const StencilBlock& block, std::span<const float> p, std::span<float> next) {
  // The benchmark's coefficients are constant: a0 to a2 and c0 to c2 are 1; b0 to b2 are 0, and so are all terms of
  // points across an edge; a3 is 1/6, the boundary 1 and the source 0.
  constexpr float kLast = 1.0F / 6.0F;
  constexpr float kOmega = 0.8F;
  const Padded a(block);
  double gosa = 0;
  for_each(a, [&](auto i, auto j, auto k) {
    const std::size_t here = a.at(i, j, k);
    next[here] = p[here];
    const std::array<std::int64_t, 3> g{i + a.global[0], j + a.global[1], k + a.global[2]};
    for (std::size_t d = 0; d < kHaloDimensions; ++d) {
      if (g[d] == 0 || g[d] == block.shape.extent[d] - 1) return;
    }
    const float s0 = p[a.at(i + 1, j, k)] + p[a.at(i, j + 1, k)] + p[a.at(i, j, k + 1)] + p[a.at(i - 1, j, k)] +
                     p[a.at(i, j - 1, k)] + p[a.at(i, j, k - 1)];
    const float ss = s0 * kLast - p[here];
    gosa += static_cast<double>(ss) * static_cast<double>(ss);
    next[here] = p[here] + kOmega * ss;
  });
  return gosa;
}

}  // namespace gdr::interconnect
