// Fields of the reports of networks that follow from results of this component.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/interconnect/circuits.h"
#include "gdr/interconnect/executor.h"
#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/hub_cost.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/stencil.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

/// Sets `circuits` and `ways`: the nodes joined by these circuits and in other ways, with simulated times of all
/// traffic at once. The time of the first is `emulated_seconds`.
void add_circuits(base::Json& json, const TaskGraph& graph, const Circuits& circuits,
                  const std::vector<JoinedNodes>& ways);
/// Sets the price and its lines.
void add_cost(base::Json& json, const HubCost& cost);

/// The rank that sends the most bytes.
[[nodiscard]] int busiest_rank(const HaloPlans& plans);
/// Sets the parts of an exchange and the plan of a rank.
void add_halo(base::Json& json, const HaloPlans& plans, const HaloTime& time, int rank);
/// Sets the times of an iteration.
void add_stencil(base::Json& json, const StencilTime& time);
/// Sets the times of the first of these plans, and all of them as `plans`.
void add_plans(base::Json& json, const std::vector<Advice>& plans);

/// Sets `routes`: the links between `from` and `to`, or all nodes.
void add_routes(base::Json& json, const Platform& platform, std::optional<NodeId> from, std::optional<NodeId> to);

}  // namespace gdr::interconnect
