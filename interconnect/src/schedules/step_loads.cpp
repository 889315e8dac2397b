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

StepLoads::Used& StepLoads::used_of(LinkId link) {
  std::uint32_t& place = place_[link];
  if (place == kUnused) {
    if (count_ == chunks_.size() * kChunk) chunks_.emplace_back(kChunk);
    place = count_++;
    used(place) = {.link = link};
  }
  return used(place);
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
    Used& load = used_of(link);
    ++load.messages;
    load.bytes += bytes * ways;
    load.latency = std::max(load.latency, latency);
  }
  ++messages_;
  bytes_ += bytes;
}

void StepLoads::clear() {
  for (std::uint32_t i = 0; i < count_; ++i) place_[used(i).link] = kUnused;
  count_ = 0;
  messages_ = 0;
  bytes_ = 0;
}

double StepLoads::seconds() const {
  double seconds = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Used& load = used(i);
    if (load.bytes == 0) continue;
    const double carried =
        static_cast<double>(load.bytes) / topology_->ways() / topology_->links()[load.link].bytes_per_second;
    seconds = std::max(seconds, load.latency + carried);
  }
  return seconds;
}

void StepLoads::add_to(std::vector<LinkLoad>& total, std::uint64_t times) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Used& load = used(i);
    total[load.link].messages += load.messages * times;
    total[load.link].bytes += load.bytes * times;
  }
}

}  // namespace gdr::interconnect
