/* What every rank sends to every other, for the graph of GDR_RECORD. Part of record.c, which includes it. Threads may
 * send at once, so that counters are atomic and the table of persistent requests has a lock. */

/* What this rank sent to each rank of MPI_COMM_WORLD, and what it had sent to itself by one-sided reads. */
static uint64_t* sent = NULL;
static uint64_t* fetched = NULL;
static uint64_t sent_outside = 0; /* bytes to processes that are not in MPI_COMM_WORLD */
static int ranks = 0;
static int world_me = 0;
static int is_over = 0;           /* the calls that follow are the recorder's own */
static int takes_apart = 0;       /* broadcasts, reductions and their like count as messages, too */
static char* graph_path = NULL;   /* absolute: the program may change its folder */
static int is_graph_writable = 0; /* at rank 0 */

#define COLLECTIVES(X)    \
  X(Barrier)              \
  X(Bcast)                \
  X(Allgather)            \
  X(Allgatherv)           \
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
/* Of each collective that is not taken apart, its nonblocking form included. */
static uint64_t calls[kinds];

static int is_counting(void) { return sent != NULL && !is_over; }

/* --- Ranks and sizes --------------------------------------------------------------------------------------------- */

/* Ranks of a group in MPI_COMM_WORLD; MPI_UNDEFINED for those that it has not. */
static void in_world(int count, const int* there, MPI_Group group, int* world) {
  MPI_Group all;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_translate_ranks(group, count, (int*)there, all, world);
  PMPI_Group_free(&all);
}

/* The ranks that a rank's messages in this communicator name. To be freed. */
static MPI_Group named_group(MPI_Comm comm) {
  MPI_Group group;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  return group;
}

static int world_rank(int rank, MPI_Comm comm) {
  MPI_Group group = named_group(comm);
  int there = MPI_UNDEFINED;
  in_world(1, &rank, group, &there);
  PMPI_Group_free(&group);
  return there;
}

/* A type may have 2 GiB and more. */
static uint64_t size_of(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return count < 0 || size < 0 ? 0 : (uint64_t)count * (uint64_t)size;
}

static void add_to(uint64_t* counter, uint64_t bytes) { __atomic_fetch_add(counter, bytes, __ATOMIC_RELAXED); }

static void add(uint64_t* counts, int rank, uint64_t bytes) {
  add_to(rank >= 0 && rank < ranks ? &counts[rank] : &sent_outside, bytes);
}

/* --- Messages ---------------------------------------------------------------------------------------------------- */

static void count_sent(int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (is_counting() && to != MPI_PROC_NULL) add(sent, world_rank(to, comm), size_of(count, type));
}

/* Persistent sends, which are counted whenever they are started. */
struct persistent {
  struct known known;
  int to;
  uint64_t bytes;
};
static struct known_requests persistents = {NULL, 0, 0};
static pthread_mutex_t persistents_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep(MPI_Request request, int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (!is_counting() || to == MPI_PROC_NULL) return;
  struct persistent* entry = malloc(sizeof *entry);
  if (entry == NULL) return;
  entry->known.request = request;
  entry->to = world_rank(to, comm);
  entry->bytes = size_of(count, type);
  pthread_mutex_lock(&persistents_lock);
  if (!add_known(&persistents, &entry->known)) free(entry);
  pthread_mutex_unlock(&persistents_lock);
}

static void count_start(MPI_Request request) {
  if (!is_counting()) return;
  pthread_mutex_lock(&persistents_lock);
  struct known** found = find_known(&persistents, request);
  if (found != NULL) {
    const struct persistent* entry = (const struct persistent*)*found;
    add(sent, entry->to, entry->bytes);
  }
  pthread_mutex_unlock(&persistents_lock);
}

static void forget(MPI_Request request) {
  if (!is_counting()) return;
  pthread_mutex_lock(&persistents_lock);
  struct known** found = find_known(&persistents, request);
  if (found != NULL) remove_known(&persistents, found);
  pthread_mutex_unlock(&persistents_lock);
}

/* --- Collectives ------------------------------------------------------------------------------------------------- */

/* The ranks of a communicator that messages name, as ranks of the world, and this rank among them. */
struct members {
  int* world;
  int size;
  int me; /* MPI_UNDEFINED between two groups */
  int is_inter;
};

static struct members members_of(MPI_Comm comm) {
  struct members all = {NULL, 0, MPI_UNDEFINED, 0};
  MPI_Group group = named_group(comm);
  PMPI_Comm_test_inter(comm, &all.is_inter);
  PMPI_Group_size(group, &all.size);
  PMPI_Group_rank(group, &all.me);
  int* there = malloc(sizeof *there * (size_t)(all.size + 1));
  all.world = malloc(sizeof *all.world * (size_t)(all.size + 1));
  if (there == NULL || all.world == NULL) {
    fprintf(stderr, "gdr_record_mpi: no memory for the ranks of a communicator\n");
    abort();
  }
  for (int rank = 0; rank < all.size; ++rank) there[rank] = rank;
  in_world(all.size, there, group, all.world);
  free(there);
  PMPI_Group_free(&group);
  return all;
}

static void add_member(const struct members* all, int rank, uint64_t bytes) {
  if (rank != all->me) add(sent, all->world[rank], bytes);
}

/* From this rank to each: `counts` and `types` by rank; without them `one_count` and `one_type`. */
static void count_to_each(const int* counts, int one_count, const MPI_Datatype* types, MPI_Datatype one_type,
                          MPI_Comm comm) {
  if (!is_counting()) return;
  struct members all = members_of(comm);
  for (int rank = 0; rank < all.size; ++rank) {
    add_member(&all, rank, size_of(counts != NULL ? counts[rank] : one_count, types != NULL ? types[rank] : one_type));
  }
  free(all.world);
}

/* Gather: what this rank has goes to the root. */
static void count_to_root(const void* in, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!is_counting() || in == MPI_IN_PLACE || root == MPI_PROC_NULL) return;
  int is_inter = 0; /* MPI_ROOT has a meaning only there, and SMPI's is 0 */
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter && root == MPI_ROOT) return;
  struct members all = members_of(comm);
  add_member(&all, root, size_of(count, type));
  free(all.world);
}

/* Scatter: the root sends each its part. */
static void count_from_root(const int* counts, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!is_counting()) return;
  int is_inter = 0;
  int me = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &me);
  if (is_inter ? root == MPI_ROOT : root == me) count_to_each(counts, count, NULL, type, comm);
}

/* The other collectives: MPI does not say which messages they are. As a rule only their calls are counted. With
 * GDR_RECORD_COLLECTIVES=1 each is the messages of one algorithm, within one group. */
static int taken_apart(int kind, MPI_Comm comm, struct members* all) {
  if (!is_counting()) return 0;
  int is_inter = 0;
  if (takes_apart) PMPI_Comm_test_inter(comm, &is_inter);
  if (!takes_apart || is_inter) {
    add_to(&calls[kind], 1);
    return 0;
  }
  *all = members_of(comm);
  return 1;
}

static void count_barrier(void) { /* no bytes */
  if (is_counting() && !takes_apart) add_to(&calls[index_Barrier], 1);
}

/* A binomial tree whose inner ends are nearest to the root: from it, or to it. */
static void count_tree(int kind, uint64_t bytes, int root, MPI_Comm comm, int outward) {
  struct members all;
  if (!taken_apart(kind, comm, &all)) return;
  const int place = (all.me + all.size - root) % all.size;
  if (!outward && place != 0) add_member(&all, ((place & (place - 1)) + root) % all.size, bytes);
  for (int bit = 1; outward && bit < all.size && (place & bit) == 0; bit *= 2) {
    if (place + bit < all.size) add_member(&all, (place + bit + root) % all.size, bytes);
  }
  free(all.world);
}

/* All-reduce, scan: everything to ranks at distances that double. */
static void count_doubling(int kind, uint64_t bytes, MPI_Comm comm) {
  struct members all;
  if (!taken_apart(kind, comm, &all)) return;
  for (int distance = 1; distance < all.size; distance *= 2) add_member(&all, (all.me + distance) % all.size, bytes);
  free(all.world);
}

/* All-gather: each part goes around a ring. `counts` in elements of `type`, or NULL: `count` of each. */
static void count_ring(int kind, const int* counts, int count, MPI_Datatype type, MPI_Comm comm) {
  struct members all;
  if (!taken_apart(kind, comm, &all)) return;
  const int next = (all.me + 1) % all.size;
  uint64_t bytes = 0;
  for (int rank = 0; rank < all.size; ++rank) { /* what the next one has is the last to arrive here */
    if (rank != next) bytes += size_of(counts != NULL ? counts[rank] : count, type);
  }
  add_member(&all, next, bytes);
  free(all.world);
}

/* Reduce-scatter: each gets its part of everybody's. */
static void count_parts(int kind, const int* counts, int count, MPI_Datatype type, MPI_Comm comm) {
  struct members all;
  if (!taken_apart(kind, comm, &all)) return;
  for (int rank = 0; rank < all.size; ++rank)
    add_member(&all, rank, size_of(counts != NULL ? counts[rank] : count, type));
  free(all.world);
}

/* --- Begin and end ----------------------------------------------------------------------------------------------- */

/* `name` as an absolute path; to be freed. */
static char* absolute(const char* name) {
  char* path = NULL;
  char* folder = name[0] == '/' ? strdup("") : getcwd(NULL, 0);
  if (folder == NULL || asprintf(&path, name[0] == '/' ? "%s%s" : "%s/%s", folder, name) < 0) path = NULL;
  free(folder);
  return path;
}

/* True in processes that MPI_Comm_spawn started: they have a world of their own. */
static int is_spawned(void) {
#ifdef GDR_RECORD_SMPI /* it starts none */
  return 0;
#else
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
#endif
}

static void cannot_write(int error) {
  fprintf(stderr, "gdr_record_mpi: %s: %s; no graph is written\n", graph_path, strerror(error));
}

/* Rank 0 makes sure of the file before the program computes. A world that was spawned has a name of its own, the first
 * that is free of NAME.spawned1, NAME.spawned2, ... */
static void reserve_graph(void) {
  for (int number = 1; is_spawned();) {
    char* path = NULL;
    if (asprintf(&path, "%s.spawned%d", graph_path, number++) < 0) return;
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) {
      free(path);
      continue;
    }
    free(graph_path);
    graph_path = path;
    if (file >= 0) close(file);
    break;
  }
  const int error = try_file(graph_path);
  is_graph_writable = error == 0;
  if (error != 0) cannot_write(error);
}

static void end_early(const char* how) {
  if (!is_counting()) return;
  is_over = 1;
  fprintf(stderr, "gdr_record_mpi: rank %d %s: %s is not written\n", world_me, how, graph_path);
}

#ifndef GDR_RECORD_SMPI /* its ranks are not processes */
static void at_exit(void) { end_early("ends without MPI_Finalize"); }
#endif

static void begin_counts(void) {
  const char* name = secure_getenv("GDR_RECORD");
  const char* collectives = secure_getenv("GDR_RECORD_COLLECTIVES");
  if (name == NULL || *name == '\0' || sent != NULL) return;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_me);
  takes_apart = collectives != NULL && strcmp(collectives, "1") == 0;
  if (collectives != NULL && *collectives != '\0' && !takes_apart && strcmp(collectives, "0") != 0 && world_me == 0) {
    fprintf(stderr, "gdr_record_mpi: GDR_RECORD_COLLECTIVES is '%s': it must be 0 or 1\n", collectives);
  }
  graph_path = absolute(name);
  fetched = calloc((size_t)ranks, sizeof *fetched);
  uint64_t* all = calloc((size_t)ranks, sizeof *all);
  if (graph_path == NULL || fetched == NULL || all == NULL) {
    fprintf(stderr, "gdr_record_mpi: no memory for the graph\n");
    abort(); /* ranks that do not record would keep the others waiting */
  }
  if (world_me == 0) reserve_graph();
#ifndef GDR_RECORD_SMPI
  atexit(at_exit);
#endif
  sent = all;
}

static void write_head(FILE* file, const uint64_t* all_calls, uint64_t outside) {
  uint64_t sum = 0;
  for (int kind = 0; kind < kinds; ++kind) sum += all_calls[kind];
  fprintf(file,
          "# bytes of messages, one-sided transfers and collectives whose messages are known: neighbourhoods, "
          "all-to-all,\n");
  fprintf(file, "# gather, scatter%s\n",
          takes_apart ? "; broadcast and reduction by binomial trees, all-reduce and scan at distances that double,\n"
                        "# all-gather around a ring, reduce-scatter from each to each"
                      : "");
  fprintf(file, "# %llu calls of collectives by all ranks are not in it\n", (unsigned long long)sum);
  for (int kind = 0; kind < kinds; ++kind) {
    if (all_calls[kind] > 0) fprintf(file, "# %s: %llu\n", names[kind], (unsigned long long)all_calls[kind]);
  }
  if (outside > 0) {
    fprintf(file, "# %llu bytes to processes outside of MPI_COMM_WORLD are not in it\n", (unsigned long long)outside);
  }
  fprintf(file, "tasks,%d\nfrom,to,bytes\n", ranks);
}

/* Rank 0 gets every rank's counts in turn and writes them. */
static void write_graph(void) {
  uint64_t mine[kinds + 1];
  uint64_t all[kinds + 1];
  memcpy(mine, calls, sizeof calls);
  mine[kinds] = sent_outside;
  PMPI_Reduce(mine, all, kinds + 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  /* What was read here was sent by its owner. */
  uint64_t* read_here = calloc((size_t)ranks, sizeof *read_here);
  if (read_here == NULL) abort();
  PMPI_Alltoall(fetched, 1, MPI_UINT64_T, read_here, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; ++rank) sent[rank] += read_here[rank];
  free(read_here);
  const int tag = 0;
  if (world_me != 0) {
    NEXT(Send)(sent, ranks, MPI_UINT64_T, 0, tag, MPI_COMM_WORLD);
    return;
  }
  struct new_file fresh = {NULL, NULL, NULL};
  int error = is_graph_writable ? begin_file(&fresh, graph_path) : 0;
  FILE* file = fresh.file;
  if (file != NULL) write_head(file, all, all[kinds]);
  for (int from = 0; from < ranks; ++from) {
    if (from != 0) PMPI_Recv(sent, ranks, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int to = 0; file != NULL && to < ranks; ++to) {
      if (to != from && sent[to] > 0) fprintf(file, "%d,%d,%llu\n", from, to, (unsigned long long)sent[to]);
    }
  }
  if (file != NULL) error = close_file(&fresh);
  if (file != NULL && error == 0) error = name_file(&fresh, 1);
  if (error != 0) cannot_write(error);
}

static void end_counts(void) {
  is_over = 1;
  if (sent != NULL) write_graph();
  free_known(&persistents);
  free(sent);
  free(fetched);
  free(graph_path);
  sent = fetched = NULL;
  graph_path = NULL;
}
