// A schedule on SimGrid's S4U. No actors: a message or a computation that ends is what makes its ranks go on, so that
// thousands of ranks need no stacks.
#include <fmt/format.h>

#include <xbt/log.h>
#include <algorithm>
#include <limits>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/simulation.h"
#include "simgrid/child.h"

namespace gdr::interconnect {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/// A zone that asks the topology for every route instead of keeping a table of all pairs.
class ExplicitZone : public routing::NetZoneImpl {
 public:
  ExplicitZone(const Schedule& schedule, const Topology& topology, const std::vector<bool>& used, double rate_cap)
      : NetZoneImpl("platform"), topology_(topology), rate_cap_(rate_cap), links_(topology.links().size()) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      hosts_.push_back(get_iface()->create_host(std::to_string(node), 1.0)->seal());
      node_of_[hosts_.back()->get_netpoint()] = node;
    }
    for (LinkId link = 0; link < links_.size(); ++link) {
      if (used[link]) links_[link] = make_link(topology.links()[link], link);
    }
    if (rate_cap_ > 0) make_limiters(schedule);
    get_iface()->seal();
  }

  [[nodiscard]] const std::vector<s4u::Host*>& hosts() const { return hosts_; }

 private:
  s4u::Link* make_link(const Link& link, LinkId id) {
    return get_iface()
        ->create_link(std::to_string(id), link.bytes_per_second)
        ->set_latency(link.latency_seconds)
        ->seal();
  }

  [[nodiscard]] std::uint64_t pair(NodeId from, NodeId to) const {
    return std::uint64_t{from} * topology_.nodes() + to;
  }

  double narrowest(const std::vector<LinkId>& route) const {
    double rate = std::numeric_limits<double>::infinity();
    for (const LinkId link : route) rate = std::min(rate, topology_.links()[link].bytes_per_second);
    return rate;
  }

  /// For each pair of nodes a link that its flows do not share, at the rate of one flow alone. One such link for all
  /// pairs would make all flows one system of equations.
  void make_limiters(const Schedule& schedule) {
    for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (const Step& step : schedule.ranks[rank]) {
        for (const Message& message : step.sends) make_limiter(rank, message.peer);
      }
    }
  }
  void make_limiter(NodeId from, NodeId to) {
    s4u::Link*& limiter = limiters_[pair(from, to)];
    if (limiter != nullptr) return;
    topology_.route_into(from, to, route_);
    limiter = get_iface()
                  ->create_link(fmt::format("limiter {} {}", from, to), rate_cap_ * narrowest(route_))
                  ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                  ->seal();
  }

  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* into,
                       double* latency) override {
    topology_.route_into(node_of_.at(from), node_of_.at(to), route_);
    for (const LinkId link : route_) {
      into->link_list_.push_back(links_[link]->get_impl());
      if (latency != nullptr) *latency += topology_.links()[link].latency_seconds;
    }
    const auto limiter = limiters_.find(pair(node_of_.at(from), node_of_.at(to)));
    if (limiter != limiters_.end()) into->link_list_.push_back(limiter->second->get_impl());
  }

  const Topology& topology_;
  double rate_cap_;
  std::vector<s4u::Host*> hosts_;
  std::vector<s4u::Link*> links_;
  std::unordered_map<std::uint64_t, s4u::Link*> limiters_;  // by pair of nodes; empty without a cap
  std::unordered_map<const routing::NetPoint*, NodeId> node_of_;
  std::vector<LinkId> route_;
};

/// Who waits for whom: one half of a message.
struct Envelope {
  Rank from;
  Rank to;
  std::uint64_t bytes;
  std::uint64_t piece;
  bool operator==(const Envelope&) const = default;
};
struct EnvelopeHash {
  std::size_t operator()(const Envelope& envelope) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
    std::uint64_t hash = (std::uint64_t{envelope.from} << 32 | envelope.to) * kOdd;
    hash = (hash ^ hash >> 29 ^ envelope.piece) * kOdd;
    return (hash ^ hash >> 32 ^ envelope.bytes) * kOdd;
  }
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const SimulationOptions& options, const ExplicitZone& zone)
      : schedule_(schedule), options_(options), zone_(zone), ranks_(schedule.ranks.size()) {}

  /// When each rank is done.
  std::vector<double> run(s4u::Engine& engine) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
    for (Rank rank = 0; rank < ranks_.size(); ++rank) begin_step(rank);
    engine.run();
    std::vector<double> seconds;
    for (Rank rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].step < schedule_.ranks[rank].size()) {
        throw Error(fmt::format("schedule {}: deadlock: rank {} waits for ever in step {}", schedule_.name, rank,
                                ranks_[rank].step));
      }
      seconds.push_back(ranks_[rank].done_at);
    }
    return seconds;
  }

 private:
  struct RankState {
    std::size_t step = 0;
    std::size_t open = 0;  // messages of this step that are not there yet
    double done_at = 0;
  };
  struct Flight {
    Rank from;
    Rank to;
    s4u::CommPtr comm;  // keeps it alive
  };
  struct Computation {
    Rank rank;
    s4u::ExecPtr exec;
  };

  void begin_step(Rank rank) {
    RankState& state = ranks_[rank];
    const auto& steps = schedule_.ranks[rank];
    while (state.step < steps.size()) {
      const Step& step = steps[state.step];
      state.open = step.sends.size() + step.receives.size();
      if (state.open > 0) {
        for (const Message& message : step.sends) post({rank, message.peer, message.bytes, message.piece}, 1);
        for (const Message& message : step.receives) post({message.peer, rank, message.bytes, message.piece}, -1);
        return;
      }
      if (compute(rank)) return;
      ++state.step;
    }
    state.done_at = s4u::Engine::get_clock();
  }

  /// True if the arithmetic of the rank's step takes time.
  bool compute(Rank rank) {
    const double flops = schedule_.ranks[rank][ranks_[rank].step].flops;
    if (flops <= 0 || options_.flops_per_second <= 0) return false;
    const s4u::ExecPtr exec = s4u::Exec::init();
    // Hosts have a speed of 1, so that a computation is given in seconds.
    exec->set_flops_amount(flops / options_.flops_per_second)->set_host(zone_.hosts()[rank]);
    computing_[exec.get()] = {rank, exec};
    exec->start();
    return true;
  }

  /// One half of a message: starts it if the other half (side -1 or 1) waits.
  void post(const Envelope& envelope, int side) {
    int& waiting = halves_[envelope];  // how many halves wait: sends positive, receives negative
    const bool is_pair = waiting * side < 0;
    waiting += side;
    if (waiting == 0) halves_.erase(envelope);
    if (is_pair) start(envelope);
  }

  void start(const Envelope& envelope) {
    const s4u::CommPtr comm = s4u::Comm::sendto_init(zone_.hosts()[envelope.from], zone_.hosts()[envelope.to]);
    comm->set_payload_size(envelope.bytes);
    flights_[comm.get()] = {envelope.from, envelope.to, comm};
    comm->start();
  }

  void complete(const s4u::Activity& activity) {
    if (const auto flight = flights_.find(&activity); flight != flights_.end()) {
      const Flight landed = std::move(flight->second);
      flights_.erase(flight);
      last_done_ = landed.comm;
      message_done(landed.from);
      message_done(landed.to);
    } else if (const auto computing = computing_.find(&activity); computing != computing_.end()) {
      const Computation computed = std::move(computing->second);
      computing_.erase(computing);
      last_done_ = computed.exec;
      next_step(computed.rank);
    }
  }

  void message_done(Rank rank) {
    if (--ranks_[rank].open == 0 && !compute(rank)) next_step(rank);
  }

  void next_step(Rank rank) {
    ++ranks_[rank].step;
    begin_step(rank);
  }

  const Schedule& schedule_;
  const SimulationOptions& options_;
  const ExplicitZone& zone_;
  std::vector<RankState> ranks_;
  std::unordered_map<Envelope, int, EnvelopeHash> halves_;
  std::unordered_map<const s4u::Activity*, Flight> flights_;
  std::unordered_map<const s4u::Activity*, Computation> computing_;
  s4u::ActivityPtr last_done_;  // SimGrid looks at an activity once more after telling that it is complete
};

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

void configure(const SimulationOptions& options, double resolution_seconds) {
  // Above any product of bandwidth and latency: flows are bound by links, not by windows.
  constexpr double kNoWindow = 1e30;
  s4u::Engine::set_config(fmt::format("network/model:{}", name_of(options.model)));
  if (options.latency_factor > 0)
    s4u::Engine::set_config(fmt::format("network/latency-factor:{}", options.latency_factor));
  s4u::Engine::set_config(fmt::format("network/crosstraffic:{}", options.crosstraffic ? 1 : 0));
  s4u::Engine::set_config(fmt::format("network/TCP-gamma:{}", kNoWindow));
  s4u::Engine::set_config(fmt::format("surf/precision:{}", resolution_seconds));
}

std::vector<double> simulate(const Schedule& schedule, const Topology& topology, const SimulationOptions& options,
                             double resolution_seconds) {
  xbt_log_control_set("root.thres:critical");
  char name[] = "gdr";
  char* arguments[] = {name, nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments);
  configure(options, resolution_seconds);
  auto* zone = new ExplicitZone(schedule, topology, used_links(schedule, topology, options.crosstraffic),
                                options.rate_cap);  // the engine's from here
  return Simulation(schedule, options, *zone).run(engine);
}

}  // namespace

bool has_simgrid() { return true; }

SimulationResult run_s4u(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  const std::vector<LinkLoad> loads = link_loads(schedule, topology);
  double busiest = 0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    busiest = std::max(busiest, static_cast<double>(loads[link].bytes) / topology.links()[link].bytes_per_second);
  }
  SimulationResult result;
  result.rank_seconds = compute_in_child(
      "schedule " + schedule.name, [&] { return simulate(schedule, topology, options, options.resolution * busiest); });
  if (!result.rank_seconds.empty()) result.seconds = std::ranges::max(result.rank_seconds);
  return result;
}

}  // namespace gdr::interconnect
