/* Calls after which a message is known to be complete, for the trace: a receive is written with what came, and a wait
 * where the program waited. Part of record.c, which includes it. */

/* Both halves of an exchange are posted, then waited for. */
static size_t begin_exchange(int out_count, MPI_Datatype out_type, int to, int out_tag, int in_count,
                             MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm) {
  const size_t first = kept_count;
  if (!is_traced()) return first;
  if (from != MPI_PROC_NULL) keep_message(kept_ireceive, world_or_any(from, comm), in_tag, size_of(in_count, in_type));
  if (to != MPI_PROC_NULL) keep_message(kept_isend, world_rank(to, comm), out_tag, size_of(out_count, out_type));
  return first;
}
static void end_exchange(size_t first, const MPI_Status* status, MPI_Comm comm) {
  if (!is_traced()) return;
  const size_t end = kept_count;
  for (size_t n = first; n < end; ++n) {
    if (kept[n].kind == kept_ireceive) complete_receive(&kept[n], status, comm);
    keep_wait(n);
  }
}

REPLACE(Sendrecv,
        (const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
         MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status),
        (out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status)) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  count_sent(out_count, out_type, to, comm);
  const size_t first = begin_exchange(out_count, out_type, to, out_tag, in_count, in_type, from, in_tag, comm);
  const int error =
      NEXT(Sendrecv)(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  end_exchange(first, status, comm);
  return error;
}
REPLACE(Sendrecv_replace,
        (void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag, MPI_Comm comm,
         MPI_Status* status),
        (buffer, count, type, to, out_tag, from, in_tag, comm, status)) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  count_sent(count, type, to, comm);
  const size_t first = begin_exchange(count, type, to, out_tag, count, type, from, in_tag, comm);
  const int error = NEXT(Sendrecv_replace)(buffer, count, type, to, out_tag, from, in_tag, comm, status);
  end_exchange(first, status, comm);
  return error;
}

REPLACE(Recv, (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
        (buffer, count, type, from, tag, comm, status)) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int is_kept = is_traced() && from != MPI_PROC_NULL;
  const size_t entry =
      is_kept ? keep_message(kept_receive, world_or_any(from, comm), tag, size_of(count, type)) : no_entry;
  const int error = NEXT(Recv)(buffer, count, type, from, tag, comm, status);
  if (is_kept) complete_receive(&kept[entry], status, comm);
  return error;
}
AFTER(Irecv, (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
      (buffer, count, type, from, tag, comm, request), trace_ireceive(*request, count, type, from, tag, comm))
AFTER(Recv_init, (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
      (buffer, count, type, from, tag, comm, request),
      trace_persistent(kept_ireceive, *request, count, type, from, tag, comm))

#ifndef GDR_RECORD_SMPI /* SMPI has none of these */
REPLACE(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
        (from, tag, comm, message, status)) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = NEXT(Mprobe)(from, tag, comm, message, status);
  trace_taken(*message, status, comm);
  return error;
}
REPLACE(Improbe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
        (from, tag, comm, flag, message, status)) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = NEXT(Improbe)(from, tag, comm, flag, message, status);
  if (*flag) trace_taken(*message, status, comm);
  return error;
}
WRAP(Mrecv, (void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
     (buffer, count, type, message, status), trace_claimed(*message, NULL))
REPLACE(Imrecv, (void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),
        (buffer, count, type, message, request)) {
  const MPI_Message before = *message;
  const int error = NEXT(Imrecv)(buffer, count, type, message, request);
  trace_claimed(before, request);
  return error;
}
#endif

REPLACE(Wait, (MPI_Request * request, MPI_Status* status), (request, status)) {
  MPI_Status own;
  if (!is_traced()) return NEXT(Wait)(request, status);
  if (status == MPI_STATUS_IGNORE) status = &own;
  const MPI_Request before = *request;
  const int error = NEXT(Wait)(request, status);
  trace_done(before, status);
  return error;
}
REPLACE(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status)) {
  MPI_Status own;
  if (!is_traced()) return NEXT(Test)(request, flag, status);
  if (status == MPI_STATUS_IGNORE) status = &own;
  const MPI_Request before = *request;
  const int error = NEXT(Test)(request, flag, status);
  if (*flag) trace_done(before, status);
  return error;
}

/* What a call on several requests needs: the requests as they were, and statuses. */
struct many {
  MPI_Request* before;
  MPI_Status* statuses;
};
static struct many many_of(int count, const MPI_Request requests[]) {
  const struct many all = {malloc(sizeof(MPI_Request) * (size_t)(count + 1)),
                           malloc(sizeof(MPI_Status) * (size_t)(count + 1))};
  if (all.before == NULL || all.statuses == NULL) abort();
  memcpy(all.before, requests, sizeof(MPI_Request) * (size_t)count);
  return all;
}
static void end_many(struct many all) {
  free(all.before);
  free(all.statuses);
}

REPLACE(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses)) {
  if (!is_traced()) return NEXT(Waitall)(count, requests, statuses);
  const struct many all = many_of(count, requests);
  MPI_Status* into = statuses == MPI_STATUSES_IGNORE ? all.statuses : statuses;
  const int error = NEXT(Waitall)(count, requests, into);
  for (int i = 0; i < count; ++i) trace_done(all.before[i], &into[i]);
  end_many(all);
  return error;
}
REPLACE(Testall, (int count, MPI_Request requests[], int* flag, MPI_Status statuses[]),
        (count, requests, flag, statuses)) {
  if (!is_traced()) return NEXT(Testall)(count, requests, flag, statuses);
  const struct many all = many_of(count, requests);
  MPI_Status* into = statuses == MPI_STATUSES_IGNORE ? all.statuses : statuses;
  const int error = NEXT(Testall)(count, requests, flag, into);
  for (int i = 0; *flag && i < count; ++i) trace_done(all.before[i], &into[i]);
  end_many(all);
  return error;
}
REPLACE(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status),
        (count, requests, index, status)) {
  MPI_Status own;
  if (!is_traced()) return NEXT(Waitany)(count, requests, index, status);
  if (status == MPI_STATUS_IGNORE) status = &own;
  const struct many all = many_of(count, requests);
  const int error = NEXT(Waitany)(count, requests, index, status);
  if (*index >= 0 && *index < count) trace_done(all.before[*index], status);
  end_many(all);
  return error;
}
REPLACE(Testany, (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status),
        (count, requests, index, flag, status)) {
  MPI_Status own;
  if (!is_traced()) return NEXT(Testany)(count, requests, index, flag, status);
  if (status == MPI_STATUS_IGNORE) status = &own;
  const struct many all = many_of(count, requests);
  const int error = NEXT(Testany)(count, requests, index, flag, status);
  if (*flag && *index >= 0 && *index < count) trace_done(all.before[*index], status);
  end_many(all);
  return error;
}
#define SOME(name)                                                                                    \
  REPLACE(name, (int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]), \
          (count, requests, done, indices, statuses)) {                                               \
    if (!is_traced()) return NEXT(name)(count, requests, done, indices, statuses);                    \
    const struct many all = many_of(count, requests);                                                 \
    MPI_Status* into = statuses == MPI_STATUSES_IGNORE ? all.statuses : statuses;                     \
    const int error = NEXT(name)(count, requests, done, indices, into);                               \
    for (int i = 0; i < *done; ++i) trace_done(all.before[indices[i]], &into[i]);                     \
    end_many(all);                                                                                    \
    return error;                                                                                     \
  }
SOME(Waitsome)
SOME(Testsome)
