/* A ring of ranks with every kind of call that moves bytes without a send: neighbourhood collectives on a periodic line
 * (two of WIDTH doubles each way), one-sided transfers to the right, and other collectives in both forms. */
#include <mpi.h>

enum { WIDTH = 16 };

int main(int argc, char** argv) {
  double out[2 * WIDTH] = {0};
  double in[2 * WIDTH];
  double all[64];
  int rank = 0;
  int ranks = 0;
  const int periodic = 1;
  MPI_Comm line;
  MPI_Request request;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &line);
  MPI_Neighbor_alltoall(out, WIDTH, MPI_DOUBLE, in, WIDTH, MPI_DOUBLE, line);
  MPI_Ineighbor_allgather(out, WIDTH, MPI_DOUBLE, in, WIDTH, MPI_DOUBLE, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int right = (rank + 1) % ranks;
  MPI_Win_create(in, sizeof in, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 3, MPI_DOUBLE, right, 0, 3, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Get(all, 5, MPI_DOUBLE, right, 0, 5, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(out, 7, MPI_DOUBLE, right, 0, 7, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Gather(out, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Iallgather(out, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  MPI_Finalize();
  return 0;
}
