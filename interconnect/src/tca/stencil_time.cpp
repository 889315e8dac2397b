// Modelled time of an iteration of Laplace and Himeno, and the planner. IPSJ ACS 8(4), 2015, section 6.
#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/units.h"
#include "gdr/interconnect/stencil.h"

namespace gdr::interconnect {

HaloShape StencilProblem::shape(const std::array<int, kHaloDimensions>& split) const {
  HaloShape shape{extent, split, {}, element_bytes};
  for (std::size_t d = 0; d < kHaloDimensions; ++d) shape.width[d] = split[d] > 1 ? 1 : 0;
  return shape;
}

StencilProblem stencil_problem(Stencil stencil, std::string_view size) {
  if (stencil == Stencil::laplace) {
    if (size != "S" && size != "L") throw Error(fmt::format("size '{}' is refused: Laplace has S and L", size));
    const std::int64_t n = size == "S" ? 8192 : 16384;
    const auto inner = static_cast<double>(n - 2);
    return {stencil, std::string(size), {n, n, 1}, sizeof(double), inner * inner};
  }
  if (size != "S" && size != "M" && size != "L") {
    throw Error(fmt::format("size '{}' is refused: Himeno has S, M and L", size));
  }
  const std::int64_t n = size == "S" ? 64 : size == "M" ? 128 : 256;
  const auto inner = static_cast<double>(n - 2);
  return {stencil, std::string(size), {n, n, 2 * n}, sizeof(float), inner * inner * static_cast<double>(2 * n - 2)};
}

double all_reduce_time(int ranks, const HaloSystem& system) {
  constexpr double kBytes = sizeof(double);
  // A cable that is out is not modelled here: faces change to InfiniBand then, and so would these few bytes.
  const SubCluster whole(system.sub_cluster.rings(), system.sub_cluster.ring_nodes(),
                         system.sub_cluster.window().bytes(), system.board.devices);
  const int inside = std::min(ranks, whole.nodes());
  double seconds = 0;
  for (int distance = 1; distance < inside; distance *= 2) {
    int hops = 1;
    for (int node = 0; node < inside; ++node) {
      const int partner = node ^ distance;
      if (partner < inside) hops = std::max(hops, whole.hops(node, partner));
    }
    seconds += system.board.pio(kBytes, Memory::cpu) + (hops - 1) * system.cluster.hop;
  }
  const int sub_clusters = (ranks + whole.nodes() - 1) / whole.nodes();
  for (int distance = 1; distance < sub_clusters; distance *= 2) {
    seconds += system.cluster.mpi_message(kBytes, GdrPath::same_socket);
  }
  return seconds;
}

namespace {

StencilTime time_of(const StencilProblem& problem, const HaloPlans& plans, const HaloSystem& system) {
  const HaPacsTca& m = system.cluster;
  const double point = problem.stencil == Stencil::himeno ? m.himeno_point : m.laplace_point;
  double points = 1;
  for (int d = 0; d < kHaloDimensions; ++d) points *= static_cast<double>(plans.shape.local(d));
  StencilTime time;
  time.halo = exchange_time(plans, system);
  time.compute = points * point / m.memory_rate;
  // Himeno's residual is reduced over all nodes through the hosts in every iteration; Laplace's loop has no such step.
  const bool reduces = problem.stencil == Stencil::himeno;
  time.all_reduce = reduces ? all_reduce_time(plans.shape.ranks(), system) : 0;
  time.iteration = time.compute + time.halo.total + time.all_reduce + (reduces ? m.iteration_overhead : 0);
  const double flops = problem.stencil == Stencil::himeno ? m.himeno_flops : m.laplace_flops;
  time.gflops = flops * problem.inner_points / time.iteration * 1e-9;
  return time;
}

}  // namespace

StencilTime stencil_time(const StencilProblem& problem, const std::array<int, kHaloDimensions>& split,
                         HaloMethod method, const HaloSystem& system) {
  return time_of(problem, plan_halo(problem.shape(split), method, system), system);
}

namespace {

std::string reason_of(const HaloPlans& plans, const StencilTime& time, const Advice& advice) {
  const HaloTime& halo = time.halo;
  std::string text;
  const auto part = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  switch (plans.method) {
    case HaloMethod::tca:
      part(fmt::format("PEACH2 carries all faces in {:.1f} us", halo.tca * kMega));
      break;
    case HaloMethod::mv2gdr:
      part(fmt::format("InfiniBand carries all faces in {:.1f} us", halo.mpi * kMega));
      break;
    case HaloMethod::hybrid:
      part(fmt::format("PEACH2 {:.1f} us beside InfiniBand {:.1f} us", halo.tca * kMega, halo.mpi * kMega));
      if (halo.tca == 0 || halo.mpi == 0) part("one network idle");
      break;
  }
  part(halo.pack > 0 ? fmt::format("packing {:.1f} us", halo.pack * kMega) : std::string("nothing packed"));
  if (advice.worst_hops > 1) part(fmt::format("up to {} hops", advice.worst_hops));
  if (halo.collided) part("packets collide");
  return text;
}

Advice advice_of(const StencilProblem& problem, const std::array<int, kHaloDimensions>& split, HaloMethod method,
                 const HaloSystem& system, const std::vector<int>& nodes) {
  const HaloPlans plans = plan_halo(problem.shape(split), method, system, nodes);
  Advice advice{split, method, time_of(problem, plans, system), 0, 0, 0, {}};
  const HaloPlan* busiest = &plans.ranks.front();
  for (std::size_t rank = 0; rank < plans.ranks.size(); ++rank) {
    const HaloPlan& plan = plans.ranks[rank];
    if (plan.bytes() > busiest->bytes()) busiest = &plan;
    for (const HaloDirection& d : plan.directions) {
      if (d.carrier != Carrier::tca) continue;
      const int whole = system.sub_cluster.nodes();
      advice.worst_hops = std::max(
          advice.worst_hops,
          system.sub_cluster.hops(plans.nodes[rank] % whole, plans.nodes[static_cast<std::size_t>(d.peer)] % whole));
    }
  }
  advice.halo_bytes = busiest->bytes();
  if (advice.halo_bytes > 0) {
    advice.block_stride_share =
        static_cast<double>(busiest->bytes(Pattern::block_stride)) / static_cast<double>(advice.halo_bytes);
  }
  advice.reason = reason_of(plans, advice.time, advice);
  return advice;
}

}  // namespace

std::vector<Advice> plan_stencil(const StencilProblem& problem, int nodes, const HaloSystem& system) {
  std::vector<Advice> all;
  std::string refused;
  const auto try_split = [&](const std::array<int, kHaloDimensions>& split) {
    try {
      const HaloShape shape = problem.shape(split);
      shape.check();
      const std::vector<int> placed = place_ranks(shape, system);
      for (const HaloMethod method : {HaloMethod::tca, HaloMethod::mv2gdr, HaloMethod::hybrid}) {
        try {
          all.push_back(advice_of(problem, split, method, system, placed));
        } catch (const Error& error) {
          refused = error.what();  // this method does not reach all neighbours; others may
        }
      }
    } catch (const Error& error) {
      refused = error.what();  // this split does not divide the array; others may
    }
  };
  for (int k = 1; k <= nodes; ++k) {
    for (int i = 1; nodes % k == 0 && i <= nodes / k; ++i) {
      if (nodes / k % i == 0) try_split({i, nodes / k / i, k});
    }
  }
  if (all.empty()) throw Error(fmt::format("{} nodes are refused: no decomposition fits ({})", nodes, refused));
  std::ranges::stable_sort(all, {}, [](const Advice& a) { return a.time.iteration; });
  return all;
}

}  // namespace gdr::interconnect
