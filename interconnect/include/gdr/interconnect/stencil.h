// The two applications of the paper on the hybrid method: 2-D Laplace and 3-D Himeno. Modelled time of an iteration on
// HA-PACS/TCA, choice of decomposition and method, and the sweeps themselves. IPSJ ACS 8(4), 2015, section 6.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/halo_plan.h"

namespace gdr::interconnect {

enum class Stencil { laplace, himeno };

struct StencilProblem {
  Stencil stencil = Stencil::himeno;
  std::string size;  // "S", "M" or "L"
  std::array<std::int64_t, kHaloDimensions> extent{1, 1, 1};
  std::size_t element_bytes = 4;
  double inner_points = 0;  // points that an iteration computes

  /// The array over split[0] x split[1] x split[2] ranks, with halos of 1 in the dimensions that are split.
  [[nodiscard]] HaloShape shape(const std::array<int, kHaloDimensions>& split) const;
};

/// Laplace: S (8192^2) or L (16384^2), in double precision. Himeno: S (64 x 64 x 128), M or L, each twice as long in
/// each dimension as the one before, in single precision. Throws gdr::Error for other sizes.
[[nodiscard]] StencilProblem stencil_problem(Stencil stencil, std::string_view size);

struct StencilTime {
  HaloTime halo;
  double compute = 0;     // s, on the GPU
  double all_reduce = 0;  // s, of Himeno's residual
  double iteration = 0;   // s
  double gflops = 0;
};

/// Time of an all-reduce of one double over ranks on nodes 0 to `ranks` - 1. In a sub-cluster, nodes at distances of 1,
/// 2, 4 and 8 exchange their sums by stores of the CPU, as the public runtime of XcalableACC does; then nodes of equal
/// places in 1, 2, 4, ... sub-clusters do so over InfiniBand. One rank takes no time.
[[nodiscard]] double all_reduce_time(int ranks, const HaloSystem& system);

/// Modelled time of one iteration. Throws gdr::Error as plan_halo() does.
[[nodiscard]] StencilTime stencil_time(const StencilProblem& problem, const std::array<int, kHaloDimensions>& split,
                                       HaloMethod method, const HaloSystem& system);

struct Advice {
  std::array<int, kHaloDimensions> split{1, 1, 1};
  HaloMethod method = HaloMethod::hybrid;
  StencilTime time;
  std::int64_t halo_bytes = 0;    // bytes that the busiest rank sends
  double block_stride_share = 0;  // share of halo_bytes in Block Stride faces
  int worst_hops = 0;             // most hops of a TCA message
  std::string reason;             // what bounds the exchange, in words
};

/// All decompositions over `nodes` that divide the array, with every method that reaches all neighbours; fastest
/// first. Throws gdr::Error if there is none.
[[nodiscard]] std::vector<Advice> plan_stencil(const StencilProblem& problem, int nodes, const HaloSystem& system);

/// A rank's part of a problem: the padded array of HaloShape.
struct StencilBlock {
  HaloShape shape;
  std::array<std::int64_t, kHaloDimensions> begin{};  // first element without halo, as index in the whole array

  StencilBlock(const HaloShape& shape, int rank);
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(shape.block_elements()); }
};

/// Set initial values; halos stay unchanged. Laplace: sin(pi j / (n - 1)) on the boundary i = 0, else 0. Himeno: i^2 /
/// (n - 1)^2.
void laplace_start(const StencilBlock& block, std::span<double> u);
void himeno_start(const StencilBlock& block, std::span<float> p);

/// One Jacobi sweep from `u` to `next` over the points that are not on the boundary of the whole array; boundary values
/// are copied to `next`. Returns the sum of squared changes.
double laplace_sweep(const StencilBlock& block, std::span<const double> u, std::span<double> next);
/// Himeno's sweep with the benchmark's coefficients a = (1, 1, 1, 1/6), b = 0, c = 1, omega = 0.8. Returns gosa, the
/// benchmark's residual.
double himeno_sweep(const StencilBlock& block, std::span<const float> p, std::span<float> next);

}  // namespace gdr::interconnect
