// The edges that a process gives to MPI_Dist_graph_create_adjacent.
#pragma once

#include <mpi.h>

#include <vector>

namespace gdr::interconnect {

struct AdjacentEdges {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool is_weighted = false;
  std::vector<int> source_weights;       // empty without weights
  std::vector<int> destination_weights;  // empty without weights

  /// What MPI takes for the weights.
  [[nodiscard]] const int* weights(const std::vector<int>& of) const {
    return !is_weighted ? MPI_UNWEIGHTED : of.empty() ? MPI_WEIGHTS_EMPTY : of.data();
  }
};

/// The edges of the process that had this process's rank of `comm` in `old`: MPI describes a graph by ranks, whichever
/// processes have them. `comm` has the processes of `old` in another order.
[[nodiscard]] AdjacentEdges of_new_rank(const AdjacentEdges& own, MPI_Comm old, MPI_Comm comm);

}  // namespace gdr::interconnect
