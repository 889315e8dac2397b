// Models chains of puts as fluid flows over directed links and host ports.
#include "gdr/interconnect/tca_events.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace gdr::interconnect {
namespace {

/// A directed link (from, to), or a host port: (node, -1) if written, (-1, node) if read.
using Resource = std::pair<int, int>;

struct Flow {
  std::size_t chain = 0;
  int source = 0;
  double left = 0;  // bytes
  double cap = 0;
  double delay = 0;  // s, for hops beyond a neighbour
  std::vector<Resource> path;
  double rate = 0;
  bool fixed = false;
};

class Run {
 public:
  Run(const SubCluster& cluster, const PathModel& path, const std::vector<TimedChain>& chains)
      : cluster_(cluster), path_(path), chains_(chains), results_(chains.size()), next_(chains.size(), 0) {}

  std::vector<TimedResult> all() {
    std::multimap<double, std::size_t> waiting;  // chains that begin later, by the time of their first byte
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      const double begins = chains_[c].start + chains_[c].setup;
      results_[c].finished = begins;
      if (!chains_[c].puts.empty()) waiting.emplace(begins, c);
    }
    while (!waiting.empty() || !flows_.empty()) {
      if (flows_.empty()) now_ = std::max(now_, waiting.begin()->first);
      while (!waiting.empty() && waiting.begin()->first <= now_) {
        begin_next_put(waiting.begin()->second);
        waiting.erase(waiting.begin());
      }
      share();
      double until = waiting.empty() ? std::numeric_limits<double>::infinity() : waiting.begin()->first;
      for (const Flow& flow : flows_) until = std::min(until, now_ + flow.left / flow.rate);
      advance(until);
    }
    return std::move(results_);
  }

 private:
  void begin_next_put(std::size_t chain) {
    const TimedPut& put = chains_[chain].puts[next_[chain]];
    const int source = chains_[chain].node;
    Flow flow{chain, source, put.bytes, put.rate, 0, {{-1, source}}, 0, false};
    const std::vector<int> route = cluster_.route(source, put.destination);
    for (std::size_t i = 1; i < route.size(); ++i) flow.path.emplace_back(route[i - 1], route[i]);
    flow.path.emplace_back(put.destination, -1);
    if (route.size() > 2) flow.delay = static_cast<double>(route.size() - 2) * path_.hop;
    flows_.push_back(std::move(flow));
  }

  /// Max-min fair shares by progressive filling: the tightest resource or cap fixes the rates of its flows first.
  void share() {
    std::map<Resource, std::set<int>> sources;
    std::map<Resource, double> left;
    for (Flow& flow : flows_) {
      flow.fixed = false;
      for (const Resource& resource : flow.path) sources[resource].insert(flow.source);
    }
    for (const auto& [resource, chips] : sources) {
      left[resource] = path_.rate * (chips.size() > 1 ? path_.collision : 1);
    }
    for (const Flow& flow : flows_) {
      for (const Resource& resource : flow.path) {
        if (sources[resource].size() > 1) results_[flow.chain].collided = true;
      }
    }
    for (std::size_t unfixed = flows_.size(); unfixed > 0;) {
      std::map<Resource, int> users;
      for (const Flow& flow : flows_) {
        if (flow.fixed) continue;
        for (const Resource& resource : flow.path) ++users[resource];
      }
      double level = std::numeric_limits<double>::infinity();
      for (const auto& [resource, count] : users) level = std::min(level, left[resource] / count);
      for (const Flow& flow : flows_) {
        if (!flow.fixed) level = std::min(level, flow.cap);
      }
      const std::map<Resource, double> before = left;
      for (Flow& flow : flows_) {
        if (flow.fixed) continue;
        const bool bound = flow.cap <= level || std::ranges::any_of(flow.path, [&](const Resource& r) {
                             return before.at(r) / users.at(r) <= level;
                           });
        if (!bound) continue;
        flow.fixed = true;
        flow.rate = level;
        --unfixed;
        for (const Resource& resource : flow.path) left[resource] -= level;
      }
    }
  }

  void advance(double until) {
    constexpr double kDone = 1e-6;  // bytes
    for (Flow& flow : flows_) flow.left -= flow.rate * (until - now_);
    now_ = until;
    std::vector<std::size_t> ready;
    std::erase_if(flows_, [&](const Flow& flow) {
      if (flow.left > kDone) return false;
      TimedResult& result = results_[flow.chain];
      result.puts.push_back(now_ + flow.delay);
      result.finished = std::max(result.finished, now_ + flow.delay);
      if (++next_[flow.chain] < chains_[flow.chain].puts.size()) ready.push_back(flow.chain);
      return true;
    });
    for (const std::size_t chain : ready) begin_next_put(chain);
  }

  const SubCluster& cluster_;
  const PathModel& path_;
  const std::vector<TimedChain>& chains_;
  std::vector<TimedResult> results_;
  std::vector<std::size_t> next_;  // index of each chain's current put
  std::vector<Flow> flows_;
  double now_ = 0;
};

}  // namespace

std::vector<TimedResult> run_chains(const SubCluster& cluster, const PathModel& path,
                                    const std::vector<TimedChain>& chains) {
  return Run(cluster, path, chains).all();
}

}  // namespace gdr::interconnect
