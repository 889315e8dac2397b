/* Communication graph of any MPI program, by the profiling interface of MPI: the calls that send are counted and passed
 * on. GDR_RECORD names the file that rank 0 writes in MPI_Finalize, a graph that gdr net map reads; without it nothing
 * is counted. Built as a shared library for LD_PRELOAD, or linked into the program (SMPI). Collectives are not taken
 * apart: how many were called stands in a comment of the file. Fortran's calls are seen where they go through C's. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What this rank sent to each rank of MPI_COMM_WORLD. */
static uint64_t* sent = NULL;
static int ranks = 0;
static uint64_t collectives = 0;

/* Requests of persistent sends, to be counted whenever they are started. */
struct persistent {
  MPI_Request request;
  int to;
  uint64_t bytes;
  struct persistent* next;
};
static struct persistent* persistents = NULL;

static void begin(void) {
  const char* file = getenv("GDR_RECORD");
  if (file == NULL || *file == '\0') return;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sent = calloc((size_t)ranks, sizeof *sent);
}

static int world_rank(int rank, MPI_Comm comm) {
  MPI_Group group, world;
  int is_inter = 0, there = MPI_UNDEFINED;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return there;
}

static uint64_t size_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

static void count_sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (sent == NULL || to == MPI_PROC_NULL) return;
  const int there = world_rank(to, comm);
  if (there >= 0 && there < ranks) sent[there] += size_of(count, type);
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
    if (entry->to >= 0 && entry->to < ranks) sent[entry->to] += entry->bytes;
    return;
  }
}

/* Rank 0 gets every rank's counts in turn and writes them. */
static void write_graph(void) {
  int me = 0;
  uint64_t all_collectives = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Reduce(&collectives, &all_collectives, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  const int tag = 0;
  if (me != 0) {
    PMPI_Send(sent, ranks, MPI_UINT64_T, 0, tag, MPI_COMM_WORLD);
    return;
  }
  const char* name = getenv("GDR_RECORD");
  FILE* file = fopen(name, "w");
  if (file == NULL) perror(name);
  if (file != NULL) {
    fprintf(file, "# bytes of point-to-point messages; %llu calls of collectives by all ranks are not in it\n",
            (unsigned long long)all_collectives);
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

int MPI_Init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  begin();
  return status;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  begin();
  return status;
}

int MPI_Finalize(void) {
  if (sent != NULL) write_graph();
  free(sent);
  sent = NULL;
  while (persistents != NULL) {
    struct persistent* next = persistents->next;
    free(persistents);
    persistents = next;
  }
  return PMPI_Finalize();
}

#define SEND(name)                                                                                   \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    count_sent(count, type, to, comm);                                                               \
    return PMPI_##name(buffer, count, type, to, tag, comm);                                          \
  }
SEND(Send)
SEND(Ssend)

#define ISEND(name)                                                                                \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    count_sent(count, type, to, comm);                                                             \
    return PMPI_##name(buffer, count, type, to, tag, comm, request);                               \
  }
ISEND(Isend)
ISEND(Issend)

#define SEND_INIT(name)                                                                            \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    const int status = PMPI_##name(buffer, count, type, to, tag, comm, request);                   \
    keep(*request, count, type, to, comm);                                                         \
    return status;                                                                                 \
  }
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

int MPI_Start(MPI_Request* request) {
  count_start(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i) count_start(requests[i]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  for (struct persistent** link = &persistents; *link != NULL; link = &(*link)->next) {
    if ((*link)->request != *request) continue;
    struct persistent* gone = *link;
    *link = gone->next;
    free(gone);
    break;
  }
  return PMPI_Request_free(request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  count_sent(out_count, out_type, to, comm);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  count_sent(count, type, to, comm);
  return PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm) {
  ++collectives;
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++collectives;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ++collectives;
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++collectives;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                  MPI_Comm comm) {
  ++collectives;
  return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
                 MPI_Comm comm) {
  ++collectives;
  return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
}
