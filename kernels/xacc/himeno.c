/* clang-format off */
/* The Himeno benchmark's kernel, which solves Poisson's equation for a pressure by Jacobi's method with 19 points, with
 * directives of XcalableMP and OpenACC. Written anew after the benchmark's description; the arrays, the coefficients and
 * the residual are the benchmark's. Without the directives it is a serial program. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif

#ifndef NX /* elements with boundaries; size S has 65, 65, 129 */
#define NX 17
#define NY 17
#define NZ 33
#endif
#ifndef PX /* nodes */
#define PX 1
#define PY 1
#endif
#ifndef STEPS
#define STEPS 3
#endif

static float p[NX][NY][NZ], bnd[NX][NY][NZ], wrk1[NX][NY][NZ], wrk2[NX][NY][NZ];
static float a[4][NX][NY][NZ], b[3][NX][NY][NZ], c[3][NX][NY][NZ];
static const float omega = 0.8f;

#pragma xmp nodes n(1, PY, PX)
#pragma xmp template t(0:NZ-1, 0:NY-1, 0:NX-1)
#pragma xmp distribute t(block, block, block) onto n
#pragma xmp align p[i][j][k] with t(k, j, i)
#pragma xmp align bnd[i][j][k] with t(k, j, i)
#pragma xmp align wrk1[i][j][k] with t(k, j, i)
#pragma xmp align wrk2[i][j][k] with t(k, j, i)
#pragma xmp align a[*][i][j][k] with t(k, j, i)
#pragma xmp align b[*][i][j][k] with t(k, j, i)
#pragma xmp align c[*][i][j][k] with t(k, j, i)
#pragma xmp shadow p[1][1][0]

static void start(void) {
  int i, j, k;
#pragma xmp loop (k, j, i) on t(k, j, i)
  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++)
      for (k = 0; k < NZ; k++) {
        a[0][i][j][k] = a[1][i][j][k] = a[2][i][j][k] = 1;
        a[3][i][j][k] = 1.0f / 6;
        b[0][i][j][k] = b[1][i][j][k] = b[2][i][j][k] = 0;
        c[0][i][j][k] = c[1][i][j][k] = c[2][i][j][k] = 1;
        p[i][j][k] = (float)(i * i) / (float)((NX - 1) * (NX - 1));
        wrk1[i][j][k] = wrk2[i][j][k] = 0;
        bnd[i][j][k] = 1;
      }
}

static float jacobi(int steps) {
  int i, j, k, step;
  float gosa = 0, s0, ss;
#pragma acc data present(p, bnd, wrk1, wrk2, a, b, c)
  for (step = 0; step < steps; step++) {
    gosa = 0;
#pragma xmp loop (k, j, i) on t(k, j, i)
#pragma acc parallel loop reduction(+:gosa) collapse(2) gang vector_length(64) async
    for (i = 1; i < NX - 1; i++)
      for (j = 1; j < NY - 1; j++)
#pragma acc loop vector reduction(+:gosa) private(s0, ss)
        for (k = 1; k < NZ - 1; k++) {
          s0 = a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] + a[2][i][j][k] * p[i][j][k + 1]
             + b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k])
             + b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1])
             + b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1])
             + c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] + c[2][i][j][k] * p[i][j][k - 1]
             + wrk1[i][j][k];
          ss = (s0 * a[3][i][j][k] - p[i][j][k]) * bnd[i][j][k];
          gosa += ss * ss;
          wrk2[i][j][k] = p[i][j][k] + omega * ss;
        }
#pragma xmp loop (k, j, i) on t(k, j, i)
#pragma acc parallel loop collapse(3) async
    for (i = 1; i < NX - 1; i++)
      for (j = 1; j < NY - 1; j++)
        for (k = 1; k < NZ - 1; k++) p[i][j][k] = wrk2[i][j][k];
#pragma acc wait
#pragma xmp reflect_do (p) acc
#pragma xmp reduction(+:gosa)
  }
  return gosa;
}

/* The bits of the pressure as one number, which no order of the elements changes. */
static unsigned long bits(void) {
  int i, j, k;
  union {
    float number;
    unsigned word;
  } at;
  unsigned long sum = 0;
#pragma xmp loop (k, j, i) on t(k, j, i) reduction(+:sum)
  for (i = 0; i < NX; i++)
    for (j = 0; j < NY; j++)
      for (k = 0; k < NZ; k++) {
        at.number = p[i][j][k];
        sum += at.word * (2ul * ((i * NY + j) * NZ + k) + 1);
      }
  return sum;
}

int main(void) {
  start();
#pragma xmp reflect_init (p) width(1, 1, 0) acc
#pragma xmp reflect_do (p) acc
#pragma xmp barrier
  const float gosa = jacobi(STEPS);
  const unsigned long of_p = bits();
#pragma xmp task on t(0, 0, 0)
  printf("gosa %.9e, bits of p %016lx\n", gosa, of_p);
  return 0;
}
