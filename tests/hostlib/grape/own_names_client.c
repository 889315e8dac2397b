/* A program that defines C names of the library itself, around the Fortran ones, as AMUSE's ph4 does. */
#include <stdio.h>

void g6_open_(int*);
int g6_close_(int*);
void g6_set_ti_(int*, double*);
int g6_set_j_particle_mxonly_(int*, int*, int*, double*, double*);
void g6calc_firsthalf_(int*, int*, int*, int*, double*, double*, double*, double*, double*, double*, double*);
int g6calc_lasthalf_(int*, int*, int*, int*, double*, double*, double*, double*, double*, double*, double*);

static int depth = 0;
void g6_open(int cluster) {
  if (++depth > 1) return;
  g6_open_(&cluster);
}
int g6_close(int cluster) { return g6_close_(&cluster); }
void g6_set_ti(int cluster, double t) { g6_set_ti_(&cluster, &t); }

int main(void) {
  int cluster = 0, address = 0, one = 1, index = 7;
  double mass = 2, x[3] = {4, 0, 0}, zero[3] = {0, 0, 0}, a[3], jerk[3], pot, eps2 = 0, h2 = 0;
  g6_open(cluster);
  g6_set_ti(cluster, 0);
  g6_set_j_particle_mxonly_(&cluster, &address, &one, &mass, x);
  g6calc_firsthalf_(&cluster, &one, &one, &index, zero, zero, zero, zero, zero, &eps2, &h2);
  if (g6calc_lasthalf_(&cluster, &one, &one, &index, zero, zero, &eps2, &h2, a, jerk, &pot) != 0) return 1;
  g6_close(cluster);
  printf("%g %g calls of g6_open: %d\n", a[0], pot, depth);
  return depth == 1 && pot < -0.4999 && pot > -0.5001 ? 0 : 1;
}
