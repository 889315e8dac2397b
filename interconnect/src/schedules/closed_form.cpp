// Loads of links and execution times without simulation. Tests compare the simulation with these.
#include "gdr/interconnect/closed_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "step_loads.h"

namespace gdr::interconnect {
namespace {

void require_nodes(const Schedule& schedule, const Topology& topology) {
  if (schedule.ranks.size() <= topology.nodes()) return;
  throw Error(fmt::format("schedule {}: {} ranks are refused: {} has {} nodes", schedule.name, schedule.ranks.size(),
                          topology.name(), topology.nodes()));
}

/// Seconds that step `index` takes if all ranks take it together. `loads` are cleared and used.
double lockstep(const Schedule& schedule, StepLoads& loads, std::size_t index, double flops_per_second) {
  loads.clear();
  double flops = 0;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    if (index >= schedule.ranks[rank].size()) continue;
    base::pause();
    const Step& step = schedule.ranks[rank][index];
    flops = std::max(flops, step.flops);
    for (const Message& message : step.sends) loads.add(rank, message.peer, message.bytes);
  }
  return loads.seconds() + (flops_per_second > 0 ? flops / flops_per_second : 0);
}

}  // namespace

std::vector<LinkLoad> link_loads(const Schedule& schedule, const Topology& topology) {
  check(schedule);
  require_nodes(schedule, topology);
  std::vector<LinkLoad> loads(topology.links().size());
  std::vector<SharedLink> route;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    base::pause();
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) {
        topology.links_into(rank, message.peer, route);
        add_by_ways(loads, route, message.bytes);
      }
    }
  }
  divide_by_ways(loads, topology);
  return loads;
}

double link_bound_seconds(std::span<const LinkLoad> loads, const Topology& topology) {
  double seconds = 0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    seconds = std::max(seconds, static_cast<double>(loads[link].bytes) / topology.links()[link].bytes_per_second);
  }
  return seconds;
}

void require_link_bound(std::string_view name, const Topology& topology, std::span<const LinkLoad> loads,
                        double seconds, double tolerance) {
  for (std::size_t id = 0; id < loads.size(); ++id) {
    const Cable& link = topology.links()[id];
    const double needed = static_cast<double>(loads[id].bytes) / link.bytes_per_second;
    if (seconds >= needed * (1 - tolerance)) continue;
    throw Error(fmt::format(
        "{} on {}: simulated time {:.6g} s is refused: link {} needs {:.6g} s for its {} bytes, so the "
        "simulation is wrong; please report it with the command",
        name, topology.name(), seconds, topology.links().name(static_cast<LinkId>(id)), needed, loads[id].bytes));
  }
}

ClosedForm run_closed_form(const Schedule& schedule, const Topology& topology, double flops_per_second) {
  ClosedForm times;
  times.link_bound_seconds = link_bound_seconds(link_loads(schedule, topology), topology);
  std::size_t steps = 0;
  for (const auto& of_rank : schedule.ranks) steps = std::max(steps, of_rank.size());
  StepLoads loads(topology);
  for (std::size_t step = 0; step < steps; ++step) {
    base::pause();
    times.lockstep_seconds += lockstep(schedule, loads, step, flops_per_second);
  }
  return times;
}

std::string links_csv(std::span<const LinkLoad> loads, const Topology& topology) {
  std::string text = "link,messages,bytes,seconds\n";
  const LinkTable& links = topology.links();
  for (std::size_t link = 0; link < loads.size(); ++link) {
    text += fmt::format("{},{},{},{:.17g}\n", links.name(static_cast<LinkId>(link)), loads[link].messages,
                        loads[link].bytes, static_cast<double>(loads[link].bytes) / links[link].bytes_per_second);
  }
  return text;
}

}  // namespace gdr::interconnect
