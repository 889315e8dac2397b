/* A program for GRAPE-6: one particle attracts another. */
#include "grape6.h"

int main(void) {
  double x_j[3] = {2, 0, 0}, x[1][3] = {{0, 0, 0}}, v[1][3] = {{0, 0, 0}}, a[1][3], jerk[1][3], pot[1], h2[1] = {0};
  int index[1] = {2};
  g6_open(0);
  g6_set_j_particle_mxonly(0, 0, 1, 1.0, x_j);
  g6_set_ti(0, 0);
  g6calc_firsthalf(0, 1, 1, index, x, v, a, jerk, pot, 0, h2);
  if (g6calc_lasthalf(0, 1, 1, index, x, v, 0, h2, a, jerk, pot) != 0) return 1;
  g6_close(0);
  return a[0][0] > 0.249999 && a[0][0] < 0.250001 ? 0 : 2;
}
