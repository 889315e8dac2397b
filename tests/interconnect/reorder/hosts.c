/* Stands between libgdr_reorder and MPI: gives each process a host of its own, n0.cluster for the last rank of the
 * world, n1.cluster for the one before it, and so on. */
#include <mpi.h>
#include <stdio.h>

int PMPI_Get_processor_name(char* name, int* length) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "n%d.cluster", ranks - 1 - rank);
  return MPI_SUCCESS;
}
