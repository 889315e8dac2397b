/* A user's C program with a kernel of experiments: more of them than the board has places. Exit status 0 if all results
   are right and in their order, the board has an emulated time, and wrong arguments are refused. */
#include <stdio.h>

#include "collatz_grape.h"

enum { kExperiments = 10000, kMostSteps = 200 };

static int failed(int status, const char* call) {
  if (status != 0) fprintf(stderr, "%s: %s\n", call, collatz_message());
  return status != 0;
}

/* True if the result is that of at least one and at most kMostSteps steps from `x`. */
static int is_right(int64_t x, const collatz_result* result) {
  int64_t largest = x;
  int64_t steps = 0;
  do {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    if (x > largest) largest = x;
    ++steps;
  } while (x > 1 && steps < kMostSteps);
  return result->largest == largest && result->experiment_steps == steps && result->experiment_finished == (x <= 1);
}

int main(void) {
  static collatz_start starts[kExperiments];
  static collatz_result results[kExperiments];
  double seconds = -1;
  int wrong = 0;
  int unfinished = 0;
  for (int n = 0; n < kExperiments; ++n) starts[n].from = n + 1;
  if (failed(collatz_grape_init(), "init")) return 1;
  if (collatz_experiments(starts, kExperiments, 0, results) == 0 || collatz_experiments(starts, 1, 5, 0) == 0) {
    fprintf(stderr, "wrong arguments are accepted\n");
    return 1;
  }
  if (failed(collatz_experiments(starts, kExperiments, kMostSteps, results), "experiments") ||
      failed(collatz_emulated_seconds(&seconds), "emulated_seconds") || failed(collatz_grape_close(), "close")) {
    return 1;
  }
  for (int n = 0; n < kExperiments; ++n) {
    wrong += !is_right(starts[n].from, &results[n]);
    unfinished += !results[n].experiment_finished;
  }
  if (wrong != 0) fprintf(stderr, "%d of %d results are wrong\n", wrong, kExperiments);
  if (unfinished == 0) fprintf(stderr, "none is unfinished, but 6171 takes 261 steps\n");
  if (!(seconds > 0 && seconds < 1)) fprintf(stderr, "emulated time %g s\n", seconds);
  return wrong != 0 || unfinished == 0 || !(seconds > 0 && seconds < 1);
}
