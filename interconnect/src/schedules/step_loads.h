// What the links carry in a step whose messages all ranks send together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Adds a message to loads whose bytes are counted once for each way of a message; divide_by_ways() gives true bytes.
void add_by_ways(std::vector<LinkLoad>& loads, std::span<const SharedLink> links, std::uint64_t bytes);
/// Bytes of a link that are no whole number are rounded down, so that a bound from them stays one.
void divide_by_ways(std::vector<LinkLoad>& loads, const Topology& topology);

/// A step takes time for the links that it uses, not for all of the topology, so that an object can be cleared and used
/// for each of many small steps.
class StepLoads {
 public:
  /// Nothing yet. `topology` must outlive this object.
  explicit StepLoads(const Topology& topology)
      : topology_(&topology), loads_(topology.links().size()), latencies_(topology.links().size()) {}

  void add(NodeId from, NodeId to, std::uint64_t bytes);
  void clear();

  /// Longest time of a link: its longest latency with a message + its bytes / its bandwidth.
  [[nodiscard]] double seconds() const;
  /// Adds this step, taken `times` times, to loads as add_by_ways() counts them. shape of `total`: [links]
  void add_to(std::vector<LinkLoad>& total, std::uint64_t times) const;
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const Topology* topology_;
  std::vector<LinkLoad> loads_;    // shape: [links]
  std::vector<double> latencies_;  // seconds of the route of a message on the link, the longest; shape: [links]
  std::vector<LinkId> used_;       // the links with messages; what the others have is zero
  std::vector<SharedLink> route_;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace gdr::interconnect
