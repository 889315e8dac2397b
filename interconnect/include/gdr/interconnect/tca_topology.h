// PEACH2's rings and the whole of HA-PACS/TCA as platforms for schedules.
#pragma once

#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Chips and cables of a sub-cluster. A message passes the sender's host port, the links of its route according to the
/// chips' registers, and the receiver's host port. `cable` is a link between chips; host ports have its bandwidth and
/// no latency. Routing throws LinkDown for a route over a dropped link. The topology keeps a copy of the sub-cluster.
[[nodiscard]] Topology peach2_ring(const SubCluster& sub_cluster, Cable cable);

/// HA-PACS/TCA, with every node twice, because a message uses either PEACH2 or InfiniBand: node n is the PEACH2 of node
/// n, node n + nodes its InfiniBand adapter. Routing throws gdr::Error between the two networks and, over PEACH2,
/// between sub-clusters.
[[nodiscard]] Topology ha_pacs_tca(const HaloSystem& system);

/// HA-PACS/TCA as a network in which each pair of nodes has one route: over PEACH2 within a sub-cluster, over
/// InfiniBand between sub-clusters, GPU to GPU. The start of a chain of descriptors is the latency of the sender's host
/// port; half of the start of a direct message over InfiniBand is that of each adapter. `nodes` may be fewer or more
/// than the cluster's. All sub-clusters are like `sub_cluster`. Throws gdr::Error for no nodes.
[[nodiscard]] Topology tca_and_infiniband(const HaPacsTca& cluster, const SubCluster& sub_cluster, NodeId nodes);

/// Schedule of one exchange on ha_pacs_tca(): rank n is the chain of node n, rank n + nodes its MPI messages. Packing,
/// posting and starting come first, as arithmetic at `kHaloFlops`. A message that travels below the adapter's full rate
/// is lengthened in proportion.
[[nodiscard]] Schedule halo_schedule(const HaloPlans& plans, const HaloSystem& system);

/// Flops that stand for one second of packing, posting or starting in halo_schedule().
inline constexpr double kHaloFlops = 1e9;

/// exchange_time().total, but by SimGrid's flow model instead of our event model: flows share paths, but packets of
/// several chips that meet lose no bandwidth. In the library gdr::simulation; throws as run_s4u() does.
[[nodiscard]] double simulated_exchange(const HaloPlans& plans, const HaloSystem& system);

}  // namespace gdr::interconnect
