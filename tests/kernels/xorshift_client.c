/* A user's C program that runs one experiment in each place of all chips, in a kernel of Type II whose words stay
   apart. Exit status 0 if all results are right and the board has an emulated time. */
#include <stdio.h>
#include <stdlib.h>

#include "xorshift_grape.h"

enum { kPlaces = 4 * 2048, kTurns = 40 };

static uint64_t after(uint64_t x, int64_t steps) {
  for (; steps > 0; --steps) {
    x ^= x << 13;
    x ^= x >> 7;
    x = (x ^ (x << 17)) & UINT64_C(0x7fffffffffffffff);
  }
  return x;
}

static int failed(int status, const char* call) {
  if (status != 0) fprintf(stderr, "%s: %s\n", call, xorshift_message());
  return status != 0;
}

int main(void) {
  static xorshift_i_particle starts[kPlaces];
  static int64_t words[kPlaces];
  double seconds = -1;
  int wrong = 0;
  for (int n = 0; n < kPlaces; ++n) {
    starts[n].seed = 1 + 7919 * (int64_t)n;
    starts[n].steps = n % (kTurns + 1);
  }
  if (failed(xorshift_grape_init(), "init") || failed(xorshift_send_i_particle(starts, kPlaces), "send") ||
      failed(xorshift_type2_run(kTurns), "run") || failed(xorshift_get_words(words, kPlaces), "words") ||
      failed(xorshift_emulated_seconds(&seconds), "emulated_seconds") || failed(xorshift_grape_close(), "close")) {
    return 1;
  }
  for (int n = 0; n < kPlaces; ++n) wrong += (uint64_t)words[n] != after((uint64_t)starts[n].seed, starts[n].steps);
  if (wrong != 0) fprintf(stderr, "%d of %d words are wrong\n", wrong, kPlaces);
  /* The host's writes alone take 131 us. */
  if (!(seconds > 131e-6 && seconds < 1e-3)) fprintf(stderr, "emulated time %g s\n", seconds);
  return wrong != 0 || !(seconds > 131e-6 && seconds < 1e-3);
}
