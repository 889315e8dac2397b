/* clang-format off */
/* Direct N-body with a leapfrog: XcalableMP distributes the particles over nodes, Goose gives the loop over pairs to the
 * board of each node. All nodes hold all places and masses, and the full shadow brings them together. Without the
 * directives it is a serial program. */
#include <math.h>
#include <stdio.h>

#ifndef N
#define N 256
#endif
#define STEPS 4

static double m[N], x[N][3], v[N][3], acc[N][3], pot[N];
#pragma xmp nodes p(*)
#pragma xmp template t(0:N-1)
#pragma xmp distribute t(block) onto p
#pragma xmp align m[i] with t(i)
#pragma xmp align x[i][*] with t(i)
#pragma xmp align v[i][*] with t(i)
#pragma xmp align acc[i][*] with t(i)
#pragma xmp align pot[i] with t(i)
#pragma xmp shadow m[*]
#pragma xmp shadow x[*][0]

static void forces(double eps2) {
  double dx[3], r2, rinv;
  int i, j, k;
#pragma xmp reflect_do (x)
#pragma xmp loop (i) on t(i)
#pragma goose parallel for loopcounter(i, j) precision("mixed") result(acc[i][0..2], pot[i])
  for (i = 0; i < N; i++) {
    for (k = 0; k < 3; k++) acc[i][k] = 0;
    pot[i] = 0;
    for (j = 0; j < N; j++) {
      for (k = 0; k < 3; k++) dx[k] = x[j][k] - x[i][k];
      r2 = dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2] + eps2;
      rinv = 1 / sqrt(r2);
      pot[i] -= m[j] * rinv;
      rinv *= m[j] * rinv * rinv;
      for (k = 0; k < 3; k++) acc[i][k] += rinv * dx[k];
    }
    pot[i] += m[i] / sqrt(eps2); /* the particle itself */
  }
}

static double energy(void) {
  double e = 0;
#pragma xmp loop (i) on t(i) reduction(+:e)
  for (int i = 0; i < N; i++) e += m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2] + pot[i]) / 2;
  return e;
}

/* The bits of the accelerations as one number, which no order of the particles changes. */
static unsigned long bits(void) {
  union {
    double number;
    unsigned long word;
  } at;
  unsigned long sum = 0;
#pragma xmp loop (i) on t(i) reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) {
      at.number = acc[i][k];
      sum += at.word * (2ul * (3 * i + k) + 1);
    }
  return sum;
}

int main(void) {
  const double dt = 1.0 / 64, eps2 = 1.0 / 256;
#pragma xmp loop (i) on t(i)
  for (int i = 0; i < N; i++) {
    m[i] = 1.0 / N;
    for (int k = 0; k < 3; k++) {
      unsigned seed = (3 * i + k + 1) * 2654435761u;
      seed = (seed ^ seed >> 15) * 2246822519u;
      x[i][k] = ((seed ^ seed >> 13) >> 8) / 8388608.0 - 1;
      v[i][k] = 0;
    }
  }
#pragma xmp reflect_init (x)
#pragma xmp reflect (m)
  forces(eps2);
  for (int step = 0; step < STEPS; step++) {
#pragma xmp loop (i) on t(i)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) {
        v[i][k] += dt / 2 * acc[i][k];
        x[i][k] += dt * v[i][k];
      }
    forces(eps2);
#pragma xmp loop (i) on t(i)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) v[i][k] += dt / 2 * acc[i][k];
  }
  const double e = energy();
  const unsigned long of_acc = bits();
#pragma xmp task on t(0)
  printf("energy %.6f, bits of the accelerations %016lx\n", e, of_acc);
  return 0;
}
