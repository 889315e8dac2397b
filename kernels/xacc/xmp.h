/* The library of XcalableMP that programs with its directives call (gdr cc --xacc; docs/networks/xacc.md). Nodes are
 * the ranks of MPI_COMM_WORLD. Functions whose names begin with xmp_ count them from 1, those with xmpc_ from 0. */
#ifndef GDR_XMP_H
#define GDR_XMP_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

int xmp_node_num(void);     /* number of this node, from 1 */
int xmp_num_nodes(void);    /* number of nodes */
int xmp_all_node_num(void); /* the same two */
int xmp_all_num_nodes(void);
int xmpc_node_num(void); /* number of this node, from 0 */
int xmpc_all_node_num(void);
double xmp_wtime(void); /* emulated seconds since the start if a network was named (--cluster), else the host's */
double xmp_wtick(void); /* resolution of xmp_wtime(), seconds */

#ifdef __cplusplus
}
#endif

#endif
