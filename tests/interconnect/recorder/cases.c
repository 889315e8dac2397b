/* One pattern of messages a run: the first argument names it. record_test.py has the graph that each must give. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, PART = 100, REQUESTS = 4000, STARTS = 3 };

static char out[ROOM];
static char in[ROOM];
static int me = 0;
static int ranks = 0;

/* Counts by rank from `first`, and their places. */
static void parts(int size, int first, int step, int* counts, int* places) {
  for (int rank = 0, place = 0; rank < size; place += counts[rank++]) {
    counts[rank] = first + step * rank;
    places[rank] = place;
  }
}

/* All-to-all in the rows of a grid of two columns, with equal parts, by counts, by types, in place; not blocking. */
static void all_to_all(void) {
  int counts[64];
  int places[64];
  MPI_Datatype types[64];
  MPI_Comm row;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, me / 2, -me, &row); /* ranks turned around */
  for (int rank = 0; rank < 64; ++rank) types[rank] = MPI_CHAR;
  parts(2, PART, 0, counts, places);
  MPI_Alltoall(out, PART, MPI_CHAR, in, PART, MPI_CHAR, row);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_CHAR, in, counts, places, MPI_CHAR, row);
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, row);
  MPI_Ialltoall(out, PART, MPI_CHAR, in, PART, MPI_CHAR, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void rooted(void) {
  int counts[64];
  int places[64];
  const int root = 1;
  MPI_Gather(me == root ? MPI_IN_PLACE : out, PART, MPI_CHAR, in, PART, MPI_CHAR, root, MPI_COMM_WORLD);
  parts(ranks, 1, 1, counts, places);
  MPI_Gatherv(out, counts[me], MPI_CHAR, in, counts, places, MPI_CHAR, root, MPI_COMM_WORLD);
  MPI_Scatter(out, PART, MPI_CHAR, me == root ? MPI_IN_PLACE : in, PART, MPI_CHAR, root, MPI_COMM_WORLD);
  MPI_Scatterv(out, counts, places, MPI_CHAR, in, counts[me], MPI_CHAR, root, MPI_COMM_WORLD);
}

/* Two groups: all of one scatters to all of the other, and its first rank gathers. */
static void between_groups(void) {
  MPI_Comm half;
  MPI_Comm both;
  const int second = me >= ranks / 2;
  MPI_Comm_split(MPI_COMM_WORLD, second, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, second ? 0 : ranks / 2, 7, &both);
  MPI_Alltoall(out, PART, MPI_CHAR, in, PART, MPI_CHAR, both);
  const int root = second ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Gather(out, 1, MPI_CHAR, in, 1, MPI_CHAR, root, both);
  MPI_Scatter(out, 3, MPI_CHAR, in, 3, MPI_CHAR, root, both);
}

static void collectives(void) {
  int counts[64];
  int places[64];
  parts(ranks, 1, 1, counts, places);
  MPI_Bcast(out, PART, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Reduce(out, in, 10, MPI_CHAR, MPI_BOR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, 7, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
  MPI_Allgatherv(out, counts[me], MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* One type of more than 2 GiB, whose elements lie upon one another. */
static void large_type(void) {
  MPI_Datatype type;
  MPI_Type_create_hvector(33000, ROOM, 0, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  if (me == 0) MPI_Send(out, 1, type, 1, 0, MPI_COMM_WORLD);
  if (me == 1) MPI_Recv(in, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  MPI_Request* all = malloc(sizeof *all * 2 * REQUESTS);
  for (int n = 0; n < REQUESTS; ++n) {
    MPI_Send_init(out, 1 + n % 2, MPI_CHAR, (me + 1) % ranks, n, MPI_COMM_WORLD, &all[2 * n]);
    MPI_Recv_init(in, 2, MPI_CHAR, (me + ranks - 1) % ranks, n, MPI_COMM_WORLD, &all[2 * n + 1]);
  }
  for (int start = 0; start < STARTS; ++start) {
    MPI_Startall(2 * REQUESTS, all);
    MPI_Waitall(2 * REQUESTS, all, MPI_STATUSES_IGNORE);
  }
  for (int n = 0; n < 2 * REQUESTS; ++n) MPI_Request_free(&all[n]);
  free(all);
}

static void ring(int bytes) {
  MPI_Sendrecv(out, bytes, MPI_CHAR, (me + 1) % ranks, 0, in, bytes, MPI_CHAR, (me + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two messages that probes take, received in the other order; then receives that are cancelled: alone, among others,
 * and without a wait. */
static void probed_and_cancelled(void) {
  MPI_Request sends[2];
  MPI_Request receives[3];
  MPI_Message messages[2];
  const int left = (me + ranks - 1) % ranks;
  int is_there = 0;
  for (int n = 0; n < 2; ++n) {
    MPI_Isend(out, 70 + n, MPI_CHAR, (me + 1) % ranks, 5, MPI_COMM_WORLD, &sends[n]);
  }
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &messages[0], MPI_STATUS_IGNORE);
  while (!is_there) MPI_Improbe(left, 5, MPI_COMM_WORLD, &is_there, &messages[1], MPI_STATUS_IGNORE);
  MPI_Imrecv(in, ROOM, MPI_CHAR, &messages[1], &receives[0]);
  MPI_Mrecv(in + ROOM / 2, ROOM / 2, MPI_CHAR, &messages[0], MPI_STATUS_IGNORE);
  MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  for (int n = 0; n < 3; ++n) {
    MPI_Irecv(in, ROOM, MPI_CHAR, n == 1 ? MPI_ANY_SOURCE : left, 99, MPI_COMM_WORLD, &receives[n]);
    MPI_Cancel(&receives[n]);
  }
  MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
  MPI_Waitall(1, &receives[1], MPI_STATUSES_IGNORE);
  MPI_Request_free(&receives[2]);
}

static void spawned(char* program) {
  MPI_Comm parent;
  MPI_Comm children;
  char* arguments[] = {"spawned", NULL};
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    if (me == 0) MPI_Send(out, 999, MPI_CHAR, 0, 0, children);
    ring(10);
    MPI_Comm_disconnect(&children);
  } else {
    if (me == 0) MPI_Recv(in, 999, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE);
    ring(20);
    MPI_Comm_disconnect(&parent);
  }
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(name, "all_to_all") == 0) all_to_all();
  if (strcmp(name, "rooted") == 0) rooted();
  if (strcmp(name, "between_groups") == 0) between_groups();
  if (strcmp(name, "collectives") == 0) collectives();
  if (strcmp(name, "large_type") == 0) large_type();
  if (strcmp(name, "persistent") == 0) persistent();
  if (strcmp(name, "spawned") == 0) spawned(argv[0]);
  if (strcmp(name, "ring") == 0) ring(10);
  if (strcmp(name, "probed_and_cancelled") == 0) probed_and_cancelled();
  if (strcmp(name, "other_folder") == 0) ring(10);
  if (strcmp(name, "other_folder") == 0 && chdir("/") != 0) perror("/");
  if (strcmp(name, "exit") == 0) exit(0);
  if (strcmp(name, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 0);
  MPI_Finalize();
  return 0;
}
