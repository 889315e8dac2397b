/* Communication graph and trace of any MPI program, by the profiling interface of MPI: the calls that send are counted
 * and passed on. GDR_RECORD names the file that rank 0 writes in MPI_Finalize, a graph that gdr net map reads; without
 * it nothing is counted. GDR_RECORD_TRACE asks for all calls in their order, for gdr net replay; see trace.h. Built as
 * a shared library for LD_PRELOAD, or linked into the program (SMPI).
 *
 * Counted as messages: point-to-point calls, neighbourhood collectives (a message to each neighbour), all-to-all,
 * gather and scatter, and one-sided transfers (from the rank whose memory is read to the one whose memory is written).
 * How often each of the other collectives was called stands in comments of the file; GDR_RECORD_COLLECTIVES=1 counts
 * the messages of one algorithm for each, see counts.h. Fortran's bindings, mpif.h, mpi and mpi_f08, enter at PMPI_, C
 * programs at MPI_: both are wrapped, and what is behind them is looked up behind this library. A wrapper of mpi_send_
 * and its like besides would count a call twice. */
#define _GNU_SOURCE
#ifndef GDR_RECORD_SMPI
#include <dlfcn.h>
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST(...) __VA_ARGS__

/* WRAP(name, (parameters), (arguments), action): takes the action and passes the call on. */
#ifdef GDR_RECORD_SMPI
#define NEXT(name) PMPI_##name
#define WRAP(name, parameters, arguments, action) \
  int MPI_##name parameters {                     \
    action;                                       \
    return PMPI_##name arguments;                 \
  }
#else
/* MPI's own function behind this library. */
static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "gdr_record_mpi: %s is not there\n", name);
    abort();
  }
  return found;
}
#define NEXT(name) next_##name
#define WRAP(name, parameters, arguments, action)         \
  static int next_##name parameters {                     \
    static int(*own) parameters = NULL;                   \
    if (own == NULL) *(void**)&own = next("PMPI_" #name); \
    return own arguments;                                 \
  }                                                       \
  int MPI_##name parameters {                             \
    action;                                               \
    return next_##name arguments;                         \
  }                                                       \
  int PMPI_##name parameters {                            \
    action;                                               \
    return next_##name arguments;                         \
  }
#endif

#include "files.h"
#include "requests.h"
#ifndef GDR_RECORD_SMPI
static int next_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
#endif
#include "counts.h"
#include "trace.h"

#ifndef GDR_RECORD_SMPI /* SMPI has no neighbourhoods */
/* Ranks that a neighbourhood collective sends to, in its order; to be freed. `count` becomes their number. */
static int* neighbours(MPI_Comm comm, int* count) {
  int kind = MPI_UNDEFINED;
  int me = 0;
  int* found = NULL;
  *count = 0;
  PMPI_Topo_test(comm, &kind);
  PMPI_Comm_rank(comm, &me);
  if (kind == MPI_CART) {
    int axes = 0;
    PMPI_Cartdim_get(comm, &axes);
    found = malloc(sizeof *found * (size_t)(2 * axes + 1));
    for (int axis = 0; found != NULL && axis < axes; ++axis, *count += 2) {
      PMPI_Cart_shift(comm, axis, 1, &found[2 * axis], &found[2 * axis + 1]);
    }
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, me, count);
    found = malloc(sizeof *found * (size_t)(*count + 1));
    if (found != NULL) PMPI_Graph_neighbors(comm, me, *count, found);
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, count, &weighted);
    int* lists = malloc(sizeof *lists * (size_t)(2 * in + *count + 1)); /* sources, weights */
    int* weights = malloc(sizeof *weights * (size_t)(*count + 1));
    found = malloc(sizeof *found * (size_t)(*count + 1));
    if (lists != NULL && weights != NULL && found != NULL) {
      PMPI_Dist_graph_neighbors(comm, in, lists, lists + in, *count, found, weights);
    }
    free(lists);
    free(weights);
  }
  if (found == NULL) *count = 0;
  return found;
}

/* `counts` and `types` by neighbour; without them `one_count` and `one_type` go to each. */
static void count_neighbours(const int* counts, int one_count, const MPI_Datatype* types, MPI_Datatype one_type,
                             MPI_Comm comm) {
  trace_missing("neighbourhood collective");
  if (!is_counting()) return;
  int count = 0;
  int* to = neighbours(comm, &count);
  for (int i = 0; i < count; ++i) {
    count_sent(counts != NULL ? counts[i] : one_count, types != NULL ? types[i] : one_type, to[i], comm);
  }
  free(to);
}

#endif

/* A one-sided transfer with the memory of `target`: `out` bytes go there, `back` bytes come from there. */
static void count_window(MPI_Win window, int target, uint64_t out, uint64_t back) {
  trace_missing("one-sided transfer");
  if (!is_counting() || target == MPI_PROC_NULL) return;
  MPI_Group group;
  PMPI_Win_get_group(window, &group);
  int there = MPI_UNDEFINED;
  in_world(1, &target, group, &there);
  PMPI_Group_free(&group);
  add(sent, there, out);
  add(fetched, there, back);
}

/* REPLACE(name, (parameters), (arguments)) { ... }: what is called instead, which calls NEXT(name). */
#ifdef GDR_RECORD_SMPI
#define REPLACE(name, parameters, arguments)                \
  static int on_##name parameters;                          \
  int MPI_##name parameters { return on_##name arguments; } \
  static int on_##name parameters
#else
#define REPLACE(name, parameters, arguments)                 \
  static int next_##name parameters {                        \
    static int(*own) parameters = NULL;                      \
    if (own == NULL) *(void**)&own = next("PMPI_" #name);    \
    return own arguments;                                    \
  }                                                          \
  static int on_##name parameters;                           \
  int MPI_##name parameters { return on_##name arguments; }  \
  int PMPI_##name parameters { return on_##name arguments; } \
  static int on_##name parameters
#endif

#define SEND(name)                                                                               \
  WRAP(name, (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
       (buffer, count, type, to, tag, comm),                                                     \
       (count_sent(count, type, to, comm), trace_send(kept_send, count, type, to, tag, comm)))
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)

/* AFTER: the action follows the call, whose status is `status`. */
#ifdef GDR_RECORD_SMPI
#define AFTER(name, parameters, arguments, action) \
  int MPI_##name parameters {                      \
    const int status = PMPI_##name arguments;      \
    action;                                        \
    return status;                                 \
  }
#else
#define AFTER(name, parameters, arguments, action)        \
  static int next_##name parameters {                     \
    static int(*own) parameters = NULL;                   \
    if (own == NULL) *(void**)&own = next("PMPI_" #name); \
    return own arguments;                                 \
  }                                                       \
  int MPI_##name parameters {                             \
    const int status = next_##name arguments;             \
    action;                                               \
    return status;                                        \
  }                                                       \
  int PMPI_##name parameters {                            \
    const int status = next_##name arguments;             \
    action;                                               \
    return status;                                        \
  }
#endif

#define ISEND(name)                                                                                               \
  AFTER(name,                                                                                                     \
        (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request), \
        (buffer, count, type, to, tag, comm, request),                                                            \
        (count_sent(count, type, to, comm), trace_isend(*request, count, type, to, tag, comm)))
ISEND(Isend)
ISEND(Issend)
ISEND(Ibsend)
ISEND(Irsend)

#define SEND_INIT(name)                                                                                           \
  AFTER(name,                                                                                                     \
        (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request), \
        (buffer, count, type, to, tag, comm, request),                                                            \
        (keep(*request, count, type, to, comm), trace_persistent(kept_isend, *request, count, type, to, tag, comm)))
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Bsend_init)
SEND_INIT(Rsend_init)

static void on_start(MPI_Request request) {
  count_start(request);
  trace_start(request);
}
WRAP(Start, (MPI_Request * request), (request), on_start(*request))
WRAP(Startall, (int count, MPI_Request requests[]), (count, requests),
     for (int i = 0; i < count; ++i) on_start(requests[i]))
WRAP(Request_free, (MPI_Request * request), (request), (forget(*request), trace_free(*request)))

#include "completions.h"

/* The trace's own all-reduce comes before calls are counted. */
static void begin(void) {
  begin_trace();
  begin_counts();
}
AFTER(Init, (int* argc, char*** argv), (argc, argv), begin())
AFTER(Init_thread, (int* argc, char*** argv, int required, int* provided), (argc, argv, required, provided), begin())

static void end(void) {
  end_counts();
  write_trace();
}
WRAP(Finalize, (void), (), end())
WRAP(Abort, (MPI_Comm comm, int code), (comm, code), end_early("calls MPI_Abort"))

/* A collective and its nonblocking form: what is counted, and what is traced. */
#define COLLECTIVE(name, nonblocking, parameters, arguments, count, trace) \
  WRAP(name, (parameters), (arguments), (count, trace))                    \
  WRAP(nonblocking, (parameters, MPI_Request * request), (arguments, request), (count, trace))

COLLECTIVE(Barrier, Ibarrier, LIST(MPI_Comm comm), LIST(comm), count_barrier(), trace_barrier(comm))
COLLECTIVE(Bcast, Ibcast, LIST(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           LIST(buffer, count, type, root, comm), count_tree(index_Bcast, size_of(count, type), root, comm, 1),
           trace_broadcast(size_of(count, type), root, comm))
#define ROOTED                                                                                                        \
  LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type, int root, \
       MPI_Comm comm)
#define TO_ALL                                                                                              \
  LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type, \
       MPI_Comm comm)
/* MPI_IN_PLACE stands for the part that a rank has: the other side's count is that of a part. */
#define PART(in) (in == MPI_IN_PLACE ? size_of(out_count, out_type) : size_of(in_count, in_type))
COLLECTIVE(Gather, Igather, ROOTED, LIST(in, in_count, in_type, out, out_count, out_type, root, comm),
           count_to_root(in, in_count, in_type, root, comm), trace_rooted("gather", PART(in), root, comm, 0))
COLLECTIVE(Scatter, Iscatter, ROOTED, LIST(in, in_count, in_type, out, out_count, out_type, root, comm),
           count_from_root(NULL, in_count, in_type, root, comm),
           trace_rooted("scatter", out == MPI_IN_PLACE ? size_of(in_count, in_type) : size_of(out_count, out_type),
                        root, comm, 1))
COLLECTIVE(Allgather, Iallgather, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           count_ring(index_Allgather, NULL, out_count, out_type, comm), trace_equal("allgather", PART(in), comm))
COLLECTIVE(Alltoall, Ialltoall, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           count_to_each(NULL, in == MPI_IN_PLACE ? out_count : in_count, NULL, in == MPI_IN_PLACE ? out_type : in_type,
                         comm),
           trace_equal("alltoall", PART(in), comm))
COLLECTIVE(Gatherv, Igatherv,
           LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int places[], MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, in_count, in_type, out, out_counts, places, out_type, root, comm),
           count_to_root(in, in_count, in_type, root, comm),
           trace_parts(out_counts, size_of(1, out_type), in == MPI_IN_PLACE ? 0 : size_of(in_count, in_type), root,
                       comm, 0))
COLLECTIVE(Scatterv, Iscatterv,
           LIST(const void* in, const int in_counts[], const int places[], MPI_Datatype in_type, void* out,
                int out_count, MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, in_counts, places, in_type, out, out_count, out_type, root, comm),
           count_from_root(in_counts, 0, in_type, root, comm),
           trace_parts(in_counts, size_of(1, in_type), out == MPI_IN_PLACE ? 0 : size_of(out_count, out_type), root,
                       comm, 1))
COLLECTIVE(Allgatherv, Iallgatherv,
           LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_count, in_type, out, out_counts, places, out_type, comm),
           count_ring(index_Allgatherv, out_counts, 0, out_type, comm),
           trace_gathered(in == MPI_IN_PLACE ? size_of(out_counts[own_rank(comm)], out_type)
                                             : size_of(in_count, in_type),
                          out_counts, size_of(1, out_type), comm))
#define PARTS(...) ((struct parts){__VA_ARGS__})
COLLECTIVE(Alltoallv, Ialltoallv,
           LIST(const void* in, const int in_counts[], const int in_places[], MPI_Datatype in_type, void* out,
                const int out_counts[], const int out_places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm),
           count_to_each(in == MPI_IN_PLACE ? out_counts : in_counts, 0, NULL, in == MPI_IN_PLACE ? out_type : in_type,
                         comm),
           trace_by_rank(PARTS(in == MPI_IN_PLACE ? out_counts : in_counts, NULL,
                               size_of(1, in == MPI_IN_PLACE ? out_type : in_type)),
                         PARTS(out_counts, NULL, size_of(1, out_type)), comm))
COLLECTIVE(Alltoallw, Ialltoallw,
           LIST(const void* in, const int in_counts[], const int in_places[], const MPI_Datatype in_types[], void* out,
                const int out_counts[], const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm),
           LIST(in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm),
           count_to_each(in == MPI_IN_PLACE ? out_counts : in_counts, 0, in == MPI_IN_PLACE ? out_types : in_types,
                         MPI_DATATYPE_NULL, comm),
           trace_by_rank(PARTS(in == MPI_IN_PLACE ? out_counts : in_counts, in == MPI_IN_PLACE ? out_types : in_types,
                               0),
                         PARTS(out_counts, out_types, 0), comm))
COLLECTIVE(Reduce, Ireduce,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           LIST(in, out, count, type, op, root, comm), count_tree(index_Reduce, size_of(count, type), root, comm, 0),
           trace_reduce(size_of(count, type), root, comm))
COLLECTIVE(Allreduce, Iallreduce,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), count_doubling(index_Allreduce, size_of(count, type), comm),
           trace_folded("allreduce", size_of(count, type), comm))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           LIST(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, counts, type, op, comm), count_parts(index_Reduce_scatter, counts, 0, type, comm),
           trace_scattered(counts, size_of(1, type), comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), count_parts(index_Reduce_scatter_block, NULL, count, type, comm),
           trace_by_rank(PARTS(NULL, NULL, size_of(count, type)), PARTS(NULL, NULL, size_of(count, type)), comm))
COLLECTIVE(Scan, Iscan, LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), count_doubling(index_Scan, size_of(count, type), comm),
           trace_folded("scan", size_of(count, type), comm))
COLLECTIVE(Exscan, Iexscan, LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), count_doubling(index_Exscan, size_of(count, type), comm),
           trace_folded("exscan", size_of(count, type), comm))

#include "communicators.h"

#ifndef GDR_RECORD_SMPI
#define NEIGHBOURS(name, nonblocking, parameters, arguments, action) \
  WRAP(name, (parameters), (arguments), action)                      \
  WRAP(nonblocking, (parameters, MPI_Request * request), (arguments, request), action)

NEIGHBOURS(Neighbor_allgather, Ineighbor_allgather, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           count_neighbours(NULL, in_count, NULL, in_type, comm))
NEIGHBOURS(Neighbor_alltoall, Ineighbor_alltoall, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           count_neighbours(NULL, in_count, NULL, in_type, comm))
NEIGHBOURS(Neighbor_allgatherv, Ineighbor_allgatherv,
           LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_count, in_type, out, out_counts, places, out_type, comm),
           count_neighbours(NULL, in_count, NULL, in_type, comm))
NEIGHBOURS(Neighbor_alltoallv, Ineighbor_alltoallv,
           LIST(const void* in, const int in_counts[], const int in_places[], MPI_Datatype in_type, void* out,
                const int out_counts[], const int out_places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm),
           count_neighbours(in_counts, 0, NULL, in_type, comm))
NEIGHBOURS(Neighbor_alltoallw, Ineighbor_alltoallw,
           LIST(const void* in, const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[],
                void* out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[],
                MPI_Comm comm),
           LIST(in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm),
           count_neighbours(in_counts, 0, in_types, MPI_DATATYPE_NULL, comm))

#endif

/* A one-sided call and its form with a request. */
#define ONE_SIDED(name, requesting, parameters, arguments, action) \
  WRAP(name, (parameters), (arguments), action)                    \
  WRAP(requesting, (parameters, MPI_Request * request), (arguments, request), action)

ONE_SIDED(Put, Rput,
          LIST(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there_count,
               MPI_Datatype there_type, MPI_Win window),
          LIST(from, count, type, target, place, there_count, there_type, window),
          count_window(window, target, size_of(count, type), 0))
ONE_SIDED(Get, Rget,
          LIST(void* to, int count, MPI_Datatype type, int target, MPI_Aint place, int there_count,
               MPI_Datatype there_type, MPI_Win window),
          LIST(to, count, type, target, place, there_count, there_type, window),
          count_window(window, target, 0, size_of(there_count, there_type)))
ONE_SIDED(Accumulate, Raccumulate,
          LIST(const void* from, int count, MPI_Datatype type, int target, MPI_Aint place, int there_count,
               MPI_Datatype there_type, MPI_Op op, MPI_Win window),
          LIST(from, count, type, target, place, there_count, there_type, op, window),
          count_window(window, target, size_of(count, type), 0))
ONE_SIDED(Get_accumulate, Rget_accumulate,
          LIST(const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type, int target,
               MPI_Aint place, int there_count, MPI_Datatype there_type, MPI_Op op, MPI_Win window),
          LIST(from, count, type, to, to_count, to_type, target, place, there_count, there_type, op, window),
          count_window(window, target, op == MPI_NO_OP ? 0 : size_of(count, type), size_of(there_count, there_type)))
WRAP(Fetch_and_op,
     (const void* from, void* to, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op, MPI_Win window),
     (from, to, type, target, place, op, window),
     count_window(window, target, op == MPI_NO_OP ? 0 : size_of(1, type), size_of(1, type)))
#ifdef GDR_RECORD_SMPI /* its header lacks this const */
#define EXPECTED void* expected
#else
#define EXPECTED const void* expected
#endif
WRAP(Compare_and_swap,
     (const void* from, EXPECTED, void* to, MPI_Datatype type, int target, MPI_Aint place, MPI_Win window),
     (from, expected, to, type, target, place, window),
     count_window(window, target, 2 * size_of(1, type), size_of(1, type)))
