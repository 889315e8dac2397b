/* clang-format off */
/* Laplace's equation in two dimensions by Jacobi's method: XcalableMP distributes the arrays, OpenACC marks the loops for
 * the device. Without the directives it is a serial program. */
#include <stdio.h>

#ifndef NI
#define NI 60
#define NJ 84
#endif
#ifndef PI
#define PI 1
#define PJ 1
#endif
#define STEPS 10

double u[NI][NJ], uu[NI][NJ];
#pragma xmp nodes p(PJ, PI)
#pragma xmp template t(0:NJ-1, 0:NI-1)
#pragma xmp distribute t(block, block) onto p
#pragma xmp align u[i][j] with t(j, i)
#pragma xmp align uu[i][j] with t(j, i)
#pragma xmp shadow uu[1:1][1:1]

/* The bits of the array as one number, which no order of the elements changes. */
unsigned long long bits(void) {
  union {
    double number;
    unsigned long long word;
  } at;
  unsigned long long sum = 0;
#pragma xmp loop (j, i) on t(j, i) reduction(+:sum)
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      at.number = u[i][j];
      sum += at.word * (2ull * (i * NJ + j) + 1);
    }
  return sum;
}

int main(void) {
  double change = 0;
#pragma xmp loop (j, i) on t(j, i)
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      u[i][j] = (i * 7 + j * 3) % 11 / 11.0;
      uu[i][j] = 0;
    }
#pragma acc data copy(u) create(uu)
  {
#pragma xmp reflect_init (uu) device
    for (int step = 0; step < STEPS; step++) {
#pragma xmp loop (j, i) on t(j, i)
#pragma acc parallel loop collapse(2)
      for (int i = 1; i < NI - 1; i++)
        for (int j = 1; j < NJ - 1; j++) uu[i][j] = u[i][j];
#pragma xmp reflect_do (uu) device
#pragma xmp loop (j, i) on t(j, i)
#pragma acc parallel loop collapse(2)
      for (int i = 1; i < NI - 1; i++)
        for (int j = 1; j < NJ - 1; j++)
          u[i][j] = (uu[i - 1][j] + uu[i + 1][j] + uu[i][j - 1] + uu[i][j + 1]) / 4;
    }
  }
#pragma xmp loop (j, i) on t(j, i) reduction(+:change)
  for (int i = 1; i < NI - 1; i++)
    for (int j = 1; j < NJ - 1; j++) change += uu[i][j] - u[i][j];
  const unsigned long long of_u = bits();
#pragma xmp task on p(1, 1)
  printf("change %.17g, bits of u %016llx\n", change, of_u);
  return 0;
}
