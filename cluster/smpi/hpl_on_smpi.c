/* High Performance LINPACK on SimGrid's SMPI: HPL's own sources, linked so that these functions stand before theirs
   (ld's
   --wrap). Numbers are computed as ever; what takes time is said by the models of a node with a board. The file is
   compiled with HPL's headers by scripts/hpl-cluster. */
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "hpl.h"
#include "node_time.h"

enum { kElementBytes = 8 };

/* SMPI gives each rank globals of its own. */
static int in_panel = 0;
static const HPL_T_panel* updated = NULL; /* the panel whose update is under way */

static void spend(double seconds) {
  if (seconds > 0) smpi_execute_flops(seconds * sg_host_get_speed(sg_host_self()));
}

/* Within a panel as narrow as the board refuses, the host has one rate for everything. Panels are halved down to it, so
   that products and triangles of more than half that size lie above. */
static int is_narrow(double size) { return in_panel && 2 * size <= gdr_node_narrowest(); }

#define PRODUCT                                                                                                     \
  const enum HPL_ORDER order, const enum HPL_TRANS trans_a, const enum HPL_TRANS trans_b, const int m, const int n, \
      const int k, const double alpha, const double *a, const int lda, const double *b, const int ldb,              \
      const double beta, double *c, const int ldc
void __real_cblas_dgemm(PRODUCT);
void __wrap_cblas_dgemm(PRODUCT) {
  if (m <= 0 || n <= 0) return;
  __real_cblas_dgemm(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (k > 0) spend(is_narrow(k) ? gdr_node_narrow(2.0 * m * n * k) : gdr_node_product(m, n, k));
}

#define TRIANGLE                                                                                              \
  const enum HPL_ORDER order, const enum HPL_SIDE side, const enum HPL_UPLO uplo, const enum HPL_TRANS trans, \
      const enum HPL_DIAG diag, const int m, const int n, const double alpha, const double *a, const int lda, \
      double *b, const int ldb
void __real_cblas_dtrsm(TRIANGLE);
void __wrap_cblas_dtrsm(TRIANGLE) {
  if (m <= 0 || n <= 0) return;
  __real_cblas_dtrsm(order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
  const double size = side == HplLeft ? m : n;
  const double columns = side == HplLeft ? n : m;
  spend(is_narrow(size) ? gdr_node_narrow(size * size * columns) : gdr_node_solve(size, columns));
}

/* A matrix is read once: outside of panels by the back-substitution. */
static void pass_over(double elements, double flops) {
  spend(in_panel ? gdr_node_narrow(flops) : gdr_node_memory(elements * kElementBytes));
}

#define BY_VECTOR                                                                                       \
  const enum HPL_ORDER order, const enum HPL_TRANS trans, const int m, const int n, const double alpha, \
      const double *a, const int lda, const double *x, const int incx, const double beta, double *y, const int incy
void __real_cblas_dgemv(BY_VECTOR);
void __wrap_cblas_dgemv(BY_VECTOR) {
  if (m <= 0 || n <= 0) return;
  __real_cblas_dgemv(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
  pass_over((double)m * n, 2.0 * m * n);
}

#define TRIANGLE_BY_VECTOR                                                                                    \
  const enum HPL_ORDER order, const enum HPL_UPLO uplo, const enum HPL_TRANS trans, const enum HPL_DIAG diag, \
      const int n, const double *a, const int lda, double *x, const int incx
void __real_cblas_dtrsv(TRIANGLE_BY_VECTOR);
void __wrap_cblas_dtrsv(TRIANGLE_BY_VECTOR) {
  if (n <= 0) return;
  __real_cblas_dtrsv(order, uplo, trans, diag, n, a, lda, x, incx);
  pass_over(0.5 * n * n, (double)n * n);
}

#define OF_VECTORS                                                                                           \
  const enum HPL_ORDER order, const int m, const int n, const double alpha, const double *x, const int incx, \
      double *y, const int incy, double *a, const int lda
void __real_cblas_dger(OF_VECTORS);
void __wrap_cblas_dger(OF_VECTORS) {
  if (m <= 0 || n <= 0) return;
  __real_cblas_dger(order, m, n, alpha, x, incx, y, incy, a, lda);
  pass_over((double)m * n, 2.0 * m * n);
}

void __real_HPL_pdfact(HPL_T_panel* panel);
void __wrap_HPL_pdfact(HPL_T_panel* panel) {
  in_panel = 1;
  __real_HPL_pdfact(panel);
  in_panel = 0;
}

/* Rows that change places beside a panel of this rank, whose width all rows of the grid share. */
static void swap_rows(const HPL_T_panel* panel, double columns) {
  const double width = (double)panel->jb / panel->grid->nprow;
  const double rows = panel->mp > width ? panel->mp : width;
  if (columns > 0) spend(gdr_node_row_swaps(rows, width, columns));
}

#define EXCHANGE(NAME)                                                                           \
  void __real_##NAME(HPL_T_panel* broadcast, int* flag, HPL_T_panel* panel, const int columns);  \
  void __wrap_##NAME(HPL_T_panel* broadcast, int* flag, HPL_T_panel* panel, const int columns) { \
    const int width = columns < panel->n ? columns : panel->n;                                   \
    __real_##NAME(broadcast, flag, panel, columns);                                              \
    swap_rows(panel, width);                                                                     \
  }
EXCHANGE(HPL_pdlaswp00N)
EXCHANGE(HPL_pdlaswp00T)
EXCHANGE(HPL_pdlaswp01N)
EXCHANGE(HPL_pdlaswp01T)

#define UPDATE(NAME)                                                                             \
  void __real_##NAME(HPL_T_panel* broadcast, int* flag, HPL_T_panel* panel, const int columns);  \
  void __wrap_##NAME(HPL_T_panel* broadcast, int* flag, HPL_T_panel* panel, const int columns) { \
    updated = panel;                                                                             \
    __real_##NAME(broadcast, flag, panel, columns);                                              \
  }
UPDATE(HPL_pdupdateNN)
UPDATE(HPL_pdupdateNT)
UPDATE(HPL_pdupdateTN)
UPDATE(HPL_pdupdateTT)

/* In a grid of one row rows change places without messages, by this alone. */
void __real_HPL_dlaswp00N(const int m, const int n, double* a, const int lda, const int* pivots);
void __wrap_HPL_dlaswp00N(const int m, const int n, double* a, const int lda, const int* pivots) {
  __real_HPL_dlaswp00N(m, n, a, lda, pivots);
  if (updated != NULL && updated->grid->nprow == 1) swap_rows(updated, n);
}

/* HPL inside hpcc has defaults for an input file that it cannot read; here it ends. */
int HPCC_Defaults() {
  fprintf(stderr, "hpccinf.txt: cannot be read\n");
  exit(1);
}

int HPL_main(int argc, char** argv, HPL_RuntimeData* best, int* failure); /* of hpcc.h */

int main(int argc, char** argv) {
  HPL_RuntimeData best = {0};
  int failure = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  HPL_main(argc, argv, &best, &failure);
  /* More digits than HPL's own line has. */
  if (rank == 0)
    printf("{\"seconds\": %.9g, \"gflops\": %.9g, \"passed\": %s}\n", best.time, best.Gflops,
           failure ? "false" : "true");
  MPI_Finalize();
  return 0;
}
