// How a message library changes latency and bandwidth, by the size of a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

struct FlowFactors {
  /// Factors for messages of at least `from_bytes`.
  struct Class {
    std::uint64_t from_bytes = 0;
    double latency = 1;   // factor on the route's latency
    double rate_cap = 0;  // a flow alone gets at most this share of its narrowest link; 0: no cap
  };

  std::string name = "none";
  std::vector<Class> classes = {};  // ascending, the first from 0 bytes on; empty: latency and bandwidth are unchanged
  double weight_s =
      0;  // bytes; flows share a link as 1 / (latency + weight_s / bandwidth of each link), equally if latency is 0

  /// The class of a message; without classes, the one that changes nothing.
  [[nodiscard]] Class of(std::uint64_t bytes) const;
};

/// Loads a description of kind "flow-factors" by name or file. Throws gdr::Error as load_network() does, and if the
/// sizes of its classes do not ascend from 0.
[[nodiscard]] FlowFactors load_flow_factors(std::string_view name_or_file);

}  // namespace gdr::interconnect
