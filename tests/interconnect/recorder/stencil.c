/* A ring of ranks whose neighbours trade rows: STEPS times WIDTH doubles each way, by persistent requests to the right
 * and by Sendrecv in a communicator of reversed ranks to the left. */
#include <mpi.h>

enum { STEPS = 5, WIDTH = 64 };

int main(int argc, char** argv) {
  double out[WIDTH] = {0};
  double in[WIDTH];
  double sum = 0;
  double all = 0;
  int rank = 0;
  int ranks = 0;
  MPI_Comm reversed;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  MPI_Send_init(out, WIDTH, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, WIDTH, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[1]);
  for (int step = 0; step < STEPS; ++step) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, WIDTH, MPI_DOUBLE, ranks - 1 - left, 2, in, WIDTH, MPI_DOUBLE, ranks - 1 - right, 2, reversed,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return 0;
}
