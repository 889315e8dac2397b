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
  add_by_ways(loads_, route_, bytes);
  for (const auto& [link, ways] : route_) latencies_[link] = std::max(latencies_[link], latency);
  ++messages_;
  bytes_ += bytes;
}

void StepLoads::add(const StepLoads& other) {
  for (std::size_t link = 0; link < loads_.size(); ++link) {
    loads_[link].messages += other.loads_[link].messages;
    loads_[link].bytes += other.loads_[link].bytes;
    latencies_[link] = std::max(latencies_[link], other.latencies_[link]);
  }
  messages_ += other.messages_;
  bytes_ += other.bytes_;
}

double StepLoads::seconds() const {
  double seconds = 0;
  for (std::size_t link = 0; link < loads_.size(); ++link) {
    if (loads_[link].bytes == 0) continue;
    const double carried =
        static_cast<double>(loads_[link].bytes) / topology_->ways() / topology_->links()[link].bytes_per_second;
    seconds = std::max(seconds, latencies_[link] + carried);
  }
  return seconds;
}

}  // namespace gdr::interconnect
