/* One call that lets MPI reorder the ranks a run: the first argument names it, the second is 1 for reorder. Rank 0 of
 * the world prints a line for each process: its rank in the world and in the new communicator, and what MPI says about
 * the topology there. reorder_test.py knows what that must be. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, MOST = 64 };

static int me = 0;
static int ranks = 0;
static int reorder = 0;
static char line[LINE];
static int length = 0;

static void say(const char* name, int count, const int* numbers) {
  length += snprintf(line + length, (size_t)(LINE - length), " %s", name);
  for (int i = 0; i < count; ++i) length += snprintf(line + length, (size_t)(LINE - length), " %d", numbers[i]);
}

static void say_rank(MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  say("world", 1, &me);
  say("rank", 1, &rank);
}

static void say_grid(MPI_Comm grid) {
  int at[3];
  say_rank(grid);
  if (grid == MPI_COMM_NULL) return;
  int axes = 0;
  int rank = 0;
  MPI_Cartdim_get(grid, &axes);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, at);
  say("at", axes, at);
  for (int axis = 0; axis < axes; ++axis) {
    int ends[2];
    int got = -1;
    MPI_Cart_shift(grid, axis, 1, &ends[0], &ends[1]);
    say("shift", 2, ends);
    MPI_Sendrecv(&rank, 1, MPI_INT, ends[1], 0, &got, 1, MPI_INT, ends[0], 0, grid, MPI_STATUS_IGNORE);
    say("got", 1, &got);
  }
}

/* A periodic grid. */
static void cart(MPI_Comm of, int rows, int columns) {
  const int extents[2] = {rows, columns};
  const int periodic[2] = {1, 1};
  MPI_Comm grid;
  MPI_Cart_create(of, 2, extents, periodic, reorder, &grid);
  say_grid(grid);
}

/* Two communicators with half of the ranks each, the last ones first. */
static void halves(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me / (ranks / 2), -me, &half);
  cart(half, 2, ranks / 4);
}

static void say_graph(MPI_Comm graph) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  int from[MOST];
  int to[MOST];
  int from_weights[MOST] = {0};
  int to_weights[MOST] = {0};
  say_rank(graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  MPI_Dist_graph_neighbors(graph, in, from, weighted ? from_weights : MPI_UNWEIGHTED, out, to,
                           weighted ? to_weights : MPI_UNWEIGHTED);
  say("weighted", 1, &weighted);
  say("from", in, from);
  say("to", out, to);
  if (weighted) {
    say("from_weights", in, from_weights);
    say("to_weights", out, to_weights);
  }
}

/* Rank r sends to r + 3, with the weight r + 1. */
static int next(int rank) { return (rank + 3) % ranks; }
static int before(int rank) { return (rank + ranks - 3) % ranks; }

static void adjacent(int weighted) {
  MPI_Comm graph;
  const int from = before(me);
  const int to = next(me);
  const int from_weight = from + 1;
  const int to_weight = me + 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, weighted ? &from_weight : MPI_UNWEIGHTED, 1, &to,
                                 weighted ? &to_weight : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph);
  say_graph(graph);
}

/* Rank 0 alone has edges, from itself to all others. */
static void star(void) {
  MPI_Comm graph;
  int others[MOST];
  int weights[MOST];
  const int zero = 0;
  for (int i = 1; i < ranks; ++i) {
    others[i - 1] = i;
    weights[i - 1] = 10 * i;
  }
  const int in = me != 0;
  const int out = me == 0 ? ranks - 1 : 0;
  const int from_weight = 10 * me;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, &zero, in ? &from_weight : MPI_WEIGHTS_EMPTY, out, others,
                                 out ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, reorder, &graph);
  say_graph(graph);
}

/* The last rank gives all edges. */
static void anyone(void) {
  MPI_Comm graph;
  int sources[MOST];
  int degrees[MOST];
  int destinations[MOST];
  int weights[MOST];
  for (int i = 0; i < ranks; ++i) {
    sources[i] = i;
    degrees[i] = 1;
    destinations[i] = next(i);
    weights[i] = i + 1;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, me == ranks - 1 ? ranks : 0, sources, degrees, destinations, weights,
                        MPI_INFO_NULL, reorder, &graph);
  say_graph(graph);
}

static void graph(void) {
  MPI_Comm made;
  int ends[MOST];
  int neighbours[MOST];
  int found[2];
  int rank = 0;
  for (int i = 0; i < ranks; ++i) {
    neighbours[2 * i] = before(i);
    neighbours[2 * i + 1] = next(i);
    ends[i] = 2 * i + 2;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, neighbours, reorder, &made);
  say_rank(made);
  MPI_Comm_rank(made, &rank);
  MPI_Graph_neighbors(made, rank, 2, found);
  say("to", 2, found);
}

/* More ranks than there are. */
static void too_many(void) {
  const int extents[2] = {ranks, 2};
  const int periodic[2] = {0, 0};
  MPI_Comm grid = MPI_COMM_NULL;
  int class = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, reorder, &grid), &class);
  say("class", 1, &class);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* name = argv[1];
  reorder = atoi(argv[2]);
  if (strcmp(name, "cart") == 0) cart(MPI_COMM_WORLD, 2, ranks / 2);
  if (strcmp(name, "twice") == 0) {
    cart(MPI_COMM_WORLD, 2, ranks / 2);
    length = 0;
    cart(MPI_COMM_WORLD, 2, ranks / 2);
  }
  if (strcmp(name, "part") == 0) cart(MPI_COMM_WORLD, 2, 2);
  if (strcmp(name, "halves") == 0) halves();
  if (strcmp(name, "adjacent") == 0) adjacent(0);
  if (strcmp(name, "weighted") == 0) adjacent(1);
  if (strcmp(name, "star") == 0) star();
  if (strcmp(name, "anyone") == 0) anyone();
  if (strcmp(name, "graph") == 0) graph();
  if (strcmp(name, "too_many") == 0) too_many();
  char* all = malloc((size_t)(ranks * LINE));
  MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; me == 0 && i < ranks; ++i) printf("%s\n", all + (size_t)i * LINE);
  free(all);
  MPI_Finalize();
  return 0;
}
