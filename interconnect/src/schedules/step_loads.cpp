#include "step_loads.h"

#include <algorithm>

namespace gdr::interconnect {

void add_by_ways(std::vector<LinkLoad>& loads, std::span<const SharedLink> links, std::uint64_t bytes) {
  for (const auto& [link, ways] : links) {
    ++loads[link].messages;
    loads[link].bytes += bytes * ways;
  }
}

void divide_by_ways(std::vector<LinkLoad>& loads, const Topology& topology) {
  if (topology.ways() == 1) return;
  for (LinkLoad& load : loads) load.bytes /= topology.ways();
}

void StepLoads::add(NodeId from, NodeId to, std::uint64_t bytes) {
  topology_->links_into(from, to, route_);
  double latency = 0;
  if (topology_->ways() == 1) {
    for (const auto& [link, ways] : route_) latency += topology_->links()[link].latency_seconds;
  } else {
    latency = topology_->latency_seconds(from, to);
  }
  for (const auto& [link, ways] : route_) {
    if (loads_[link].messages == 0) used_.push_back(link);
    latencies_[link] = std::max(latencies_[link], latency);
  }
  add_by_ways(loads_, route_, bytes);
  ++messages_;
  bytes_ += bytes;
}

void StepLoads::clear() {
  for (const LinkId link : used_) {
    loads_[link] = {};
    latencies_[link] = 0;
  }
  used_.clear();
  messages_ = 0;
  bytes_ = 0;
}

double StepLoads::seconds() const {
  double seconds = 0;
  for (const LinkId link : used_) {
    if (loads_[link].bytes == 0) continue;
    const double carried =
        static_cast<double>(loads_[link].bytes) / topology_->ways() / topology_->links()[link].bytes_per_second;
    seconds = std::max(seconds, latencies_[link] + carried);
  }
  return seconds;
}

void StepLoads::add_to(std::vector<LinkLoad>& total, std::uint64_t times) const {
  for (const LinkId link : used_) {
    total[link].messages += loads_[link].messages * times;
    total[link].bytes += loads_[link].bytes * times;
  }
}

}  // namespace gdr::interconnect
