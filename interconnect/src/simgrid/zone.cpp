#include "simgrid/zone.h"

#include <fmt/format.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;

const char* name_of(FlowModel model) {
  switch (model) {
    case FlowModel::cm02:
      return "CM02";
    case FlowModel::lv08:
      return "LV08";
    case FlowModel::smpi:
      return "SMPI";
  }
  GDR_ASSERT(false, "a flow model is one of SimGrid's");
  return "";
}

/// Links that a message takes, or its acknowledgements on the way back.
std::vector<bool> used_links(const Schedule& schedule, const Topology& topology, bool crosstraffic) {
  std::vector<bool> used(topology.links().size());
  std::vector<LinkId> route;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) {
        topology.route_into(rank, message.peer, route);
        for (const LinkId link : route) used[link] = true;
        if (!crosstraffic) continue;
        topology.route_into(message.peer, rank, route);
        for (const LinkId link : route) used[link] = true;
      }
    }
  }
  return used;
}

/// With values out of range SimGrid runs for ever.
void check(const SimulationOptions& options) {
  const auto require = [](std::string_view name, double value, double most) {
    if (value >= 0 && value <= most && std::isfinite(value)) return;
    throw Error(std::isfinite(most) ? fmt::format("{}: {} is refused: it must be from 0 to {}", name, value, most)
                                    : fmt::format("{}: {} is refused: it must be at least 0", name, value));
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  require("rate_cap", options.rate_cap, 1);
  require("latency_factor", options.latency_factor, kAny);
  require("flops_per_second", options.flops_per_second, kAny);
  require("resolution", options.resolution, 1);
}

double narrowest(const Topology& topology, const std::vector<LinkId>& route) {
  double rate = std::numeric_limits<double>::infinity();
  for (const LinkId link : route) rate = std::min(rate, topology.links()[link].bytes_per_second);
  return rate;
}

}  // namespace

ExplicitZone::ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options)
    : NetZoneImpl("platform"), topology_(topology), rate_cap_(options.rate_cap), links_(topology.links().size()) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    hosts_.push_back(get_iface()->create_host(std::to_string(node), 1.0)->seal());
    node_of_[hosts_.back()->get_netpoint()] = node;
  }
  const std::vector<bool> used = used_links(schedule, topology, options.crosstraffic);
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (!used[id]) continue;
    const Link& link = topology.links()[id];
    links_[id] =
        get_iface()->create_link(std::to_string(id), link.bytes_per_second)->set_latency(link.latency_seconds)->seal();
  }
  if (rate_cap_ > 0) make_limiters(schedule);
  get_iface()->seal();
}

/// For each pair of nodes a link that its flows do not share, at the rate of one flow alone. One such link for all
/// pairs would make all flows one system of equations.
void ExplicitZone::make_limiters(const Schedule& schedule) {
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) make_limiter(rank, message.peer);
    }
  }
}

void ExplicitZone::make_limiter(NodeId from, NodeId to) {
  s4u::Link*& limiter = limiters_[pair(from, to)];
  if (limiter != nullptr) return;
  topology_.route_into(from, to, route_);
  limiter = get_iface()
                ->create_link(fmt::format("limiter {} {}", from, to), rate_cap_ * narrowest(topology_, route_))
                ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                ->seal();
}

void ExplicitZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                   const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* into,
                                   double* latency) {
  topology_.route_into(node_of_.at(from), node_of_.at(to), route_);
  for (const LinkId link : route_) {
    into->link_list_.push_back(links_[link]->get_impl());
    if (latency != nullptr) *latency += topology_.links()[link].latency_seconds;
  }
  const auto limiter = limiters_.find(pair(node_of_.at(from), node_of_.at(to)));
  if (limiter != limiters_.end()) into->link_list_.push_back(limiter->second->get_impl());
}

std::unique_ptr<s4u::Engine> make_engine(const SimulationOptions& options, double resolution_seconds) {
  xbt_log_control_set("root.thres:critical");
  char name[] = "gdr";
  char* arguments[] = {name, nullptr};
  int count = 1;
  auto engine = std::make_unique<s4u::Engine>(&count, arguments);
  // Above any product of bandwidth and latency: flows are bound by links, not by windows.
  constexpr double kNoWindow = 1e30;
  s4u::Engine::set_config(fmt::format("network/model:{}", name_of(options.model)));
  if (options.latency_factor > 0)
    s4u::Engine::set_config(fmt::format("network/latency-factor:{}", options.latency_factor));
  s4u::Engine::set_config(fmt::format("network/crosstraffic:{}", options.crosstraffic ? 1 : 0));
  s4u::Engine::set_config(fmt::format("network/TCP-gamma:{}", kNoWindow));
  s4u::Engine::set_config(fmt::format("surf/precision:{}", resolution_seconds));
  return engine;
}

double resolution_seconds(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  check(options);
  const std::vector<LinkLoad> loads = link_loads(schedule, topology);
  double busiest = 0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    busiest = std::max(busiest, static_cast<double>(loads[link].bytes) / topology.links()[link].bytes_per_second);
  }
  return options.resolution * busiest;
}

SimulationResult as_result(ChildResult child) {
  SimulationResult result{.rank_seconds = std::move(child.numbers),
                          .processor_seconds = child.processor_seconds,
                          .memory_bytes = child.memory_bytes};
  if (!result.rank_seconds.empty()) result.seconds = std::ranges::max(result.rank_seconds);
  return result;
}

void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step) {
  throw Error(fmt::format("schedule {}: deadlock: rank {} waits for ever in step {}", schedule.name, rank, step));
}

}  // namespace gdr::interconnect
