#include "adjacent_edges.h"

#include <array>

#include "reorder.h"

namespace gdr::interconnect {

AdjacentEdges of_new_rank(const AdjacentEdges& own, MPI_Comm old, MPI_Comm comm) {
  int old_rank = 0;
  int new_rank = 0;
  GDR_NEXT(Comm_rank)(old, &old_rank);
  GDR_NEXT(Comm_rank)(comm, &new_rank);
  // The process that has the old rank of this one now gets its edges. This process gets those of old rank `new_rank`;
  // which process that is, only that one knows.
  constexpr int kTag = 1;
  const auto exchange = [&](const std::vector<int>& sent, std::vector<int>& received) {
    GDR_NEXT(Sendrecv)(sent.data(), static_cast<int>(sent.size()), MPI_INT, old_rank, kTag, received.data(),
                       static_cast<int>(received.size()), MPI_INT, MPI_ANY_SOURCE, kTag, comm, MPI_STATUS_IGNORE);
  };
  const std::vector<int> sizes{static_cast<int>(own.sources.size()), static_cast<int>(own.destinations.size()),
                               own.is_weighted ? 1 : 0};
  std::vector<int> got(sizes.size());
  exchange(sizes, got);
  AdjacentEdges edges;
  edges.is_weighted = got[2] != 0;
  edges.sources.resize(static_cast<std::size_t>(got[0]));
  edges.destinations.resize(static_cast<std::size_t>(got[1]));
  if (edges.is_weighted) {
    edges.source_weights.resize(edges.sources.size());
    edges.destination_weights.resize(edges.destinations.size());
  }
  exchange(own.sources, edges.sources);
  exchange(own.destinations, edges.destinations);
  exchange(own.source_weights, edges.source_weights);
  exchange(own.destination_weights, edges.destination_weights);
  return edges;
}

}  // namespace gdr::interconnect
