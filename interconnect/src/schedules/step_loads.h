// What the links carry in a step whose messages all ranks send together.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

class StepLoads {
 public:
  /// Nothing yet. `topology` must outlive this object.
  explicit StepLoads(const Topology& topology)
      : topology_(&topology), loads_(topology.links().size()), latencies_(topology.links().size()) {}

  void add(NodeId from, NodeId to, std::uint64_t bytes);
  /// Adds the messages of another step on the same topology.
  void add(const StepLoads& other);

  /// Longest time of a link: its longest latency with a message + its bytes / its bandwidth.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] const std::vector<LinkLoad>& loads() const { return loads_; }  // shape: [links]
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const Topology* topology_;
  std::vector<LinkLoad> loads_;    // shape: [links]
  std::vector<double> latencies_;  // seconds of the route of a message on the link, the longest; shape: [links]
  std::vector<LinkId> route_;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace gdr::interconnect
