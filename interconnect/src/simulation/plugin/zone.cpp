#include "zone.h"

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
  std::vector<SharedLink> route;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) {
        topology.links_into(rank, message.peer, route);
        for (const auto& [link, ways] : route) used[link] = true;
        if (!crosstraffic) continue;
        topology.links_into(message.peer, rank, route);
        for (const auto& [link, ways] : route) used[link] = true;
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
                           Routes routes, int cores)
    : NetZoneImpl("platform"),
      topology_(topology),
      factors_(options.factors),
      own_factors_(options.model == FlowModel::cm02),
      links_(topology.links().size()),
      carried_(topology.links().size()) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    hosts_.push_back(get_iface()->create_host(std::to_string(node), 1.0)->set_core_count(cores)->seal());
    GDR_ASSERT(node_of(hosts_.back()->get_netpoint()) == node, "SimGrid numbers the hosts of a zone in their order");
  }
  const std::vector<bool> used = used_links(schedule, topology, options.crosstraffic);
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (!used[id]) continue;
    const Cable& link = topology.links()[id];
    links_[id] = get_iface()
                     ->create_link(std::to_string(id), link.bytes_per_second * topology.ways())
                     ->set_latency(link.latency_seconds)
                     ->seal()
                     ->get_impl();
  }
  if (routes != Routes::bare) make_limiters(schedule, routes);
  get_iface()->seal();
  if (!own_factors_) return;
  get_iface()->get_network_model()->set_lat_factor_cb(
      [this](double bytes, const s4u::Host* from, const s4u::Host* to, const auto&, const auto&) {
        const Delay delay = delay_of(node_of(from->get_netpoint()), node_of(to->get_netpoint()));
        count(static_cast<std::uint64_t>(bytes));
        return latency_factor(static_cast<std::uint64_t>(bytes) / next_together_, delay);
      });
}

void ExplicitZone::count(std::uint64_t bytes) {
  for (const auto& [link, ways] : route_) {
    carried_[link].messages += std::uint64_t{ways} * next_together_;
    carried_[link].bytes += ways * bytes;
  }
}

/// SimGrid delays a message by its route's latency times this factor, and shares links by the inverse of the latency
/// alone. get_local_route() returns latency plus weight, divided by the number of messages that the flow carries, so
/// the factor takes weight and number out of the delay again.
double ExplicitZone::latency_factor(std::uint64_t bytes, const Delay& delay) const {
  const double sum = delay.latency + delay.weight;
  return sum > 0 ? factors_.of(bytes).latency * delay.latency / sum * next_together_ : 1;
}

ExplicitZone::Delay ExplicitZone::delay_of(NodeId from, NodeId to) {
  Delay delay{topology_.ways() == 1 ? 0 : topology_.latency_seconds(from, to), 0};
  topology_.links_into(from, to, route_);
  for (const auto& [id, ways] : route_) {
    const Cable& link = topology_.links()[id];
    if (topology_.ways() == 1) delay.latency += link.latency_seconds;
    delay.weight += factors_.weight_s / link.bytes_per_second * ways / topology_.ways();
  }
  return delay;
}

/// Makes, for each pair of nodes and each class of messages between them, a link that limits each flow but that flows
/// do not share, and that is the first of its route. A single such link for all pairs would join all flows into one
/// system of equations. Routes of several links need it even without a cap: SimGrid 3.32 computes only the shares that
/// may have changed, and of a flow that begins it looks at the first link alone. If another flow that begins at the
/// same time has marked that link already, the further links are left out, and more passes them than they can carry.
///
/// A flow gets at most the bandwidth of the narrowest link of its route, whether or not it shares that link. So the
/// solver need not know what these links can carry, and it leaves out links that can carry any number of bytes. With
/// them it would have as many equations as there are flows, and it goes through all equations for each share it finds.
/// The order of its sums is another with them. Where many events nearly meet, as in replays of programs, times depend
/// on that.
///
/// If SimGrid computes all shares at every change, only caps need such a link, and all flows with the same cap can have
/// one. The solver then passes over one link, not over one for each pair of nodes.
void ExplicitZone::make_limiters(const Schedule& schedule, Routes routes) {
  std::map<std::pair<Rank, std::uint64_t>, std::uint32_t> equal;  // messages of a step, by peer and bytes
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      equal.clear();
      for (const Message& message : step.sends) ++equal[{message.peer, message.bytes}];
      for (const auto& [to, together] : equal) {
        const auto [peer, bytes] = to;
        std::uint64_t& longest = longest_[pair(rank, peer)];
        longest = std::max(longest, bytes);
        make_limiter(rank, peer, bytes, 1, routes);
        if (together > 1 && own_factors_) make_limiter(rank, peer, bytes, together, routes);
      }
    }
  }
}

void ExplicitZone::make_limiter(Rank from, Rank to, std::uint64_t bytes, std::uint32_t together, Routes routes) {
  constexpr double kNoLimit = 1e30;  // bytes/s
  const auto carries_any = [](double, int) { return std::numeric_limits<double>::infinity(); };
  const FlowFactors::Class of_size = factors_.of(bytes);
  const LimiterKey key{pair(from, to), of_size.from_bytes, together};
  if (limiters_.contains(key)) return;
  topology_.links_into(from, to, route_);
  double rate = std::numeric_limits<double>::infinity();
  double latency = 0;
  for (const auto& [link, ways] : route_) {
    rate = std::min(rate, topology_.links()[link].bytes_per_second * topology_.ways() / ways);
    latency += topology_.links()[link].latency_seconds;
  }
  if (together > 1 && latency * of_size.latency == 0) return;
  simgrid::kernel::resource::StandardLinkImpl*& limiter = limiters_[key];
  if (of_size.rate_cap == 0 && (route_.size() < 2 || routes == Routes::capped)) return;
  const double limit = of_size.rate_cap == 0 ? kNoLimit : of_size.rate_cap * rate * together;
  if (routes == Routes::capped) {
    if (const auto cap = caps_.find(limit); cap != caps_.end()) {
      limiter = cap->second;
      return;
    }
  }
  s4u::Link* const link = get_iface()->create_link(
      routes == Routes::capped ? fmt::format("cap {}", caps_.size())
                               : fmt::format("limiter {} {} {} {}", from, to, of_size.from_bytes, together),
      limit);
  if (routes == Routes::solved) {
    link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  } else {
    link->set_sharing_policy(s4u::Link::SharingPolicy::NONLINEAR, carries_any);
  }
  limiter = link->seal()->get_impl();
  if (routes == Routes::capped) caps_[limit] = limiter;
}

void ExplicitZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                   const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* into,
                                   double* latency) {
  const NodeId source = node_of(from);
  const NodeId destination = node_of(to);
  const std::uint64_t ends = pair(source, destination);
  if (const auto longest = longest_.find(ends); longest != longest_.end()) {
    const std::uint64_t bytes = next_bytes_.value_or(longest->second);
    const auto limiter = limiters_.find({ends, factors_.of(bytes).from_bytes, next_together_});
    if (limiter != limiters_.end() && limiter->second != nullptr) into->link_list_.push_back(limiter->second);
  }
  if (latency != nullptr && topology_.ways() > 1) {
    const Delay delay = delay_of(source, destination);
    *latency += (delay.latency + delay.weight) / next_together_;
  }
  topology_.links_into(source, destination, route_);
  for (const auto& [id, ways] : route_) {
    const Cable& link = topology_.links()[id];
    // SimGrid adds up the shares of a link that is there more than once.
    into->link_list_.insert(into->link_list_.end(), ways, links_[id]);
    if (latency != nullptr && topology_.ways() == 1) {
      *latency += (link.latency_seconds + factors_.weight_s / link.bytes_per_second) / next_together_;
    }
  }
}

s4u::Engine& make_engine(const SimulationOptions& options, double resolution_seconds, Shares shares) {
  xbt_log_control_set("root.thres:critical");
  char name[] = "gdr";
  char* arguments[] = {name, nullptr};
  int count = 1;
  auto* engine = new s4u::Engine(&count, arguments);
  // Larger than any product of bandwidth and latency, so that links limit flows and TCP windows do not.
  constexpr double kNoWindow = 1e30;
  s4u::Engine::set_config(fmt::format("network/model:{}", name_of(options.model)));
  s4u::Engine::set_config(fmt::format("network/crosstraffic:{}", options.crosstraffic ? 1 : 0));
  s4u::Engine::set_config(fmt::format("network/TCP-gamma:{}", kNoWindow));
  s4u::Engine::set_config(fmt::format("surf/precision:{}", resolution_seconds));
  if (shares == Shares::all) s4u::Engine::set_config("network/optim:Full");
  return *engine;
}

LinkBound::LinkBound(const Schedule& schedule, const Topology& topology, const SimulationOptions& options,
                     std::size_t in_a_row)
    : name_(schedule.name), topology_(topology), loads_(link_loads(schedule, topology)) {
  check(options);
  std::uint64_t most_messages = 1;
  double busiest = 0;
  for (std::size_t link = 0; link < loads_.size(); ++link) {
    busiest = std::max(busiest, static_cast<double>(loads_[link].bytes) / topology.links()[link].bytes_per_second);
    most_messages = std::max(most_messages, loads_[link].messages);
  }
  resolution_seconds_ = options.resolution * busiest;
  // A message may end one resolution early. Of n messages that begin on a link together, the last but k has a share of
  // 1 / k of it, so that all of them together lose the link's bandwidth for a time of at most 1 + ln n resolutions.
  const double early = options.resolution * (1 + std::log(static_cast<double>(most_messages)));
  tolerance_ = kSolverPrecision + static_cast<double>(in_a_row) * early;
}

void LinkBound::require(double seconds) const { require_link_bound(name_, topology_, loads_, seconds, tolerance_); }

std::size_t most_steps(const Schedule& schedule) {
  std::size_t steps = 0;
  for (const auto& of_rank : schedule.ranks) steps = std::max(steps, of_rank.size());
  return steps;
}

std::function<void()> telling(const SimulationOptions& options, const SharedNumber& done) {
  if (!options.progress) return {};
  return [&] { options.progress(done.get()); };
}

SimulationResult simulate_in_child(const Schedule& schedule, const LinkBound& bound, const SimulationOptions& options,
                                   const std::function<std::vector<double>(SharedNumber&)>& simulate) {
  SharedNumber done;
  ChildResult<std::vector<double>> child =
      compute_in_child("schedule " + schedule.name, [&] { return simulate(done); }, telling(options, done));
  SimulationResult result{.rank_seconds = std::move(child.computed),
                          .processor_seconds = child.processor_seconds,
                          .memory_bytes = child.memory_bytes};
  if (!result.rank_seconds.empty()) result.seconds = std::ranges::max(result.rank_seconds);
  bound.require(result.seconds);
  return result;
}

void throw_deadlock(const Schedule& schedule, Rank rank, std::size_t step) {
  throw Error(fmt::format("schedule {}: deadlock: rank {} waits forever in step {}", schedule.name, rank, step));
}

}  // namespace gdr::interconnect
