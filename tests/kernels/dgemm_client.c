/* A user's C program on the generated interface of dgemm.vsm, a kernel of Type II: one unit of work of the board, A of
   256 x 2048 times B of 2048 x 4, in whole numbers, so that every sum is exact. Exit status 0 if all are right. */
#include <stdio.h>
#include <stdlib.h>

#include "dgemm_grape.h"

enum { kChips = 4, kBlocks = 16, kPes = 32, kElements = 4, kVectors = 2, kDepth = 32, kColumns = 2, kTurns = 2 };
enum { kRows = kPes * kElements * kVectors, kWords = kTurns * kColumns * kRows };
enum { kIParticles = kChips * kBlocks * kPes * kElements, kJParticles = kTurns * kBlocks * kChips };

static double a_at(int row, int k) { return (7 * row + 3 * k) % 11 - 5; }
static double b_at(int k, int column) { return (5 * k + 2 * column) % 13 - 6; }

static int failed(int status, const char* call) {
  if (status != 0) fprintf(stderr, "%s: %s\n", call, dgemm_strerror(status));
  return status != 0;
}

/* i-particle n belongs to chip n / 2048, block n / 128 mod 16, PE n / 4 mod 32, element n mod 4. */
static void fill_a(dgemm_i_particle* particles) {
  for (int n = 0; n < kIParticles; ++n) {
    for (int k = 0; k < kDepth; ++k) {
      for (int v = 0; v < kVectors; ++v) {
        const int row = n / kElements % kPes * kElements * kVectors + v * kElements + n % kElements;
        particles[n].a[k][v] = a_at(row, n / (kPes * kElements) * kDepth + k);
      }
    }
  }
}

/* j-particles are dealt out to the chips one by one; each chip's 16 of a turn go to its blocks in order. */
static void fill_b(dgemm_j_particle* particles) {
  for (int n = 0; n < kJParticles; ++n) {
    const int chip = n % kChips, block = n / kChips % kBlocks, turn = n / (kChips * kBlocks);
    for (int column = 0; column < kColumns; ++column) {
      for (int k = 0; k < kDepth; ++k) {
        particles[n].b[column][k] = b_at((chip * kBlocks + block) * kDepth + k, turn * kColumns + column);
      }
    }
  }
}

static int wrong_words(const double* words) {
  int wrong = 0;
  for (int n = 0; n < kWords; ++n) {
    double sum = 0;
    for (int k = 0; k < kChips * kBlocks * kDepth; ++k) sum += a_at(n % kRows, k) * b_at(k, n / kRows);
    wrong += words[n] != sum;
  }
  return wrong;
}

int main(void) {
  static dgemm_j_particle b[kJParticles];
  static double words[kWords];
  dgemm_i_particle* a = malloc(kIParticles * sizeof *a);
  if (a == NULL) return 1;
  fill_a(a);
  fill_b(b);
  if (dgemm_type2_run(kTurns) == 0) return 1; /* before init: a status, no crash */
  if (failed(dgemm_grape_init(), "init") || failed(dgemm_send_elt_data0(b, 0, kJParticles), "send_elt_data0") ||
      failed(dgemm_send_i_particle(a, kIParticles), "send_i_particle") ||
      failed(dgemm_type2_run(kTurns), "type2_run") || failed(dgemm_get_words(words, kWords), "get_words")) {
    return 1;
  }
  int wrong = wrong_words(words);

  for (int n = 0; n < kWords; ++n) words[n] = 0;
  if (failed(dgemm_type2_start(kTurns), "type2_start")) return 1;
  if (dgemm_get_words(words, kWords) == 0) return 1; /* a run is under way */
  if (failed(dgemm_type2_wait(), "type2_wait") || failed(dgemm_get_words(words, kWords), "get_words")) return 1;
  wrong += wrong_words(words);
  if (dgemm_get_words(words, kWords + 1) == 0) return 1; /* more than there are */
  free(a);
  if (wrong > 0) fprintf(stderr, "%d words are wrong\n", wrong);
  return failed(dgemm_grape_close(), "close") || wrong > 0;
}
