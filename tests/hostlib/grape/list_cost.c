/* Processor time of force calls before a list of neighbours was read, after it, and with a list in each call: reading
 * lists must not make later forces dearer, and a list may cost at most two more runs. The least of several batches,
 * which other work of the machine hardly moves.
 *
 * list_cost [MOST_AFTER MOST_WITH_LISTS] prints milliseconds a call; status 1 if a ratio is larger. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "grape6.h"

enum { kJ = 1000, kI = 40, kCalls = 20, kBatches = 8 };

static double draw(void) { return 4.0 * rand() / RAND_MAX - 2; }

static double xj[kJ][3], xi[kI][3], vi[kI][3], ai[kI][3], ji[kI][3], pi[kI], h2[kI];
static int names[kI], list[kJ];

static void fail(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(2);
}

static double seconds_of_calls(int with_lists) {
  double least = 1e30;
  for (int batch = 0; batch < kBatches; ++batch) {
    const clock_t begin = clock();
    for (int call = 0; call < kCalls; ++call) {
      for (int i = 0; i < kI; ++i) {
        names[i] = i;
        h2[i] = 0.1;
        for (int k = 0; k < 3; ++k) xi[i][k] = xj[i][k];
      }
      g6_set_ti(0, 0);
      g6calc_firsthalf(0, kJ, kI, names, xi, vi, ai, ji, pi, 1e-4, h2);
      if (g6calc_lasthalf(0, kJ, kI, names, xi, vi, 1e-4, h2, ai, ji, pi) != 0) fail("the board fails");
      if (!with_lists) continue;
      if (g6_read_neighbour_list(0) != 0) fail("no lists");
      for (int i = 0; i < kI; ++i) {
        int length = 0;
        if (g6_get_neighbour_list(0, i, kJ, &length, list) != 0) fail("no list");
      }
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC / kCalls;
    if (seconds < least) least = seconds;
  }
  return least;
}

int main(int arguments, char** argument) {
  double none[3] = {0, 0, 0};
  g6_open(0);
  for (int j = 0; j < kJ; ++j) {
    for (int k = 0; k < 3; ++k) xj[j][k] = draw();
    g6_set_j_particle(0, j, j, 0, 0.125, 1e-3, none, none, none, none, xj[j]);
  }
  const double before = seconds_of_calls(0);
  const double with_lists = seconds_of_calls(1);
  const double after = seconds_of_calls(0);
  g6_close(0);
  printf("forces %.3f ms a call, with lists %.3f, after lists %.3f\n", before * 1e3, with_lists * 1e3, after * 1e3);
  if (arguments != 3) return 0;
  return after <= atof(argument[1]) * before && with_lists <= atof(argument[2]) * before ? 0 : 1;
}
