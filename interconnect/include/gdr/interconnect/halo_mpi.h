/* Halo exchange over real MPI: persistent requests, strided faces through buffers. In the library gdr_halo_mpi, which
 * is built where MPI is found. Programs that include this header include mpi.h with it. */
#ifndef GDR_INTERCONNECT_HALO_MPI_H
#define GDR_INTERCONNECT_HALO_MPI_H

#include "gdr/interconnect/halo.h"

#if __has_include(<mpi.h>)
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `block` is the own array of gdr_halo_block_elements() elements; the communicator's size is the number of ranks. Free
 * the result before MPI_Finalize. */
int gdr_reflect_init_mpi(void* block, const gdr_halo_shape* shape, gdr_halo_method method, MPI_Comm communicator,
                         gdr_reflect** reflect);

#ifdef __cplusplus
}
#endif
#endif

#endif
