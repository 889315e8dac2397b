/* Direct N-body with a leapfrog. The loop over pairs goes to the board where gdr cc --goose compiles it, and stays a
   loop for any other compiler. */
#include <math.h>
#include <stdio.h>

enum { N = 128 };
static double m[N], x[N][3], v[N][3], acc[N][3], pot[N];

static void forces(int n, double eps2) {
  double dx[3], r2, rinv;
  int i, j, k;

#pragma goose parallel for loopcounter(i, j) precision("mixed") result(acc[i][0..2], pot[i])
  for (i = 0; i < n; i++) {
    for (k = 0; k < 3; k++) acc[i][k] = 0;
    pot[i] = 0;
    for (j = 0; j < n; j++) {
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
  for (int i = 0; i < N; i++) e += m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2] + pot[i]) / 2;
  return e;
}

int main(void) {
  const double dt = 1.0 / 64, eps2 = 1.0 / 256;
  unsigned seed = 1;
  for (int i = 0; i < N; i++) {
    m[i] = 1.0 / N;
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      x[i][k] = (seed >> 8) / 8388608.0 - 1;
    }
  }
  forces(N, eps2);
  const double begin = energy();
  for (int step = 0; step < 64; step++) {
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) x[i][k] += dt * (v[i][k] += dt / 2 * acc[i][k]);
    forces(N, eps2);
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) v[i][k] += dt / 2 * acc[i][k];
  }
  printf("energy %.6f, error below 1e-3: %s\n", begin, fabs(energy() / begin - 1) < 1e-3 ? "yes" : "no");
  return 0;
}
