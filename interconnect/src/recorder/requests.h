/* Requests that the recorder knows by their handle, each found in constant time. Part of record.c, which includes it.
 */

/* First member of what is kept of a request. */
struct known {
  MPI_Request request;
  struct known* next;
};

struct known_requests {
  struct known** chains;
  size_t length; /* a power of 2, or 0 */
  size_t count;
};

static struct known** chain_of(const struct known_requests* all, MPI_Request request) {
  /* Handles are numbers or addresses; their lowest bits are often equal (multiplier of Knuth 1998, section 6.4). */
  const uint64_t mixed = (uint64_t)(uintptr_t)request * UINT64_C(0x9e3779b97f4a7c15);
  return &all->chains[(mixed >> 32) & (all->length - 1)];
}

/* Where the request is, or NULL. */
static struct known** find_known(const struct known_requests* all, MPI_Request request) {
  if (all->count == 0) return NULL;
  for (struct known** link = chain_of(all, request); *link != NULL; link = &(*link)->next) {
    if ((*link)->request == request) return link;
  }
  return NULL;
}

static void link_known(struct known_requests* all, struct known* one) {
  struct known** chain = chain_of(all, one->request);
  one->next = *chain;
  *chain = one;
}

/* 0 if there is no memory. */
static int add_known(struct known_requests* all, struct known* one) {
  if (all->count >= all->length) {
    struct known_requests more = {.length = all->length == 0 ? 256 : 2 * all->length, .count = all->count};
    more.chains = calloc(more.length, sizeof *more.chains);
    if (more.chains == NULL) return 0;
    for (size_t n = 0; n < all->length; ++n) {
      while (all->chains[n] != NULL) {
        struct known* moved = all->chains[n];
        all->chains[n] = moved->next;
        link_known(&more, moved);
      }
    }
    free(all->chains);
    *all = more;
  }
  link_known(all, one);
  ++all->count;
  return 1;
}

static void remove_known(struct known_requests* all, struct known** link) {
  struct known* gone = *link;
  *link = gone->next;
  --all->count;
  free(gone);
}

static void free_known(struct known_requests* all) {
  for (size_t n = 0; n < all->length; ++n) {
    while (all->chains[n] != NULL) remove_known(all, &all->chains[n]);
  }
  free(all->chains);
  all->chains = NULL;
  all->length = 0;
}
