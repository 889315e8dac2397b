#include "gdr/interconnect/executor.h"

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/interconnect/host_time.h"
#include "gdr/interconnect/summa_closed_form.h"

namespace gdr::interconnect {
namespace {

template <class ClosedFormOf>
ScheduleRun counted(ClosedFormOf form) {
  return {std::nullopt, form.times.lockstep_seconds, form.times.link_bound_seconds,
          form.traffic, std::move(form.loads),       0};
}

ScheduleRun to_simulate(Schedule schedule, const Topology& topology, const Executor& executor) {
  ScheduleRun run;
  run.link_bound_seconds = run_closed_form(schedule, topology).link_bound_seconds;
  run.traffic = traffic(schedule);
  if (executor.with_loads) run.loads = link_loads(schedule, topology);
  run.schedule = std::move(schedule);
  return run;
}

/// Mean number of links of a message of SUMMA.
double hops_of_messages(const SummaOptions& wanted, const Topology& topology) {
  const bool is_relayed = wanted.algorithm == SummaAlgorithm::ca3 ||
                          (wanted.algorithm == SummaAlgorithm::ca4 && !wanted.by_rows_and_columns);
  if (is_relayed || wanted.layout == SummaLayout::cube) return mean_hops(topology);
  const auto side = static_cast<NodeId>(std::sqrt(wanted.nodes));
  return (mean_hops(topology, 1, side) + mean_hops(topology, side, side)) / 2;
}

}  // namespace

double Executor::seconds(const Schedule& schedule, const Topology& topology) const {
  if (is_closed_form()) return run_closed_form(schedule, topology, simulation.flops_per_second).lockstep_seconds;
  return (name == "smpi" ? run_smpi(schedule, topology, simulation) : run_s4u(schedule, topology, simulation)).seconds;
}

void ScheduleRun::simulate(const Topology& topology, const Executor& executor) {
  if (schedule) seconds = executor.seconds(*schedule, topology);
}

ScheduleRun run_of(const Collective& collective, const Topology& topology, const Executor& executor) {
  if (executor.is_closed_form()) return counted(collective_closed_form(collective, topology));
  return to_simulate(make_collective(collective, topology.nodes()), topology, executor);
}

ScheduleRun run_of(const SummaOptions& options, const Topology& topology, const Executor& executor) {
  ScheduleRun run;
  if (executor.is_closed_form()) {
    SummaClosedForm form = summa_closed_form(options, topology, executor.simulation.flops_per_second);
    const std::uint64_t padded_n = form.padded_n;
    run = counted(std::move(form));
    run.padded_n = padded_n;
    return run;
  }
  SummaPlan plan = make_summa(options);
  run = to_simulate(std::move(plan.schedule), topology, executor);
  run.padded_n = plan.padded_n;
  return run;
}

double host_seconds(const Collective& collective, const Platform& platform, const Executor& executor) {
  const NodeId nodes = platform.topology.nodes();
  const CollectiveSize size = collective_size(collective, nodes);
  if (executor.is_closed_form()) return closed_form_seconds(size.routes, mean_hops(platform.topology));
  const bool is_posted = collective.algorithm == CollectiveAlgorithm::posted;
  return simulation_seconds(platform, size.messages, is_posted ? size.messages : nodes);
}

double host_seconds(const SummaOptions& options, const Platform& platform, const Executor& executor) {
  const SummaSize size = summa_size(options);
  if (executor.is_closed_form()) return closed_form_seconds(size.routes, hops_of_messages(options, platform.topology));
  return simulation_seconds(platform, size.messages, size.together);
}

SummaOptions summa_on(const Platform& platform, std::uint64_t n, std::string_view algorithm, SummaLayout layout) {
  const auto chosen = static_cast<SummaAlgorithm>(algorithm.back() - '0');
  return {.nodes = platform.topology.nodes(),
          .n = n,
          .algorithm = chosen,
          .layout = layout,
          .by_rows_and_columns = platform.kind == PlatformKind::optical_hub_2d && chosen == SummaAlgorithm::ca4,
          .tree_radix = load_tree_radix("mvapich2")};
}

std::optional<double> ca1_on_hub(const SummaOptions& options, const Platform& platform, const Executor& executor) {
  constexpr NodeId kMostHubNodes = 4096;
  const NodeId nodes = platform.topology.nodes();
  SummaOptions summa = options;
  summa.algorithm = SummaAlgorithm::ca1;
  summa.layout = SummaLayout::square;
  summa.by_rows_and_columns = false;
  try {
    static_cast<void>(square_side(nodes, "nodes"));
  } catch (const Error&) {
    return std::nullopt;
  }
  const Cable wavelength{platform.node_bytes_per_second / nodes, platform.topology.links()[0].latency_seconds};
  if (executor.is_closed_form()) {
    return ca1_on_hub_seconds(nodes, options.n, wavelength, executor.simulation.flops_per_second);
  }
  if (nodes > kMostHubNodes) return std::nullopt;
  return executor.seconds(make_summa(summa).schedule, optical_hub(nodes, wavelength));
}

}  // namespace gdr::interconnect
