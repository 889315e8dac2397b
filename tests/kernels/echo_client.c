/* A user's C program that gives a kernel of Type II fewer i-records than in the run before: the other places have what
   they have on a fresh device, zeros. Exit status 0 if they do. */
#include <stdio.h>

#include "echo_grape.h"

enum { kPlaces = 128, kFew = 5, kWords = 4 };

static int failed(int status, const char* call) {
  if (status != 0) fprintf(stderr, "%s: %s\n", call, echo_strerror(status));
  return status != 0;
}

int main(void) {
  echo_i_particle particles[kPlaces];
  double words[kWords];
  int wrong = 0;
  if (failed(echo_grape_init(), "init")) return 1;
  for (int n = 0; n < kPlaces; ++n) particles[n].x = 7;
  if (failed(echo_send_i_particle(particles, kPlaces), "send")) return 1;
  if (failed(echo_type2_run(1), "run")) return 1;
  for (int n = 0; n < kFew; ++n) particles[n].x = n;
  if (failed(echo_send_i_particle(particles, kFew), "send few")) return 1;
  if (failed(echo_type2_run(1), "run few")) return 1;
  if (failed(echo_get_words(words, kWords), "words")) return 1;
  for (int n = 0; n < kWords; ++n) wrong += words[n] != 0;
  if (failed(echo_grape_close(), "close")) return 1;
  if (wrong != 0) fprintf(stderr, "%d of %d words are wrong, the first is %g\n", wrong, kWords, words[0]);
  return wrong != 0;
}
