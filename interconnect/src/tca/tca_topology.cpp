#include "gdr/interconnect/tca_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gdr::interconnect {
namespace {

constexpr LinkId kLinksOfANode = 5;  // host port read, host port written, E, W, S

enum class ChipLink : LinkId { read, written, east, west, south };

LinkId link_of(int node, ChipLink link) {
  return static_cast<LinkId>(node) * kLinksOfANode + static_cast<LinkId>(link);
}

void add_chip_links(std::vector<Link>& links, int node, Cable cable) {
  for (const char* port : {"read", "written"}) {
    links.push_back({fmt::format("{} {}", node, port), cable.bytes_per_second, 0});
  }
  for (const char* port : {"E", "W", "S"}) {
    links.push_back({fmt::format("{} {}", node, port), cable.bytes_per_second, cable.latency_seconds});
  }
}

/// Appends the links between two nodes of the sub-cluster whose first node is `base`.
void append_route(const SubCluster& sub_cluster, int base, int from, int to, std::vector<LinkId>& route) {
  const std::vector<int> nodes = sub_cluster.route(from, to);
  route.push_back(link_of(base + from, ChipLink::read));
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const int here = nodes[i - 1];
    ChipLink link = ChipLink::south;
    // In a ring of two, the nodes are neighbours both ways; the registers send east.
    if (sub_cluster.cable(here, Port::east).first == nodes[i]) {
      link = ChipLink::east;
    } else if (sub_cluster.cable(here, Port::west).first == nodes[i]) {
      link = ChipLink::west;
    }
    route.push_back(link_of(base + here, link));
  }
  route.push_back(link_of(base + to, ChipLink::written));
}

GdrPath path_of(const HaloPlans& plans) {
  return plans.method == HaloMethod::hybrid ? GdrPath::qpi_tuned : GdrPath::same_socket;
}

/// Piece of a message, from the sender's dimension and side; the receiver uses the same number.
std::uint64_t piece(int dimension, int side) { return static_cast<std::uint64_t>(2 * dimension + (side > 0 ? 1 : 0)); }

}  // namespace

Topology peach2_ring(const SubCluster& sub_cluster, Cable cable) {
  std::vector<Link> links;
  for (int node = 0; node < sub_cluster.nodes(); ++node) add_chip_links(links, node, cable);
  return {"peach2 ring", static_cast<NodeId>(sub_cluster.nodes()), std::move(links),
          [sub_cluster](NodeId from, NodeId to, std::vector<LinkId>& route) {
            append_route(sub_cluster, 0, static_cast<int>(from), static_cast<int>(to), route);
          }};
}

Topology ha_pacs_tca(const HaloSystem& system) {
  const HaPacsTca& m = system.cluster;
  const auto nodes = static_cast<NodeId>(system.nodes);
  std::vector<Link> links;
  for (int node = 0; node < system.nodes; ++node) add_chip_links(links, node, {m.tca_rate, m.hop});
  const auto first_adapter = static_cast<LinkId>(links.size());
  const Topology infiniband = infiniband_flat(nodes, {m.infiniband_rate, 0});
  std::ranges::move(infiniband.links().to_vector(), std::back_inserter(links));
  const SubCluster intact(system.sub_cluster.rings(), system.sub_cluster.ring_nodes(),
                          system.sub_cluster.window().bytes(), system.board.devices);
  return {"HA-PACS/TCA", 2 * nodes, std::move(links),
          [nodes, first_adapter, infiniband, intact, first = system.sub_cluster](NodeId from, NodeId to,
                                                                                 std::vector<LinkId>& route) {
            if ((from < nodes) != (to < nodes)) {
              throw Error(fmt::format("route {} to {} is refused: PEACH2 and InfiniBand do not meet", from, to));
            }
            if (from >= nodes) {
              for (const LinkId link : infiniband.route(from - nodes, to - nodes))
                route.push_back(first_adapter + link);
              return;
            }
            const int whole = first.nodes();
            const int base = static_cast<int>(from) / whole * whole;
            if (static_cast<int>(to) / whole * whole != base) {
              throw Error(fmt::format("route {} to {} is refused: PEACH2 ends at its sub-cluster", from, to));
            }
            append_route(base == 0 ? first : intact, base, static_cast<int>(from) - base, static_cast<int>(to) - base,
                         route);
          }};
}

Topology tca_and_infiniband(const HaPacsTca& cluster, const SubCluster& sub_cluster, NodeId nodes) {
  const auto whole = static_cast<NodeId>(sub_cluster.nodes());
  // Chips of a sub-cluster that the nodes do not fill pass packets on, too.
  const NodeId chips = (nodes + whole - 1) / whole * whole;
  std::vector<Link> links;
  for (NodeId chip = 0; chip < chips; ++chip) {
    add_chip_links(links, static_cast<int>(chip), {cluster.tca_rate, cluster.hop});
    // The start as measured between neighbours contains a hop.
    links[link_of(static_cast<int>(chip), ChipLink::read)].latency_seconds =
        std::max(cluster.own_descriptors - cluster.hop, 0.0);
  }
  const auto first_adapter = static_cast<LinkId>(links.size());
  const Topology infiniband = infiniband_flat(nodes, {cluster.infiniband_rate, cluster.gdr_start / 2});
  std::ranges::move(infiniband.links().to_vector(), std::back_inserter(links));
  return {"HA-PACS/TCA", nodes, std::move(links),
          [whole, first_adapter, infiniband, sub_cluster](NodeId from, NodeId to, std::vector<LinkId>& route) {
            const NodeId base = from / whole * whole;
            if (to / whole * whole == base) {
              append_route(sub_cluster, static_cast<int>(base), static_cast<int>(from - base),
                           static_cast<int>(to - base), route);
              return;
            }
            for (const LinkId link : infiniband.route(from, to)) route.push_back(first_adapter + link);
          }};
}

Schedule halo_schedule(const HaloPlans& plans, const HaloSystem& system) {
  const HaPacsTca& m = system.cluster;
  const auto nodes = static_cast<std::size_t>(system.nodes);
  Schedule schedule{"halo exchange", std::vector<std::vector<Step>>(2 * nodes)};
  for (std::size_t rank = 0; rank < plans.ranks.size(); ++rank) {
    const auto node = static_cast<std::size_t>(plans.nodes[rank]);
    const HaloStart start = halo_start(plans.ranks[rank], m);
    std::vector<Step> chain{{{}, {}, 0}};
    Step mpi;
    MessageCost posted;
    for (const HaloDirection& d : plans.ranks[rank].directions) {
      const auto peer = static_cast<Rank>(plans.nodes[static_cast<std::size_t>(d.peer)]);
      const std::uint64_t sent = piece(d.dimension, d.side);
      const std::uint64_t received = piece(d.dimension, -d.side);
      if (d.carrier == Carrier::tca) {
        const auto bytes = static_cast<std::uint64_t>(wire_bytes(d, plans.shape, system.board) + 0.5);
        chain.push_back({{{peer, bytes, sent}}, {{peer, bytes, received}}, 0});
        continue;
      }
      const MessageCost cost = m.message_cost(static_cast<double>(d.bytes), path_of(plans));
      posted.start = std::max(posted.start, cost.start);
      posted.lead = std::max(posted.lead, cost.lead);
      const auto bytes = static_cast<std::uint64_t>(cost.wire * m.infiniband_rate + 0.5);
      const auto adapter = static_cast<Rank>(peer + nodes);
      mpi.sends.push_back({adapter, bytes, sent});
      mpi.receives.push_back({adapter, bytes, received});
    }
    if (chain.size() > 1) {
      // Every put passes a cable, whose latency is a hop. The start as measured between neighbours contains one.
      chain.front().flops = (start.pack + start.posts + std::max(m.own_descriptors - m.hop, 0.0)) * kHaloFlops;
      schedule.ranks[node] = std::move(chain);
    }
    if (!mpi.sends.empty()) {
      const double further = static_cast<double>(mpi.sends.size() - 1) * m.request;
      Step before;
      before.flops = (start.pack + posted.start + further + posted.lead) * kHaloFlops;
      schedule.ranks[node + nodes] = {std::move(before), std::move(mpi)};
    }
  }
  return schedule;
}

}  // namespace gdr::interconnect
