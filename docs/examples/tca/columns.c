/* Every rank puts the last column of its array into column 0 of the next rank's array, and then as many bytes in one
 * run into row 0. */
#include <mpi.h>
#include <stdio.h>
#include <tca_api.h>

#define N 64
#define TCA(call) check((call), #call)

static void check(tcaresult result, const char* call) {
  if (result == TCA_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, tcaGetErrorString(result));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify;
  const size_t row = (N + 1) * sizeof(double);
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  TCA(tcaInit());

  /* Memory that others may write, and everybody's handle of it. */
  double(*array)[N + 1];
  tcaHandle mine, all[16];
  TCA(tcaMalloc((void**)&array, (N + 1) * row, tcaMemoryGPU));
  TCA(tcaCreateHandle(&mine, array, (N + 1) * row, tcaMemoryGPU));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i <= N; ++i) array[i][N] = 1000 * me + i;

  /* Two chains of one put each: N rows of one double, and one row of N doubles. */
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  tcaDesc *column = tcaDescNew(), *line = tcaDescNew();
  TCA(tcaDescSetMemcpy2D(column, &all[next], row, row, &all[me], row + N * sizeof(double), row, sizeof(double), N,
                         flags, 0, 1));
  TCA(tcaDescSetMemcpy(line, &all[next], 0, &all[me], N * row, N * sizeof(double), flags, 0, 2));
  TCA(tcaDescSet(column, 0));
  TCA(tcaDescSet(line, 1));

  double found[3], of[16][3];
  for (int chain = 0; chain < 2; ++chain) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    TCA(tcaStartDMADesc(chain));
    TCA(tcaWaitDMARecvDesc(&all[last], 0, 1 + chain)); /* what the rank before puts is there */
    found[chain] = 1e6 * (MPI_Wtime() - began);
    TCA(tcaWaitDMAC(chain)); /* what this rank puts is there */
  }
  found[2] = array[N][0];
  MPI_Gather(found, 3, MPI_DOUBLE, of, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int rank = 0; me == 0 && rank < ranks; ++rank) {
    printf("rank %d: column %.3f us, row %.3f us, last element %.0f\n", rank, of[rank][0], of[rank][1], of[rank][2]);
  }
  MPI_Finalize();
  return 0;
}
