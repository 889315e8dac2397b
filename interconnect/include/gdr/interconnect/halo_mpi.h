/* Halo exchange over real MPI with persistent requests; strided faces go through buffers. Part of the library
 * gdr_halo_mpi, which is built if MPI is found. This header includes mpi.h. */
#ifndef GDR_INTERCONNECT_HALO_MPI_H
#define GDR_INTERCONNECT_HALO_MPI_H

#include "gdr/interconnect/halo.h"

#if __has_include(<mpi.h>)
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `block` is the own rank's array of gdr_halo_block_elements() elements; the communicator's size must be the number of
 * ranks. Free the result before MPI_Finalize. */
int gdr_reflect_init_mpi(void* block, const gdr_halo_shape* shape, gdr_halo_method method, MPI_Comm communicator,
                         gdr_reflect** reflect);

#ifdef __cplusplus
}
#endif
#endif

#endif
