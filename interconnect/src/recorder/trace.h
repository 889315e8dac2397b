/* The calls of a rank in their order, as a time-independent trace of SimGrid. GDR_RECORD_TRACE names the folder, with a
 * file for each rank and trace.txt, which lists them; without it nothing is kept. Part of record.c, which includes it.
 *
 * Communicators are told apart by nothing: all ranks are those of MPI_COMM_WORLD. A receive from any source is written
 * with the source that came, a persistent request at each start, a test that succeeds as a wait, a message that a probe
 * takes (MPI_Mprobe) as a receive begun there. Receives that were cancelled are left out. Collectives of all
 * ranks, to which the making of communicators belongs, are written as such; those of fewer ranks as messages, because
 * the format knows no communicators. Nonblocking collectives stand where they were called. */

/* Kinds of what is kept. Collectives are texts; what was cancelled is nothing. */
enum kept_kind { kept_send, kept_isend, kept_receive, kept_ireceive, kept_wait, kept_text, kept_nothing };
struct kept {
  enum kept_kind kind;
  int peer; /* rank of MPI_COMM_WORLD */
  int tag;
  uint64_t bytes;
  size_t request; /* of a wait: number of the request's entry */
  char* text;
};
static struct kept* kept = NULL;
static size_t kept_count = 0;
static size_t kept_room = 0;
static char* trace_folder = NULL; /* NULL: no trace is kept */
static int trace_rank = 0;
static uint64_t untraced = 0; /* calls that are missing */

/* Requests that are under way, and persistent ones. */
struct open_request {
  struct known known;
  size_t entry;
  MPI_Comm comm;
  int persistent;
  struct kept as; /* of a persistent request: its entry at each start */
};
static struct known_requests open_requests = {NULL, 0, 0};
/* Messages that a probe took, by their handles in place of a request's. */
static struct known_requests open_messages = {NULL, 0, 0};

static const size_t no_entry = (size_t)-1;

static void* grown(void* memory, size_t count, size_t* room, size_t size) {
  if (count < *room) return memory;
  *room = *room == 0 ? 1024 : 2 * *room;
  memory = realloc(memory, *room * size);
  if (memory == NULL) {
    fprintf(stderr, "gdr_record_mpi: no memory for the trace\n");
    abort();
  }
  return memory;
}

static size_t keep_entry(struct kept entry) {
  kept = grown(kept, kept_count, &kept_room, sizeof *kept);
  kept[kept_count] = entry;
  return kept_count++;
}

static int is_traced(void) { return trace_folder != NULL && !is_over; }

static size_t keep_message(enum kept_kind kind, int peer, int tag, uint64_t bytes) {
  const struct kept entry = {.kind = kind, .peer = peer, .tag = tag, .bytes = bytes};
  return keep_entry(entry);
}

static void keep_wait(size_t request) {
  const struct kept entry = {.kind = kept_wait, .request = request};
  keep_entry(entry);
}

static int world_or_any(int rank, MPI_Comm comm) {
  return rank == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : world_rank(rank, comm);
}

static void trace_send(enum kept_kind kind, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (is_traced() && to != MPI_PROC_NULL) keep_message(kind, world_rank(to, comm), tag, size_of(count, type));
}

static void open_in(struct known_requests* all, struct open_request value) {
  struct open_request* opened = malloc(sizeof *opened);
  if (opened != NULL) *opened = value;
  if (opened == NULL || !add_known(all, &opened->known)) {
    fprintf(stderr, "gdr_record_mpi: no memory for the trace\n");
    abort();
  }
}

/* A request that the last entry began, or a persistent one that will begin as `as`. */
static void open_request(MPI_Request request, size_t entry, MPI_Comm comm, int persistent, struct kept as) {
  const struct open_request value = {{request, NULL}, entry, comm, persistent, as};
  open_in(&open_requests, value);
}

static void trace_isend(MPI_Request request, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (!is_traced() || to == MPI_PROC_NULL) return;
  const struct kept none = {.kind = kept_isend};
  open_request(request, keep_message(kept_isend, world_rank(to, comm), tag, size_of(count, type)), comm, 0, none);
}

static void trace_ireceive(MPI_Request request, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
  if (!is_traced() || from == MPI_PROC_NULL) return;
  const struct kept none = {.kind = kept_ireceive};
  open_request(request, keep_message(kept_ireceive, world_or_any(from, comm), tag, size_of(count, type)), comm, 0,
               none);
}

static void trace_persistent(enum kept_kind kind, MPI_Request request, int count, MPI_Datatype type, int peer, int tag,
                             MPI_Comm comm) {
  if (!is_traced() || peer == MPI_PROC_NULL) return;
  const struct kept as = {.kind = kind, .peer = world_or_any(peer, comm), .tag = tag, .bytes = size_of(count, type)};
  open_request(request, no_entry, comm, 1, as);
}

static void trace_start(MPI_Request request) {
  struct known** found = is_traced() ? find_known(&open_requests, request) : NULL;
  if (found == NULL) return;
  struct open_request* opened = (struct open_request*)*found;
  opened->entry = keep_entry(opened->as);
}

static void received_bytes(const MPI_Status* status, MPI_Count* bytes) {
#ifdef GDR_RECORD_SMPI /* it counts in int */
  int few = 0;
  PMPI_Get_count(status, MPI_BYTE, &few);
  *bytes = few;
#else
  PMPI_Get_elements_x(status, MPI_BYTE, bytes);
#endif
}

/* A receive is written with what came. */
static void complete_receive(struct kept* entry, const MPI_Status* status, MPI_Comm comm) {
  MPI_Count bytes = 0;
  if (status->MPI_SOURCE >= 0) entry->peer = world_rank(status->MPI_SOURCE, comm);
  if (status->MPI_TAG >= 0) entry->tag = status->MPI_TAG;
  received_bytes(status, &bytes);
  if (bytes >= 0) entry->bytes = (uint64_t)bytes;
}

/* Completes the entry of a request that is done. True if it is one to wait for. */
static int end_entry(const struct open_request* request, const MPI_Status* status) {
  struct kept* entry = &kept[request->entry];
  int is_cancelled = 0;
  PMPI_Test_cancelled(status, &is_cancelled);
  if (is_cancelled)
    entry->kind = kept_nothing;
  else if (entry->kind == kept_ireceive)
    complete_receive(entry, status, request->comm);
  return !is_cancelled;
}

/* `request` was done with this status; it may have been set to MPI_REQUEST_NULL since. */
static void trace_done(MPI_Request request, const MPI_Status* status) {
  struct known** link = find_known(&open_requests, request);
  struct open_request* found = link != NULL ? (struct open_request*)*link : NULL;
  if (found == NULL || found->entry == no_entry) return;
  if (end_entry(found, status)) keep_wait(found->entry);
  found->entry = no_entry;
  if (!found->persistent) remove_known(&open_requests, link);
}

/* A request may have been cancelled, or be done, when the program gives it up. */
static void trace_free(MPI_Request request) {
  struct known** link = is_traced() ? find_known(&open_requests, request) : NULL;
  if (link == NULL) return;
  const struct open_request* found = (const struct open_request*)*link;
  int is_done = 0;
  MPI_Status status = {0}; /* SMPI leaves that of a send as it is */
  if (found->entry != no_entry) PMPI_Request_get_status(request, &is_done, &status);
  if (is_done) end_entry(found, &status);
  remove_known(&open_requests, link);
}

/* A probe took this message: it is received from here on, by this and no other receive. */
static void trace_taken(MPI_Message message, const MPI_Status* status, MPI_Comm comm) {
  if (!is_traced() || status->MPI_SOURCE == MPI_PROC_NULL) return;
  struct kept entry = {.kind = kept_ireceive};
  complete_receive(&entry, status, comm);
  const struct open_request value = {{(MPI_Request)message, NULL}, keep_entry(entry), comm, 0, entry};
  open_in(&open_messages, value);
}

/* The program asks for the message, and waits for it or has a request for it. */
static void trace_claimed(MPI_Message message, const MPI_Request* request) {
  struct known** link = is_traced() ? find_known(&open_messages, (MPI_Request)message) : NULL;
  if (link == NULL) return;
  const struct open_request taken = *(const struct open_request*)*link;
  remove_known(&open_messages, link);
  if (request == NULL)
    keep_wait(taken.entry);
  else
    open_request(*request, taken.entry, taken.comm, 0, taken.as);
}

static void keep_text(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = NULL;
  if (vasprintf(&text, format, values) < 0) text = NULL;
  va_end(values);
  const struct kept entry = {.kind = kept_text, .text = text};
  keep_entry(entry);
}

/* A call that the trace lacks stands in it by its name, which no replay knows: a time without its messages would be
 * wrong. */
static void trace_missing(const char* name) {
  if (!is_traced()) return;
  ++untraced;
  keep_text("unrecorded %s", name);
}

/* --- Collectives ------------------------------------------------------------------------------------------------- */

enum {
  byte_type = 6,     /* SMPI's number of MPI_BYTE (SimGrid 3.32) */
  own_tag = 1 << 28, /* of messages that collectives are written as */
};

/* A communicator, and this rank in it. */
struct group_of {
  int size;
  int me;
  MPI_Comm comm;
};

/* True for a collective to be written. `group` says whose it is, and whether all ranks take part in their order. */
static int traced_group(MPI_Comm comm, struct group_of* group, int* is_world) {
  if (!is_traced()) return 0;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter) {
    trace_missing("collective between two groups");
    return 0;
  }
  int same = MPI_UNEQUAL;
  PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
  *is_world = same == MPI_IDENT || same == MPI_CONGRUENT;
  group->comm = comm;
  PMPI_Comm_size(comm, &group->size);
  PMPI_Comm_rank(comm, &group->me);
  return 1;
}

/* Messages of a collective that nobody has waited for yet. */
struct posted {
  size_t* entries;
  size_t count;
};

static void keep_waits(struct posted* posted) {
  for (size_t i = 0; i < posted->count; ++i) keep_wait(posted->entries[i]);
  free(posted->entries);
  *posted = (struct posted){NULL, 0};
}

static void keep_posted(struct posted* posted, enum kept_kind kind, int rank, uint64_t bytes,
                        const struct group_of* group) {
  const size_t entry = keep_message(kind, world_rank(rank, group->comm), own_tag, bytes);
  if (entry == no_entry) return;
  size_t* more = realloc(posted->entries, (posted->count + 1) * sizeof *more);
  if (more == NULL) { /* then it is waited for at once */
    keep_wait(entry);
    return;
  }
  posted->entries = more;
  posted->entries[posted->count++] = entry;
}

/* One step of a collective: `bytes` to one rank of the group, and a message from another; -1: none. */
static void keep_step(const struct group_of* group, int to, uint64_t bytes, int from, uint64_t expected) {
  struct posted posted = {NULL, 0};
  if (from >= 0) keep_posted(&posted, kept_ireceive, from, expected, group);
  if (to >= 0) keep_posted(&posted, kept_isend, to, bytes, group);
  keep_waits(&posted);
}

/* At distances that double: barrier, all-reduce, scan. */
static void keep_doubling(const struct group_of* group, uint64_t bytes) {
  for (int distance = 1; distance < group->size; distance *= 2) {
    keep_step(group, (group->me + distance) % group->size, bytes, (group->me + group->size - distance) % group->size,
              bytes);
  }
}

/* Binomial tree from the root, or to it. */
static void keep_tree(const struct group_of* group, uint64_t bytes, int root, int outward) {
  const int place = (group->me + group->size - root) % group->size;
  int lowest = 1;
  while (lowest < group->size && (place & lowest) == 0) lowest *= 2;
  const int parent = place == 0 ? -1 : ((place & (place - 1)) + root) % group->size;
  if (outward && parent >= 0) keep_step(group, -1, 0, parent, bytes);
  for (int bit = outward ? lowest / 2 : 1; outward ? bit > 0 : bit < lowest; bit = outward ? bit / 2 : bit * 2) {
    if (place + bit >= group->size) continue;
    const int child = (place + bit + root) % group->size;
    if (outward) {
      keep_step(group, child, bytes, -1, 0);
    } else {
      keep_step(group, -1, 0, child, bytes);
    }
  }
  if (!outward && parent >= 0) keep_step(group, parent, bytes, -1, 0);
}

/* From the root to each, or from each to it, all at once. `sizes` in elements of `unit` bytes by rank, or NULL: one
 * each. */
static void keep_linear(const struct group_of* group, const int* sizes, uint64_t unit, int root, int outward) {
  struct posted posted = {NULL, 0};
  for (int rank = 0; rank < group->size; ++rank) {
    if (rank == root || (group->me != root && group->me != rank)) continue;
    const uint64_t bytes = unit * (uint64_t)(sizes != NULL && group->me == root ? sizes[rank] : 1);
    const int sends = (group->me == root) == (outward != 0);
    const int peer = group->me == root ? rank : root;
    keep_posted(&posted, sends ? kept_isend : kept_ireceive, peer, bytes, group);
  }
  keep_waits(&posted);
}

/* What a rank sends to each rank of a group, or receives from each: elements of `unit` bytes, of a type by rank if
 * there are `types`; without `counts`, one to each. */
struct parts {
  const int* counts;
  const MPI_Datatype* types;
  uint64_t unit;
};

static uint64_t part(const struct parts* parts, int rank) {
  if (parts->types != NULL) return size_of(parts->counts[rank], parts->types[rank]);
  return parts->unit * (uint64_t)(parts->counts != NULL ? parts->counts[rank] : 1);
}

/* Each to each other, all at once. */
static void keep_all_to_all(const struct group_of* group, struct parts sent, struct parts received) {
  struct posted posted = {NULL, 0};
  for (int distance = 1; distance < group->size; ++distance) {
    const int to = (group->me + distance) % group->size;
    const int from = (group->me + group->size - distance) % group->size;
    keep_posted(&posted, kept_ireceive, from, part(&received, from), group);
    keep_posted(&posted, kept_isend, to, part(&sent, to), group);
  }
  keep_waits(&posted);
}

static void trace_barrier(MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("barrier");
  } else {
    keep_doubling(&group, 0);
  }
}

static void trace_broadcast(uint64_t bytes, int root, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("bcast %llu %d %d", (unsigned long long)bytes, root, byte_type);
  } else {
    keep_tree(&group, bytes, root, 1);
  }
}

static void trace_reduce(uint64_t bytes, int root, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("reduce %llu 0 %d %d", (unsigned long long)bytes, root, byte_type);
  } else {
    keep_tree(&group, bytes, root, 0);
  }
}

/* allreduce, scan, exscan */
static void trace_folded(const char* name, uint64_t bytes, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("%s %llu 0 %d", name, (unsigned long long)bytes, byte_type);
  } else {
    keep_doubling(&group, bytes);
  }
}

/* gather and scatter with equal parts of `bytes` */
static void trace_rooted(const char* name, uint64_t bytes, int root, MPI_Comm comm, int outward) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("%s %llu %llu %d %d %d", name, (unsigned long long)bytes, (unsigned long long)bytes, root, byte_type,
              byte_type);
  } else {
    keep_linear(&group, NULL, bytes, root, outward);
  }
}

/* allgather and alltoall with equal parts of `bytes` */
static void trace_equal(const char* name, uint64_t bytes, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  if (is_world) {
    keep_text("%s %llu %llu %d %d", name, (unsigned long long)bytes, (unsigned long long)bytes, byte_type, byte_type);
  } else {
    const struct parts equal = {NULL, NULL, bytes};
    keep_all_to_all(&group, equal, equal);
  }
}

/* Collectives with sizes by rank are written as messages for all communicators: the format's lines have a field for
 * each rank, which no program of many ranks wants. */
static void trace_by_rank(struct parts sent, struct parts received, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (traced_group(comm, &group, &is_world)) keep_all_to_all(&group, sent, received);
}

/* gatherv, scatterv: `sizes` counts at the root, `own` bytes elsewhere */
static void trace_parts(const int* sizes, uint64_t unit, uint64_t own, int root, MPI_Comm comm, int outward) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  const int at_root = group.me == root;
  keep_linear(&group, at_root ? sizes : NULL, at_root ? unit : own, root, outward);
}

/* allgatherv: everybody sends the same to all, and receives `counts`. */
static void trace_gathered(uint64_t own, const int* counts, uint64_t unit, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  struct posted posted = {NULL, 0};
  for (int distance = 1; distance < group.size; ++distance) {
    const int from = (group.me + group.size - distance) % group.size;
    keep_posted(&posted, kept_ireceive, from, unit * (uint64_t)counts[from], &group);
    keep_posted(&posted, kept_isend, (group.me + distance) % group.size, own, &group);
  }
  keep_waits(&posted);
}

/* reduce_scatter: everybody sends each rank its part. */
static void trace_scattered(const int* counts, uint64_t unit, MPI_Comm comm) {
  struct group_of group;
  int is_world = 0;
  if (!traced_group(comm, &group, &is_world)) return;
  struct posted posted = {NULL, 0};
  for (int distance = 1; distance < group.size; ++distance) {
    const int to = (group.me + distance) % group.size;
    const int from = (group.me + group.size - distance) % group.size;
    keep_posted(&posted, kept_ireceive, from, unit * (uint64_t)counts[group.me], &group);
    keep_posted(&posted, kept_isend, to, unit * (uint64_t)counts[to], &group);
  }
  keep_waits(&posted);
}

static int own_rank(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/* --- Begin and end ----------------------------------------------------------------------------------------------- */

static int lock_file = -1;

/* 0, or the error. */
static int lock_folder(const char* folder) {
  lock_file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_file < 0) return errno;
  if (flock(lock_file, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == ENOSYS || errno == EBADF) return 0;
  const int error = errno;
  close(lock_file);
  lock_file = -1;
  return error;
}

/* True if a file's first line begins with `begin` and ends with `end`, as that of a trace does, and for an empty file.
 */
static int begins_as_trace(int folder, const char* name, const char* begin, const char* end) {
  const int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat about;
  FILE* file =
      descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(descriptor, "r") : NULL;
  if (file == NULL) {
    if (descriptor >= 0) close(descriptor);
    return 0;
  }
  char* line = NULL;
  size_t room = 0;
  const ssize_t read = getline(&line, &room, file);
  const size_t length = read > 0 ? strcspn(line, "\n") : 0;
  const int is_trace = (read <= 0 && !ferror(file)) ||
                       (read > 0 && length >= strlen(begin) + strlen(end) && strncmp(line, begin, strlen(begin)) == 0 &&
                        strncmp(line + length - strlen(end), end, strlen(end)) == 0);
  free(line);
  fclose(file);
  return is_trace;
}

/* True for the file of a rank that an earlier run wrote. */
static int is_rank_file(int folder, const char* name, long rank) {
  char first[32];
  snprintf(first, sizeof first, "%ld init", rank);
  return begins_as_trace(folder, name, first, "");
}

/* 0, or an error: a file that this rank would replace is no trace. */
static int refuse_other_files(const char* name) {
  const int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  char file[32];
  snprintf(file, sizeof file, "%d.txt", trace_rank);
  int is_other = faccessat(folder, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0 && !is_rank_file(folder, file, trace_rank);
  if (!is_other && trace_rank == 0 && faccessat(folder, "trace.txt", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    is_other = !begins_as_trace(folder, "trace.txt", "/", "/0.txt");
  }
  close(folder);
  return is_other ? EEXIST : 0;
}

/* Files of ranks that an earlier run had and this one has not. */
static void remove_stale_files(int ranks) {
  DIR* folder = opendir(trace_folder);
  if (folder == NULL) return;
  for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    char* end = NULL;
    const long rank = strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || strcmp(end, ".txt") != 0 || rank < ranks) continue;
    if (!is_rank_file(dirfd(folder), entry->d_name, rank)) continue;
    unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
}

static void begin_trace(void) {
  const char* folder = secure_getenv("GDR_RECORD_TRACE");
  if (folder == NULL || *folder == '\0' || trace_folder != NULL) return;
  PMPI_Comm_rank(MPI_COMM_WORLD, &trace_rank);
  if (is_spawned()) {
    if (trace_rank == 0) fprintf(stderr, "gdr_record_mpi: processes that were spawned are not in the trace\n");
    return;
  }
  int error = mkdir(folder, 0777) != 0 && errno != EEXIST ? errno : 0;
  struct stat about;
  if (error == 0 && stat(folder, &about) != 0) error = errno;
  if (error == 0 && !S_ISDIR(about.st_mode)) error = ENOTDIR;
  if (error == 0 && access(folder, W_OK | X_OK) != 0) error = errno;
  /* Two runs at once would mix their files. The lock ends with its process. */
  if (error == 0 && trace_rank == 0) error = lock_folder(folder);
  if (error == 0) error = refuse_other_files(folder);
  int worst = 0; /* with the trace of one rank missing, the others are of no use */
  PMPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst == 0) {
    trace_folder = realpath(folder, NULL);
    return;
  }
  if (trace_rank == 0 || error != 0) {
    fprintf(stderr, "gdr_record_mpi: GDR_RECORD_TRACE = '%s' is refused, and no trace is kept: %s\n", folder,
            error == EWOULDBLOCK ? "another run is writing its trace to this folder"
            : error == EEXIST    ? "a file there has the name of a trace's and is none: name a folder for traces alone"
                                 : (error != 0 ? strerror(error) : "another rank cannot write there"));
  }
}

static void write_entry(FILE* file, const struct kept* entry) {
  static const char* const kinds[] = {"send", "isend", "recv", "irecv"};
  if (entry->kind == kept_nothing) return;
  if (entry->kind == kept_text) {
    fprintf(file, "%d %s\n", trace_rank, entry->text == NULL ? "" : entry->text);
  } else if (entry->kind == kept_wait) {
    const struct kept* of = &kept[entry->request];
    const int sends = of->kind == kept_isend;
    fprintf(file, "%d wait %d %d %d\n", trace_rank, sends ? trace_rank : of->peer, sends ? of->peer : trace_rank,
            of->tag);
  } else {
    fprintf(file, "%d %s %d %d %llu %d\n", trace_rank, kinds[entry->kind], entry->peer, entry->tag,
            (unsigned long long)entry->bytes, byte_type);
  }
}

/* 0, or the error. */
static int begin_trace_file(struct new_file* fresh, const char* name) {
  char* path = NULL;
  if (asprintf(&path, "%s/%s", trace_folder, name) < 0) return ENOMEM;
  const int error = begin_file(fresh, path);
  free(path);
  return error;
}

/* Each rank writes its own file; rank 0 the list of them. Before all are complete, no file of an earlier trace is
 * replaced. */
static void write_trace(void) {
  if (trace_folder == NULL) return;
  int size = 0;
  char name[32];
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "%d.txt", trace_rank);
  struct new_file mine = {NULL, NULL, NULL};
  struct new_file index = {NULL, NULL, NULL};
  int error = begin_trace_file(&mine, name);
  if (error == 0) {
    fprintf(mine.file, "%d init\n", trace_rank);
    for (size_t n = 0; n < kept_count; ++n) write_entry(mine.file, &kept[n]);
    fprintf(mine.file, "%d finalize\n", trace_rank);
    error = close_file(&mine);
  }
  if (error == 0 && trace_rank == 0) error = begin_trace_file(&index, "trace.txt");
  if (error == 0 && trace_rank == 0) {
    for (int rank = 0; rank < size; ++rank) fprintf(index.file, "%s/%d.txt\n", trace_folder, rank);
    error = close_file(&index);
  }
  int worst = 0;
  PMPI_Allreduce(&error, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (mine.path != NULL) {
    const int unnamed = name_file(&mine, worst == 0);
    if (error == 0) error = unnamed;
  }
  if (index.path != NULL) {
    const int unnamed = name_file(&index, worst == 0);
    if (error == 0) error = unnamed;
  }
  if (error != 0) {
    fprintf(stderr, "gdr_record_mpi: %s/%s: %s; the trace is not written\n", trace_folder, name, strerror(error));
  }
  uint64_t missing = 0;
  PMPI_Reduce(&untraced, &missing, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (trace_rank == 0 && worst == 0) remove_stale_files(size);
  if (trace_rank == 0 && missing > 0) {
    fprintf(stderr,
            "gdr_record_mpi: %llu calls are not recorded, so that the trace cannot be replayed: neighbourhood "
            "collectives, one-sided transfers, and collectives between two groups and what joins them\n",
            (unsigned long long)missing);
  }
  for (size_t n = 0; n < kept_count; ++n) free(kept[n].text);
  free(kept);
  free_known(&open_requests);
  free_known(&open_messages);
  free(trace_folder);
  if (lock_file >= 0) close(lock_file);
  lock_file = -1;
  kept = NULL;
  trace_folder = NULL;
}
