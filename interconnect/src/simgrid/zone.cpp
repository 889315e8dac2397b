#include "simgrid/zone.h"

#include <fmt/format.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
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

/// Links that messages take, or their acknowledgements on the way back.
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

/// SimGrid would run for ever with values out of range.
void check(const SimulationOptions& options) {
  const auto require = [](std::string_view name, double value, double most) {
    if (value >= 0 && value <= most && std::isfinite(value)) return;
    throw Error(std::isfinite(most) ? fmt::format("{}: {} is refused: it must be from 0 to {}", name, value, most)
                                    : fmt::format("{}: {} is refused: it must be at least 0", name, value));
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (options.model != FlowModel::cm02 && !options.factors.classes.empty())
    throw Error(fmt::format("factors: {} is refused: the flow model has its own", options.factors.name));
  require("weight_s", options.factors.weight_s, kAny);
  for (const FlowFactors::Class& of_size : options.factors.classes) {
    require("rate_cap", of_size.rate_cap, kAny);
    require("latency factor", of_size.latency, kAny);
  }
  require("flops_per_second", options.flops_per_second, kAny);
  require("resolution", options.resolution, 1);
}

}  // namespace

ExplicitZone::ExplicitZone(const Schedule& schedule, const Topology& topology, const SimulationOptions& options,
                           int cores)
    : NetZoneImpl("platform"), topology_(topology), factors_(options.factors), links_(topology.links().size()) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    hosts_.push_back(get_iface()->create_host(std::to_string(node), 1.0)->set_core_count(cores)->seal());
    node_of_[hosts_.back()->get_netpoint()] = node;
  }
  const std::vector<bool> used = used_links(schedule, topology, options.crosstraffic);
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (!used[id]) continue;
    const Link& link = topology.links()[id];
    links_[id] =
        get_iface()->create_link(std::to_string(id), link.bytes_per_second)->set_latency(link.latency_seconds)->seal();
  }
  make_limiters(schedule);
  get_iface()->seal();
  if (factors_.classes.empty() && factors_.weight_s == 0) return;
  get_iface()->get_network_model()->set_lat_factor_cb(
      [this](double bytes, const auto*, const auto*, const std::vector<s4u::Link*>& links, const auto&) {
        return latency_factor(static_cast<std::uint64_t>(bytes), links);
      });
}

/// SimGrid delays a message by its route's latency times this factor, and shares links by the latency alone.
/// get_local_route() returns latency plus weight, so the factor takes the weight out of the delay again.
double ExplicitZone::latency_factor(std::uint64_t bytes, const std::vector<s4u::Link*>& links) const {
  double latency = 0;
  double weight = 0;
  for (const s4u::Link* link : links) {
    if (link->get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE) continue;  // a limiter
    latency += link->get_latency();
    weight += factors_.weight_s / link->get_bandwidth();
  }
  return latency + weight > 0 ? factors_.of(bytes).latency * latency / (latency + weight) : 1;
}

/// Makes, for each pair of nodes and each class of messages between them, a link that limits each flow but that flows
/// do not share. A single such link for all pairs would join all flows into one system of equations.
void ExplicitZone::make_limiters(const Schedule& schedule) {
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) {
        const FlowFactors::Class of_size = factors_.of(message.bytes);
        if (of_size.rate_cap == 0) continue;
        std::uint64_t& longest = longest_[pair(rank, message.peer)];
        longest = std::max(longest, message.bytes);
        s4u::Link*& limiter = limiters_[{pair(rank, message.peer), of_size.from_bytes}];
        if (limiter != nullptr) continue;
        topology_.route_into(rank, message.peer, route_);
        double rate = std::numeric_limits<double>::infinity();
        for (const LinkId link : route_) rate = std::min(rate, topology_.links()[link].bytes_per_second);
        limiter = get_iface()
                      ->create_link(fmt::format("limiter {} {} {}", rank, message.peer, of_size.from_bytes),
                                    of_size.rate_cap * rate)
                      ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                      ->seal();
      }
    }
  }
}

void ExplicitZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                   const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* into,
                                   double* latency) {
  topology_.route_into(node_of_.at(from), node_of_.at(to), route_);
  for (const LinkId id : route_) {
    const Link& link = topology_.links()[id];
    into->link_list_.push_back(links_[id]->get_impl());
    if (latency != nullptr) *latency += link.latency_seconds + factors_.weight_s / link.bytes_per_second;
  }
  const std::uint64_t ends = pair(node_of_.at(from), node_of_.at(to));
  const auto longest = longest_.find(ends);
  if (longest == longest_.end()) return;
  const std::uint64_t bytes = next_bytes_.value_or(longest->second);
  if (const auto limiter = limiters_.find({ends, factors_.of(bytes).from_bytes}); limiter != limiters_.end())
    into->link_list_.push_back(limiter->second->get_impl());
}

std::unique_ptr<s4u::Engine> make_engine(const SimulationOptions& options, double resolution_seconds) {
  xbt_log_control_set("root.thres:critical");
  char name[] = "gdr";
  char* arguments[] = {name, nullptr};
  int count = 1;
  auto engine = std::make_unique<s4u::Engine>(&count, arguments);
  // Larger than any product of bandwidth and latency, so that links limit flows and TCP windows do not.
  constexpr double kNoWindow = 1e30;
  s4u::Engine::set_config(fmt::format("network/model:{}", name_of(options.model)));
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

SimulationResult simulate_in_child(const Schedule& schedule, const SimulationOptions& options,
                                   const std::function<std::vector<double>(SharedNumber&)>& simulate) {
  SharedNumber done;
  std::function<void()> tell;
  if (options.progress) tell = [&] { options.progress(done.get()); };
  ChildResult child = compute_in_child("schedule " + schedule.name, [&] { return simulate(done); }, tell);
  SimulationResult result{.rank_seconds = std::move(child.numbers),
                          .processor_seconds = child.processor_seconds,
                          .memory_bytes = child.memory_bytes};
  if (!result.rank_seconds.empty()) result.seconds = std::ranges::max(result.rank_seconds);
  return result;
}

void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step) {
  throw Error(fmt::format("schedule {}: deadlock: rank {} waits forever in step {}", schedule.name, rank, step));
}

}  // namespace gdr::interconnect
