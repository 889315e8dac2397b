// The calls that let MPI reorder ranks. Fortran's bindings enter at PMPI_, C programs at MPI_: both are wrapped.
#include <algorithm>
#include <cstdint>

#include "adjacent_edges.h"
#include "reorder.h"

namespace {

using gdr::interconnect::AdjacentEdges;
using gdr::interconnect::NewOrder;
using gdr::interconnect::reordered;
using gdr::interconnect::ReorderedCall;

/// False for calls that MPI refuses, or whose ranks shall stay.
bool may_reorder(MPI_Comm old, int reorder) {
  if (reorder == 0 || old == MPI_COMM_NULL) return false;
  int is_between_groups = 1;
  return GDR_NEXT(Comm_test_inter)(old, &is_between_groups) == MPI_SUCCESS && is_between_groups == 0;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  GDR_NEXT(Comm_rank)(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  GDR_NEXT(Comm_size)(comm, &size);
  return size;
}

/// Calls make(comm, reorder, is_new): with the processes in their new order, or with the old ones. Arguments that MPI
/// will refuse are passed on as they are.
template <class Make>
int in_new_order(MPI_Comm old, const ReorderedCall& call, const Make& make) {
  NewOrder order = reordered(old, call);
  if (!order.is_valid) return make(old, 1, false);
  if (order.status != MPI_SUCCESS) return order.status;
  if (order.comm == MPI_COMM_NULL) return make(old, 0, false);
  const int status = make(order.comm, 0, true);
  GDR_NEXT(Comm_free)(&order.comm);
  return status;
}

/// Ranks of a Cartesian grid, the last axis fastest; 0 if it has no axes, or more ranks than there are.
int ranks_of_grid(int axes, const int extents[], int most) {
  std::int64_t ranks = axes > 0 ? 1 : 0;
  for (int axis = 0; axis < axes; ++axis) {
    if (extents[axis] < 1) return 0;
    ranks *= extents[axis];
    if (ranks > most) return 0;
  }
  return static_cast<int>(ranks);
}

/// An edge of weight 1 from each rank to the next one along each axis, and back.
std::vector<int> edges_of_grid(int ranks, int axes, const int extents[], const int periodic[]) {
  std::vector<int> edges;
  int stride = ranks;
  for (int axis = 0; axis < axes; ++axis) {
    const int extent = extents[axis];
    stride /= extent;
    for (int rank = 0; rank < ranks; ++rank) {
      const int at = rank / stride % extent;
      if (at + 1 == extent && periodic[axis] == 0) continue;
      const int next = rank + ((at + 1) % extent - at) * stride;
      edges.insert(edges.end(), {rank, next, 1, next, rank, 1});
    }
  }
  return edges;
}

int cart_create(MPI_Comm old, int axes, const int extents[], const int periodic[], int reorder, MPI_Comm* made) {
  const auto make = [&](MPI_Comm comm, int lets_reorder, bool /*is_new*/) {
    return GDR_NEXT(Cart_create)(comm, axes, extents, periodic, lets_reorder, made);
  };
  if (!may_reorder(old, reorder)) return make(old, reorder, false);
  ReorderedCall call{"MPI_Cart_create", ranks_of_grid(axes, extents, size_of(old)), {}};
  call.is_valid = call.ranks > 0;
  if (call.is_valid && rank_in(old) == 0) call.edges = edges_of_grid(call.ranks, axes, extents, periodic);
  return in_new_order(old, call, make);
}

int graph_create(MPI_Comm old, int ranks, const int ends[], const int neighbours[], int reorder, MPI_Comm* made) {
  const auto make = [&](MPI_Comm comm, int lets_reorder, bool /*is_new*/) {
    return GDR_NEXT(Graph_create)(comm, ranks, ends, neighbours, lets_reorder, made);
  };
  if (!may_reorder(old, reorder)) return make(old, reorder, false);
  ReorderedCall call{"MPI_Graph_create", ranks, {}};
  call.is_valid = ranks > 0 && ranks <= size_of(old) && ends[0] >= 0 && std::is_sorted(ends, ends + ranks);
  for (int rank = 0, i = 0; call.is_valid && rank_in(old) == 0 && rank < ranks; ++rank) {
    for (; i < ends[rank]; ++i) call.edges.insert(call.edges.end(), {rank, neighbours[i], 1});
  }
  return in_new_order(old, call, make);
}

int dist_graph_create_adjacent(MPI_Comm old, int in, const int sources[], const int source_weights[], int out,
                               const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
                               MPI_Comm* made) {
  const auto create = [&](MPI_Comm comm, const AdjacentEdges& edges) {
    return GDR_NEXT(Dist_graph_create_adjacent)(comm, static_cast<int>(edges.sources.size()), edges.sources.data(),
                                                edges.weights(edges.source_weights),
                                                static_cast<int>(edges.destinations.size()), edges.destinations.data(),
                                                edges.weights(edges.destination_weights), info, 0, made);
  };
  const auto pass_on = [&](int lets_reorder) {
    return GDR_NEXT(Dist_graph_create_adjacent)(old, in, sources, source_weights, out, destinations,
                                                destination_weights, info, lets_reorder, made);
  };
  if (!may_reorder(old, reorder)) return pass_on(reorder);
  ReorderedCall call{"MPI_Dist_graph_create_adjacent", size_of(old), {}};
  call.is_valid = in >= 0 && out >= 0;
  AdjacentEdges own;
  if (call.is_valid) {
    own.is_weighted = source_weights != MPI_UNWEIGHTED && destination_weights != MPI_UNWEIGHTED;
    own.sources.assign(sources, sources + in);
    own.destinations.assign(destinations, destinations + out);
    if (own.is_weighted) {
      own.source_weights.assign(source_weights, source_weights + in);
      own.destination_weights.assign(destination_weights, destination_weights + out);
    }
    const int me = rank_in(old);
    for (int i = 0; i < out; ++i) {
      call.edges.insert(call.edges.end(), {me, destinations[i], own.is_weighted ? destination_weights[i] : 1});
    }
  }
  return in_new_order(old, call, [&](MPI_Comm comm, int lets_reorder, bool is_new) {
    return is_new ? create(comm, of_new_rank(own, old, comm)) : pass_on(lets_reorder);
  });
}

int dist_graph_create(MPI_Comm old, int count, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* made) {
  // Edges are between ranks, and any process may give them: they stay as they are.
  const auto make = [&](MPI_Comm comm, int lets_reorder, bool /*is_new*/) {
    return GDR_NEXT(Dist_graph_create)(comm, count, sources, degrees, destinations, weights, info, lets_reorder, made);
  };
  if (!may_reorder(old, reorder)) return make(old, reorder, false);
  ReorderedCall call{"MPI_Dist_graph_create", size_of(old), {}};
  call.is_valid = count >= 0 && std::all_of(degrees, degrees + std::max(count, 0), [](int n) { return n >= 0; });
  int edge = 0;
  for (int i = 0; call.is_valid && i < count; ++i) {
    for (int last = edge + degrees[i]; edge < last; ++edge) {
      call.edges.insert(call.edges.end(),
                        {sources[i], destinations[edge], weights == MPI_UNWEIGHTED ? 1 : weights[edge]});
    }
  }
  return in_new_order(old, call, make);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): MPI's names
#define GDR_WRAP(name, wrapper, parameters, arguments)               \
  extern "C" int MPI_##name parameters { return wrapper arguments; } \
  extern "C" int PMPI_##name parameters { return wrapper arguments; }

GDR_WRAP(Cart_create, cart_create,
         (MPI_Comm old, int axes, const int extents[], const int periodic[], int reorder, MPI_Comm* made),
         (old, axes, extents, periodic, reorder, made))
GDR_WRAP(Graph_create, graph_create,
         (MPI_Comm old, int ranks, const int ends[], const int neighbours[], int reorder, MPI_Comm* made),
         (old, ranks, ends, neighbours, reorder, made))
GDR_WRAP(Dist_graph_create_adjacent, dist_graph_create_adjacent,
         (MPI_Comm old, int in, const int sources[], const int source_weights[], int out, const int destinations[],
          const int destination_weights[], MPI_Info info, int reorder, MPI_Comm* made),
         (old, in, sources, source_weights, out, destinations, destination_weights, info, reorder, made))
GDR_WRAP(Dist_graph_create, dist_graph_create,
         (MPI_Comm old, int count, const int sources[], const int degrees[], const int destinations[],
          const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
         (old, count, sources, degrees, destinations, weights, info, reorder, made))
// NOLINTEND(readability-identifier-naming)
