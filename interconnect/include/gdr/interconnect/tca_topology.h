// PEACH2's rings and the whole of HA-PACS/TCA as platforms for schedules.
#pragma once

#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// Chips and cables of a sub-cluster: a message passes the sender's host port, the links of its route as the chips'
/// registers lead it, and the receiver's host port. `cable` is a link between chips; host ports have its bandwidth and
/// no latency. Routing throws LinkDown over a dropped link. The topology keeps a copy of the sub-cluster.
[[nodiscard]] Topology peach2_ring(const SubCluster& sub_cluster, Cable cable);

/// Every node twice: node n stands for PEACH2, node n + nodes for the InfiniBand adapter, since a message belongs to
/// one of them. Routing throws gdr::Error between the two and between sub-clusters.
[[nodiscard]] Topology ha_pacs_tca(const HaloSystem& system);

/// One exchange on ha_pacs_tca(): rank n is node n's chain, rank n + nodes its MPI. Packs, posts and starts come first
/// as arithmetic at `kHaloFlops`; messages that no adapter sends at its full rate are longer by as much.
[[nodiscard]] Schedule halo_schedule(const HaloPlans& plans, const HaloSystem& system);

/// What a second of packing or starting counts in halo_schedule().
inline constexpr double kHaloFlops = 1e9;

/// exchange_time().total by SimGrid's flow model instead of our events: paths are shared, but packets of several chips
/// that meet lose nothing. In the library gdr::simulation; throws as run_s4u() does.
[[nodiscard]] double simulated_exchange(const HaloPlans& plans, const HaloSystem& system);

}  // namespace gdr::interconnect
