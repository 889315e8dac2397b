/* A product by BLAS. The board cuts an operand's last bits, the host's BLAS does not: so one can tell who computed. */
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy);

int main(void) {
  const int two = 2, step = 1;
  const double one = 1, zero = 0;
  const double a[4] = {1 + 0x1p-52, 2, 3, 4}, b[4] = {1, 0, 1, 1};
  double c[4];
  dgemm_("N", "N", &two, &two, &two, &one, a, &two, b, &two, &zero, c, &two);
  if (c[0] != 1 || c[1] != 2 || c[2] != 4 || c[3] != 6) return 1;
  return ddot_(&two, c, &step, c, &step) != 5; /* the host's, behind the board's */
}
