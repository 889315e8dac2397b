/* Calls that make communicators, for the trace: all ranks take part, and none goes on before the others have come. They
 * are written as the collectives that Open MPI and MPICH make of them: an all-gather of what each rank says about
 * itself, where it says something, and an all-reduce of a number that names the new communicator at all its ranks. The
 * standard leaves the messages to the library, and the graph of GDR_RECORD counts none. Part of record.c, which
 * includes it. */

enum { split_bytes = 8 /* color and key, two int */, context_bytes = 4 /* an int */ };

static void trace_agreement(MPI_Comm comm) { trace_folded("allreduce", context_bytes, comm); }

static void trace_split(MPI_Comm comm) {
  trace_equal("allgather", split_bytes, comm);
  trace_agreement(comm);
}

WRAP(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), trace_agreement(comm))
WRAP(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made), trace_agreement(comm))
WRAP(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), trace_agreement(comm))
WRAP(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made), trace_split(comm))
WRAP(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), (comm, type, key, info, made),
     trace_split(comm))
WRAP(Cart_create, (MPI_Comm comm, int axes, const int extents[], const int periodic[], int reorder, MPI_Comm* made),
     (comm, axes, extents, periodic, reorder, made), trace_agreement(comm))
WRAP(Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm* made), (comm, kept, made), trace_split(comm))
/* The other ranks of `comm` do not take part. */
AFTER(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), (comm, group, tag, made),
      if (*made != MPI_COMM_NULL) trace_agreement(*made))

#ifndef GDR_RECORD_SMPI /* SMPI has none of these */
WRAP(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request), trace_agreement(comm))
WRAP(Graph_create, (MPI_Comm comm, int nodes, const int ends[], const int edges[], int reorder, MPI_Comm* made),
     (comm, nodes, ends, edges, reorder, made), trace_agreement(comm))
WRAP(Dist_graph_create_adjacent,
     (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int destinations[],
      const int out_weights[], MPI_Info info, int reorder, MPI_Comm* made),
     (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made), trace_agreement(comm))
/* Each rank may name edges of any other: it says so to all. */
WRAP(Dist_graph_create,
     (MPI_Comm comm, int count, const int sources[], const int degrees[], const int destinations[], const int weights[],
      MPI_Info info, int reorder, MPI_Comm* made),
     (comm, count, sources, degrees, destinations, weights, info, reorder, made), trace_split(comm))
WRAP(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm* made),
     (comm, leader, peers, other_leader, tag, made), trace_missing("communicator of two groups"))
WRAP(Intercomm_merge, (MPI_Comm comm, int is_high, MPI_Comm* made), (comm, is_high, made), trace_agreement(comm))
#endif
