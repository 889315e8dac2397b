// A program for HA-PACS/TCA on one node: it puts into its own memory. MPI starts it without mpirun, too.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <tca_api.h>

int main(int argc, char** argv) {
  char* memory = NULL;
  void* place = NULL;
  tcaHandle handle;
  MPI_Init(&argc, &argv);
  tcaresult result = tcaInit();
  if (result == TCA_SUCCESS) result = tcaMalloc(&place, 16, tcaMemoryCPU);
  if (result == TCA_SUCCESS) result = tcaCreateHandle(&handle, place, 16, tcaMemoryCPU);
  tcaDesc* desc = tcaDescNew();
  if (result == TCA_SUCCESS) {
    memory = (char*)place;
    memcpy(memory, "arrived", 8);
    result = tcaDescSetMemcpy(desc, &handle, 8, &handle, 0, 8, tcaDMAUseInternal | tcaDMANotifySelf, 0, 1);
  }
  if (result == TCA_SUCCESS) result = tcaDescSet(desc, 0);
  if (result == TCA_SUCCESS) result = tcaStartDMADesc(0);
  if (result == TCA_SUCCESS) result = tcaWaitDMARecvDesc(&handle, 0, 1);
  if (result != TCA_SUCCESS) fprintf(stderr, "put: %s\n", tcaGetErrorString(result));
  const int right = result == TCA_SUCCESS && strcmp(memory + 8, "arrived") == 0 && gdr_tca_clock() > 2e-6;
  MPI_Finalize();
  return right ? 0 : 1;
}
