/* What a node with a board takes for the steps of High Performance LINPACK, by the models of the component cluster: for
   programs in C that run on SimGrid's SMPI. One node a process, read from a description at the first call; all seconds
   are of one rank. A description that cannot be read ends the process with its error: there is nobody to tell. */
#ifndef GDR_CLUSTER_SMPI_NODE_TIME_H
#define GDR_CLUSTER_SMPI_NODE_TIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* The node is that of the cluster GDR_CLUSTER (default grape-dr-64), GDR_CLOCK MHz if that is set. GDR_PRODUCTS says
   who computes products, as --products of gdr hpl does: faster (default) or record. */

/* An m x k matrix by a k x n one, by the board or by the host. */
double gdr_node_product(double m, double n, double k);
/* A triangle of this order on so many columns. */
double gdr_node_solve(double order, double columns);
/* So many operations in a panel too narrow for the board, and the most columns that such a panel has. */
double gdr_node_narrow(double flops);
double gdr_node_narrowest(void);
/* Rows that change places in `columns` columns, right of a panel of `rows` rows and nb columns. */
double gdr_node_row_swaps(double rows, double nb, double columns);
/* Bytes of the host's memory that are read once. */
double gdr_node_memory(double bytes);

#ifdef __cplusplus
}
#endif

#endif
