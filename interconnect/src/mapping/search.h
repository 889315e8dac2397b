// Searches that improve a placement by exchanges.
#pragma once

#include "placement.h"

namespace gdr::interconnect {

/// Exchanges of pairs by simulated annealing; machines/task-mapping.toml says what each is and where it comes from.
struct Annealing {
  double first_temperature = 0;  // in units of the mean traffic of a pair of tasks
  double last_temperature = 0;
  double box_share = 0;  // of the visits, for boxes
};

/// How long a search goes on, and how.
struct SearchBudget {
  double visits = 0;                 // of a neighbour or of a link, the inner loop's unit
  std::function<bool(double)> poll;  // as MappingProgress; may be empty
  Annealing annealing = {};
};

/// Makes the sum of hops x bytes smaller: exchanges of boxes as long as nothing gets worse, then exchanges of pairs by
/// simulated annealing. Returns the better of what it finds and `start`.
[[nodiscard]] TaskMapping search_hops(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                      std::uint64_t seed, const SearchBudget& budget);

/// Makes the busiest link's bytes smaller: exchanges of pairs and boxes as long as the sum of the eighth powers of all
/// links' loads does not grow. Returns the best mapping that it comes by.
[[nodiscard]] TaskMapping search_links(const TaskGraph& graph, const Grid& grid, const TaskMapping& start,
                                       const GridRouting& routing, std::uint64_t seed, const SearchBudget& budget);

}  // namespace gdr::interconnect
