/* The interface of MGEN programs for OpenNSIM, as calls of MPI: the program of Sanno and Kise, figure 7, compiles as it
 * stands. A program defines MGEN_Main in the place of main. Buffers may be NULL, as no data are needed to know how long
 * messages take; each call then uses one memory for all of them. Works with any MPI, and with gdr net run. */
#ifndef MGEN_H
#define MGEN_H

#include <mpi.h>
#include <stdlib.h>

#define MGEN_COMM_WORLD MPI_COMM_WORLD
#define MGEN_BYTE MPI_BYTE
#define MGEN_INT MPI_INT
#define MGEN_DOUBLE MPI_DOUBLE
#define MGEN_Request MPI_Request
#define MGEN_Status MPI_Status
#define MGEN_Comm_rank MPI_Comm_rank
#define MGEN_Comm_size MPI_Comm_size
#define MGEN_Wait MPI_Wait
#define MGEN_Waitall MPI_Waitall
#define MGEN_Barrier MPI_Barrier
#define MGEN_Isend(buffer, count, type, ...) MPI_Isend(mgen_memory(buffer, count, type), count, type, __VA_ARGS__)
#define MGEN_Irecv(buffer, count, type, ...) MPI_Irecv(mgen_memory(buffer, count, type), count, type, __VA_ARGS__)
#define MGEN_Send(buffer, count, type, ...) MPI_Send(mgen_memory(buffer, count, type), count, type, __VA_ARGS__)
#define MGEN_Recv(buffer, count, type, ...) MPI_Recv(mgen_memory(buffer, count, type), count, type, __VA_ARGS__)

int MGEN_Main(int argc, char** argv);

/* The memory of a message: the program's, or without one memory that is as large as the largest message so far. Older
 * memory stays, since messages may be under way in it. */
static inline void* mgen_memory(void* buffer, int count, MPI_Datatype type) {
  static void* shared = NULL;
  static size_t room = 0;
  int size = 0;
  if (buffer != NULL) return buffer;
  MPI_Type_size(type, &size);
  const size_t bytes = (size_t)count * (size_t)size;
  if (bytes > room || shared == NULL) {
    room = bytes > 2 * room ? bytes : 2 * room;
    shared = malloc(room + 1);
    if (shared == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return shared;
}

/// @cond
/* Weak, so that several files of a program may include this one. */
__attribute__((weak)) int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = MGEN_Main(argc, argv);
  MPI_Finalize();
  return status;
}
/// @endcond

#endif
