/* Halo exchange in C, as the XcalableACC runtime does it: gdr_reflect_init classifies every face of a block, assigns it
 * to TCA or MPI, orders the peers and allocates all buffers. gdr_reflect_do exchanges, as often as wanted, and
 * allocates nothing as long as no link is lost.
 *
 * There are two transports: modelled time (gdr_reflect_init: emulated nodes of a gdr_tca, all ranks in this process)
 * and real MPI (gdr_reflect_init_mpi in halo_mpi.h, one rank in each process). Functions return 0, or 1 if they fail;
 * gdr_reflect_error() then gives the reason. No data have moved in that case. */
#ifndef GDR_INTERCONNECT_HALO_H
#define GDR_INTERCONNECT_HALO_H

#include <stddef.h>
#include <stdint.h>

#include "gdr/interconnect/tca.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gdr_reflect gdr_reflect;

/* TCA alone, MVAPICH2-GDR alone, or each face over the network that suits it. */
typedef enum { GDR_HALO_TCA, GDR_HALO_MV2GDR, GDR_HALO_HYBRID } gdr_halo_method;

/* An array distributed over ranks, slowest dimension first; unused dimensions have extent and split 1 and width 0. In
 * each dimension a rank holds extent / split elements and `width` more on either side, in one array. */
typedef struct {
  int64_t extent[3];
  int split[3];
  int width[3];
  size_t element_bytes;
} gdr_halo_shape;

/* Elements of a rank's array, halo included; 0 if the shape is refused. */
int64_t gdr_halo_block_elements(const gdr_halo_shape* shape);

/* Blocks for all ranks on GPU0 of the nodes of `tca`, which must outlive the result. */
int gdr_reflect_init(gdr_tca* tca, const gdr_halo_shape* shape, gdr_halo_method method, gdr_reflect** reflect);
/* The array of a rank. NULL for ranks that do not exist and, with MPI, for all but the own rank. */
void* gdr_reflect_block(gdr_reflect* reflect, int rank);
/* Exchanges the halos of all ranks (modelled) or takes part in the exchange (MPI). After a link has been dropped,
 * the hybrid method plans again and uses InfiniBand; TCA alone fails, and the error gives the route. */
int gdr_reflect_do(gdr_reflect* reflect);
/* Modelled time of one exchange on HA-PACS/TCA in seconds, whatever the transport. */
double gdr_reflect_seconds(const gdr_reflect* reflect);
/* The plan of a rank in words; the text is valid until the next call. */
const char* gdr_reflect_describe(gdr_reflect* reflect, int rank);
/* The latest error; with NULL, that of the latest init of this thread. */
const char* gdr_reflect_error(const gdr_reflect* reflect);
void gdr_reflect_free(gdr_reflect* reflect);

#ifdef __cplusplus
}
#endif

#endif
