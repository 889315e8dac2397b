#include "gdr/interconnect/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/interconnect/platform.h"
#include "tca/kinds.h"

namespace gdr::interconnect {

namespace {

/// Rules for the parameters of a platform: its shape, and the parameters that all platforms have.
std::vector<base::ParameterRule> platform(std::vector<base::ParameterRule> shape) {
  shape.push_back({"bandwidth", "GB/s per node", 1e-6, 1e6, false});
  shape.push_back({"latency", "us", 0, 1e6, false});
  shape.push_back({"node_speed", "Gflops", 1e-6, 1e9, false});
  return shape;
}

constexpr double kMostNodesOfAll = 1 << 20;  // of a network

/// With what kinds that have several routes between nodes may choose beside their parameters.
std::vector<base::DescriptionKind> with_routings(std::vector<base::DescriptionKind> kinds) {
  for (base::DescriptionKind& kind : kinds) {
    std::vector<std::string> names = routing_names_of(kind.name);
    if (!names.empty()) kind.choices.push_back({std::string(kRoutingKey), std::move(names)});
  }
  return kinds;
}

std::vector<base::ParameterRule> flow_factors() {
  std::vector<base::ParameterRule> rules{{"weight_s", "bytes", 0, 1e9, false}};
  for (unsigned number = 0; number < kFlowClasses; ++number) {
    rules.push_back({fmt::format("from_{}", number), "bytes", 0, 1e12, true});
    rules.push_back({fmt::format("latency_{}", number), "1", 1e-3, 1e3, false});
    rules.push_back({fmt::format("rate_cap_{}", number), "1", 0, 1e3, false});
  }
  return rules;
}

}  // namespace

const std::vector<base::DescriptionKind>& network_kinds() {
  static const std::vector<base::DescriptionKind> kinds = with_routings({
      {"optical-hub", platform({{"nodes", "1", 1, 4096, true}})},
      {"optical-hub-2d", platform({{"rows", "1", 1, 1024, true}, {"columns", "1", 1, 1024, true}})},
      {"switch", platform({{"nodes", "1", 1, kMostNodesOfAll, true}})},
      {"ring", platform({{"nodes", "1", 1, kMostNodesOfAll, true}})},
      {"mesh", platform({{"x", "nodes", 1, kMostNodesOfAll, true},
                         {"y", "nodes", 1, kMostNodesOfAll, true},
                         {"z", "nodes", 1, kMostNodesOfAll, true}})},
      {"torus", platform({{"x", "nodes", 1, kMostNodesOfAll, true},
                          {"y", "nodes", 1, kMostNodesOfAll, true},
                          {"z", "nodes", 1, kMostNodesOfAll, true},
                          {"shortest_paths", "1", 0, 1, true}})},
      {"fat-tree", platform({{"leaves", "switches", 1, 1024, true},
                             {"nodes_per_leaf", "nodes", 1, 1024, true},
                             {"spines", "switches", 1, 1024, true},
                             {"cables", "cables from each leaf to each spine", 1, 1024, true},
                             {"shortest_paths", "1", 0, 1, true}})},
      {"dragonfly", platform({{"groups", "1", 1, 1024, true},
                              {"routers", "per group", 1, 1024, true},
                              {"nodes_per_router", "nodes", 1, 1024, true},
                              {"local_bandwidth", "GB/s per link", 1e-6, 1e6, false},
                              {"global_bandwidth", "GB/s per link", 1e-6, 1e6, false},
                              {"global_latency", "us", 0, 1e6, false}})},
      {"graph", platform({{"nodes", "1", 1, 2048, true}})},
      {"table", platform({{"nodes", "1", 1, 4096, true}})},
      peach2_kind(),
      ha_pacs_tca_kind(),
      {"task-mapping",
       {{"first_temperature", "1", 0, 1e6, false},
        {"last_temperature", "1", 1e-9, 1e6, false},
        {"box_share", "1", 0, 1, false},
        {"hop_visits", "per direction of traffic", 1, 1e6, false},
        {"first_link_temperature", "1", 0, 1e6, false},
        {"last_link_temperature", "1", 1e-9, 1e6, false},
        {"link_visits", "per direction of traffic", 1, 1e6, false},
        {"least_visits", "1", 0, 1e9, true}}},
      {"flow-factors", flow_factors()},
      {"mpi-library", {{"bcast_radix", "1", 2, 1024, true}}},
      // Links of meshes and tori whose extents are given on the command line.
      {"grid", {{"bandwidth", "GB/s per link", 1e-6, 1e6, false}, {"latency", "us", 0, 1e6, false}}},
      {"optical-hub-cost",
       {{"nodes", "1", 1, 65536, true},
        {"wavelengths", "1", 1, 65536, true},
        {"ports", "per node", 1, 65536, true},
        {"routers", "wavelength routers", 1, 65536, true},
        {"port_rate", "Gbps", 1e-3, 1e6, false},
        {"laser", "USD", 0, 1e9, false},
        {"amplifier", "USD", 0, 1e9, false},
        {"splitter", "USD", 0, 1e9, false},
        {"router_grating", "USD", 0, 1e9, false},
        {"transceiver", "USD", 0, 1e9, false},
        {"node_grating", "USD", 0, 1e9, false},
        {"fpga", "USD", 0, 1e9, false}}},
  });
  return kinds;
}

const base::DescriptionKind& network_kind(std::string_view name) {
  const auto known = std::ranges::find(network_kinds(), name, &base::DescriptionKind::name);
  GDR_ASSERT(known != network_kinds().end(), "a kind of network is one of network_kinds()");
  return *known;
}

base::Description load_network(std::string_view name_or_file, std::string_view kind) {
  return base::load_description(name_or_file, std::span(&network_kind(kind), 1));
}

}  // namespace gdr::interconnect
