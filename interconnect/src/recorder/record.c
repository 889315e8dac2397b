/* Communication graph and trace of any MPI program, by the profiling interface of MPI: the calls that send are counted
 * and passed on. GDR_RECORD names the file that rank 0 writes in MPI_Finalize, a graph that gdr net map reads; without
 * it nothing is counted. GDR_RECORD_TRACE asks for all calls in their order, for gdr net replay; see trace.h. Built as
 * a shared library for LD_PRELOAD, or linked into the program (SMPI).
 *
 * Counted as messages: point-to-point calls, neighbourhood collectives (a message to each neighbour) and one-sided
 * transfers (from the rank whose memory is read to the one whose memory is written). Other collectives are not taken
 * apart; how often each was called stands in comments of the file. Fortran's bindings, mpif.h, mpi and mpi_f08, enter
 * at PMPI_, C programs at MPI_: both are wrapped, and what is behind them is looked up behind this library. A wrapper
 * of mpi_send_ and its like besides would count a call twice. */
#define _GNU_SOURCE
#ifndef GDR_RECORD_SMPI
#include <dlfcn.h>
#endif
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* What this rank sent to each rank of MPI_COMM_WORLD, and what it had sent to itself by one-sided reads. */
static uint64_t* sent = NULL;
static uint64_t* fetched = NULL;
static int ranks = 0;

#define COLLECTIVES(X)    \
  X(Barrier)              \
  X(Bcast)                \
  X(Gather)               \
  X(Gatherv)              \
  X(Scatter)              \
  X(Scatterv)             \
  X(Allgather)            \
  X(Allgatherv)           \
  X(Alltoall)             \
  X(Alltoallv)            \
  X(Alltoallw)            \
  X(Reduce)               \
  X(Allreduce)            \
  X(Reduce_scatter)       \
  X(Reduce_scatter_block) \
  X(Scan)                 \
  X(Exscan)
#define INDEX(name) index_##name,
enum { COLLECTIVES(INDEX) kinds };
#define NAME(name) "MPI_" #name,
static const char* const names[kinds] = {COLLECTIVES(NAME)};
static uint64_t calls[kinds]; /* of each collective, its nonblocking form included */

/* Requests of persistent sends, to be counted whenever they are started. */
struct persistent {
  MPI_Request request;
  int to;
  uint64_t bytes;
  struct persistent* next;
};
static struct persistent* persistents = NULL;

static void begin(void) {
  const char* file = secure_getenv("GDR_RECORD");
  if (file == NULL || *file == '\0' || sent != NULL) return;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sent = calloc((size_t)ranks, sizeof *sent);
  fetched = calloc((size_t)ranks, sizeof *fetched);
}

/* Rank of a group in MPI_COMM_WORLD; MPI_UNDEFINED if it has none there. */
static int in_world(int rank, MPI_Group group) {
  MPI_Group world;
  int there = MPI_UNDEFINED;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
  PMPI_Group_free(&world);
  return there;
}

static int world_rank(int rank, MPI_Comm comm) {
  MPI_Group group;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  const int there = in_world(rank, group);
  PMPI_Group_free(&group);
  return there;
}

static uint64_t size_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

static void add(uint64_t* counts, int rank, uint64_t bytes) {
  if (rank >= 0 && rank < ranks) counts[rank] += bytes;
}

static void count_sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (sent != NULL && to != MPI_PROC_NULL) add(sent, world_rank(to, comm), size_of(count, type));
}

static void keep(MPI_Request request, int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (sent == NULL || to == MPI_PROC_NULL) return;
  struct persistent* entry = malloc(sizeof *entry);
  if (entry == NULL) return;
  entry->request = request;
  entry->to = world_rank(to, comm);
  entry->bytes = size_of(count, type);
  entry->next = persistents;
  persistents = entry;
}

static void count_start(MPI_Request request) {
  for (const struct persistent* entry = persistents; entry != NULL; entry = entry->next) {
    if (entry->request != request) continue;
    add(sent, entry->to, entry->bytes);
    return;
  }
}

static void forget(MPI_Request request) {
  for (struct persistent** link = &persistents; *link != NULL; link = &(*link)->next) {
    if ((*link)->request != request) continue;
    struct persistent* gone = *link;
    *link = gone->next;
    free(gone);
    return;
  }
}

static void count_call(int kind) {
  if (sent != NULL) ++calls[kind];
}

#include "trace.h"

#ifndef GDR_RECORD_SMPI /* SMPI has neither neighbourhoods nor all of one-sided communication */
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
  if (is_traced()) ++untraced;
  if (sent == NULL) return;
  int count = 0;
  int* to = neighbours(comm, &count);
  for (int i = 0; i < count; ++i) {
    count_sent(counts != NULL ? counts[i] : one_count, types != NULL ? types[i] : one_type, to[i], comm);
  }
  free(to);
}

/* A one-sided transfer with the memory of `target`: `out` bytes go there, `back` bytes come from there. */
static void count_window(MPI_Win window, int target, uint64_t out, uint64_t back) {
  if (is_traced()) ++untraced;
  if (sent == NULL || target == MPI_PROC_NULL) return;
  MPI_Group group;
  PMPI_Win_get_group(window, &group);
  const int there = in_world(target, group);
  PMPI_Group_free(&group);
  add(sent, there, out);
  add(fetched, there, back);
}
#endif

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

#define SEND_INIT(name)                                                                                           \
  AFTER(name,                                                                                                     \
        (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request), \
        (buffer, count, type, to, tag, comm, request),                                                            \
        (keep(*request, count, type, to, comm), trace_persistent(kept_isend, *request, count, type, to, tag, comm)))
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)

#ifndef GDR_RECORD_SMPI /* SMPI has none of these */
SEND(Bsend)
SEND(Rsend)
ISEND(Ibsend)
ISEND(Irsend)
SEND_INIT(Bsend_init)
SEND_INIT(Rsend_init)
#endif

static void on_start(MPI_Request request) {
  count_start(request);
  trace_start(request);
}
WRAP(Start, (MPI_Request * request), (request), on_start(*request))
WRAP(Startall, (int count, MPI_Request requests[]), (count, requests),
     for (int i = 0; i < count; ++i) on_start(requests[i]))
WRAP(Request_free, (MPI_Request * request), (request), (forget(*request), trace_free(*request)))

#include "completions.h"

/* Rank 0 gets every rank's counts in turn and writes them. */
static void write_graph(void) {
  int me = 0;
  uint64_t my_calls[kinds]; /* before those of this function */
  uint64_t all_calls[kinds];
  memcpy(my_calls, calls, sizeof calls);
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Reduce(my_calls, all_calls, kinds, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  /* What was read here was sent by its owner. */
  uint64_t* read_here = calloc((size_t)ranks, sizeof *read_here);
  if (read_here == NULL) return;
  PMPI_Alltoall(fetched, 1, MPI_UINT64_T, read_here, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; ++rank) sent[rank] += read_here[rank];
  free(read_here);
  const int tag = 0;
  if (me != 0) {
    NEXT(Send)(sent, ranks, MPI_UINT64_T, 0, tag, MPI_COMM_WORLD);
    return;
  }
  const char* name = secure_getenv("GDR_RECORD");
  FILE* file = fopen(name, "w");
  if (file == NULL) perror(name);
  if (file != NULL) {
    uint64_t sum = 0;
    for (int kind = 0; kind < kinds; ++kind) sum += all_calls[kind];
    fprintf(file, "# bytes of point-to-point messages, neighbourhood collectives and one-sided transfers;\n");
    fprintf(file, "# %llu calls of collectives by all ranks are not in it\n", (unsigned long long)sum);
    for (int kind = 0; kind < kinds; ++kind) {
      if (all_calls[kind] > 0) fprintf(file, "# %s: %llu\n", names[kind], (unsigned long long)all_calls[kind]);
    }
    fprintf(file, "tasks,%d\nfrom,to,bytes\n", ranks);
  }
  for (int from = 0; from < ranks; ++from) {
    if (from != 0) PMPI_Recv(sent, ranks, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int to = 0; file != NULL && to < ranks; ++to) {
      if (to != from && sent[to] > 0) fprintf(file, "%d,%d,%llu\n", from, to, (unsigned long long)sent[to]);
    }
  }
  if (file != NULL && fclose(file) != 0) perror(name);
}

AFTER(Init, (int* argc, char*** argv), (argc, argv), (begin(), begin_trace()))
AFTER(Init_thread, (int* argc, char*** argv, int required, int* provided), (argc, argv, required, provided),
      (begin(), begin_trace()))

static void end(void) {
  is_over = 1;
  if (sent != NULL) write_graph();
  write_trace();
  free(sent);
  free(fetched);
  sent = fetched = NULL;
  while (persistents != NULL) {
    struct persistent* after = persistents->next;
    free(persistents);
    persistents = after;
  }
}
WRAP(Finalize, (void), (), end())

/* A collective and its nonblocking form. */
#define COLLECTIVE(name, nonblocking, parameters, arguments, trace)        \
  WRAP(name, (parameters), (arguments), (count_call(index_##name), trace)) \
  WRAP(nonblocking, (parameters, MPI_Request * request), (arguments, request), (count_call(index_##name), trace))

COLLECTIVE(Barrier, Ibarrier, LIST(MPI_Comm comm), LIST(comm), trace_barrier(comm))
COLLECTIVE(Bcast, Ibcast, LIST(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           LIST(buffer, count, type, root, comm), trace_broadcast(size_of(count, type), root, comm))
#define ROOTED                                                                                                        \
  LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type, int root, \
       MPI_Comm comm)
#define TO_ALL                                                                                              \
  LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type, \
       MPI_Comm comm)
/* At the root MPI_IN_PLACE stands for the part that it has: the other side's count is that of a part. */
#define PART(in) (in == MPI_IN_PLACE ? size_of(out_count, out_type) : size_of(in_count, in_type))
COLLECTIVE(Gather, Igather, ROOTED, LIST(in, in_count, in_type, out, out_count, out_type, root, comm),
           trace_rooted("gather", PART(in), root, comm, 0))
COLLECTIVE(Scatter, Iscatter, ROOTED, LIST(in, in_count, in_type, out, out_count, out_type, root, comm),
           trace_rooted("scatter", out == MPI_IN_PLACE ? size_of(in_count, in_type) : size_of(out_count, out_type),
                        root, comm, 1))
COLLECTIVE(Allgather, Iallgather, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           trace_equal("allgather", PART(in), comm))
COLLECTIVE(Alltoall, Ialltoall, TO_ALL, LIST(in, in_count, in_type, out, out_count, out_type, comm),
           trace_equal("alltoall", PART(in), comm))
COLLECTIVE(Gatherv, Igatherv,
           LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int places[], MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, in_count, in_type, out, out_counts, places, out_type, root, comm),
           trace_parts(out_counts, size_of(1, out_type), in == MPI_IN_PLACE ? 0 : size_of(in_count, in_type), root,
                       comm, 0))
COLLECTIVE(Scatterv, Iscatterv,
           LIST(const void* in, const int in_counts[], const int places[], MPI_Datatype in_type, void* out,
                int out_count, MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, in_counts, places, in_type, out, out_count, out_type, root, comm),
           trace_parts(in_counts, size_of(1, in_type), out == MPI_IN_PLACE ? 0 : size_of(out_count, out_type), root,
                       comm, 1))
COLLECTIVE(Allgatherv, Iallgatherv,
           LIST(const void* in, int in_count, MPI_Datatype in_type, void* out, const int out_counts[],
                const int places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_count, in_type, out, out_counts, places, out_type, comm),
           trace_gathered(in == MPI_IN_PLACE ? size_of(out_counts[own_rank(comm)], out_type)
                                             : size_of(in_count, in_type),
                          out_counts, size_of(1, out_type), comm))
COLLECTIVE(Alltoallv, Ialltoallv,
           LIST(const void* in, const int in_counts[], const int in_places[], MPI_Datatype in_type, void* out,
                const int out_counts[], const int out_places[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm),
           trace_by_rank(in == MPI_IN_PLACE ? out_counts : in_counts, out_counts, size_of(1, out_type), comm))
COLLECTIVE(Alltoallw, Ialltoallw,
           LIST(const void* in, const int in_counts[], const int in_places[], const MPI_Datatype in_types[], void* out,
                const int out_counts[], const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm),
           LIST(in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm), count_untraced())
COLLECTIVE(Reduce, Ireduce,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           LIST(in, out, count, type, op, root, comm), trace_reduce(size_of(count, type), root, comm))
COLLECTIVE(Allreduce, Iallreduce,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), trace_folded("allreduce", size_of(count, type), comm))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           LIST(const void* in, void* out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, counts, type, op, comm), trace_scattered(counts, size_of(1, type), comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), trace_by_rank(NULL, NULL, size_of(count, type), comm))
COLLECTIVE(Scan, Iscan, LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), trace_folded("scan", size_of(count, type), comm))
COLLECTIVE(Exscan, Iexscan, LIST(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm), trace_folded("exscan", size_of(count, type), comm))

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
WRAP(Compare_and_swap,
     (const void* from, const void* expected, void* to, MPI_Datatype type, int target, MPI_Aint place, MPI_Win window),
     (from, expected, to, type, target, place, window),
     count_window(window, target, 2 * size_of(1, type), size_of(1, type)))
#endif
