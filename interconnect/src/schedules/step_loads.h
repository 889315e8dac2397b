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
/// for each of many small steps. It keeps four bytes for each link of the topology, and the rest for those in use: hubs
/// have tens of millions of links, of which a step may use a few.
class StepLoads {
 public:
  /// Nothing yet. `topology` must outlive this object.
  explicit StepLoads(const Topology& topology) : topology_(&topology), place_(topology.links().size(), kUnused) {}

  void add(NodeId from, NodeId to, std::uint64_t bytes);
  void clear();

  /// Longest time of a link: its longest latency with a message + its bytes / its bandwidth.
  [[nodiscard]] double seconds() const;
  /// Adds this step, taken `times` times, to loads as add_by_ways() counts them. shape of `total`: [links]
  void add_to(std::vector<LinkLoad>& total, std::uint64_t times) const;
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t kUnused = ~0U;
  /// A link with messages.
  struct Used {
    LinkId link = 0;
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
    double latency = 0;  // seconds of the route of a message on the link, the longest
  };
  static constexpr std::uint32_t kChunk = 4096;  // a growing vector would copy gigabytes

  [[nodiscard]] Used& used(std::uint32_t place) { return chunks_[place / kChunk][place % kChunk]; }
  [[nodiscard]] const Used& used(std::uint32_t place) const { return chunks_[place / kChunk][place % kChunk]; }
  Used& used_of(LinkId link);

  const Topology* topology_;
  std::vector<std::uint32_t> place_;       // of a link among those in use; shape: [links]
  std::vector<std::vector<Used>> chunks_;  // of kChunk each
  std::uint32_t count_ = 0;                // of links in use
  std::vector<SharedLink> route_;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace gdr::interconnect
