#include "gdr/interconnect/simgrid_file.h"

#include <fmt/format.h>

#include <vector>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

template <class SpeedOf>
std::string file_of(const Topology& topology, const SpeedOf& flops_per_second) {
  if (topology.nodes() > kMostNodesOfFile) {
    throw Error(fmt::format("{}: {} nodes are refused: a file of SimGrid has a line for every pair of them, up to {}",
                            topology.name(), topology.nodes(), kMostNodesOfFile));
  }
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"nodes\" routing=\"Full\">\n";
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    text += fmt::format("<host id=\"{}\" speed=\"{}f\"/>\n", node, flops_per_second(node));
  }
  // Links are identified by number; their names are for people.
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Cable& link = topology.links()[id];
    text += fmt::format("<link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n", id, link.bytes_per_second,
                        link.latency_seconds);
  }
  std::vector<LinkId> route;
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (from == node) continue;
      topology.route_into(from, node, route);
      text += fmt::format("<route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", from, node);
      for (const LinkId id : route) text += fmt::format("<link_ctn id=\"l{}\"/>", id);
      text += "</route>\n";
    }
  }
  return text + "</zone>\n</platform>\n";
}

}  // namespace

std::string simgrid_file(const Topology& topology, double flops_per_second) {
  return file_of(topology, [&](NodeId) { return flops_per_second; });
}

std::string simgrid_file(const Platform& platform) {
  return file_of(platform.topology, [&](NodeId node) {
    return platform.flops_of_node.empty() ? platform.flops_per_second : platform.flops_of_node[node];
  });
}

}  // namespace gdr::interconnect
