/* A program that reads nearest neighbours and lists, with one argument: 1 if lists hold the particle itself. On every
 * engine they are those of this program's doubles: no two distances of these places are as near as a short word rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "grape6.h"

enum { kParticles = 40, kTargets = kParticles + 1 };

static double square_of_distance(const double a[3], const double b[3]) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

int main(int argc, char** argv) {
  const int with_self = argc > 1 && atoi(argv[1]) == 1;
  const double eps2 = 0, radius2 = 0.16;
  double zero[3] = {0}, x[kTargets][3], v[kTargets][3] = {{0}}, a[kTargets][3], jerk[kTargets][3];
  double pot[kTargets], h2[kTargets];
  int index[kTargets], nearest[kTargets], wrong = 0;
  srand(1);
  g6_open(0);
  g6_set_ti(0, 0);
  for (int i = 0; i < kTargets; ++i) {
    for (int k = 0; k < 3; ++k) x[i][k] = rand() / (double)RAND_MAX;
    index[i] = 1000 - i;
    h2[i] = radius2;
    /* The last target is no j-particle. */
    if (i < kParticles) g6_set_j_particle(0, i, index[i], 0, 0.125, 1, zero, zero, zero, v[i], x[i]);
  }
  g6calc_firsthalf(0, kParticles, kTargets, index, x, v, v, v, pot, eps2, h2);
  if (g6calc_lasthalf2(0, kParticles, kTargets, index, x, v, eps2, h2, a, jerk, pot, nearest) != 0) return 2;
  if (g6_read_neighbour_list(0) != 0) return 3;
  for (int i = 0; i < kTargets; ++i) {
    double best = 1e9, named = -1;
    int length = 0, found = 0, list[kParticles];
    if (g6_get_neighbour_list(0, i, kParticles, &length, list) != 0) return 4;
    for (int j = 0; j < kParticles; ++j) {
      const double r2 = square_of_distance(x[i], x[j]);
      if (j != i && r2 < best) best = r2;
      if (index[j] == nearest[i]) named = r2;
      if (r2 >= radius2 || (j == i && !with_self)) continue;
      wrong += found >= length || list[found] != index[j];
      ++found;
    }
    wrong += found != length || named != best;
  }
  g6_close(0);
  printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
