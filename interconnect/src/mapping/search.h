// Searches that improve a placement by exchanges.
#pragma once

#include <optional>

#include "placement.h"

namespace gdr::interconnect {

/// Parameters of simulated annealing; machines/task-mapping.toml explains each and gives its source.
struct Annealing {
  double first_temperature = 0;  // hops: in units of the mean traffic of a pair of tasks; links: of the mean of loads
  double last_temperature = 0;
  double box_share = 0;  // hops: share of the visits that are for boxes
};

/// Length of a search, and its parameters.
struct SearchBudget {
  double visits = 0;                 // most visits of a neighbour or of a link, the inner loop's unit
  std::function<bool(double)> poll;  // as MappingProgress; may be empty
  Annealing annealing = {};
};

/// Reduces the sum of hops x bytes: first by exchanges of boxes that do not increase it, then by exchanges of pairs
/// with simulated annealing. Returns the better of the mapping that it finds and `start`.
[[nodiscard]] TaskMapping search_hops(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                      std::uint64_t seed, const SearchBudget& budget);

/// Reduces the busiest link's bytes by simulated annealing of the sum of the eighth powers of all links' loads, with
/// exchanges of pairs and of boxes. With a bound, the sum of hops x bytes is reduced instead, and no link may carry
/// more bytes than the bound. Returns the best mapping that occurred, and `start` if all were beyond the bound.
[[nodiscard]] TaskMapping search_links(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                       const GridRouting& routing, std::uint64_t seed, const SearchBudget& budget,
                                       std::optional<std::uint64_t> bound = {});

}  // namespace gdr::interconnect
