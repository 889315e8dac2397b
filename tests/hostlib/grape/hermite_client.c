/* A small Hermite code as those of the GRAPE-6 era: shared time step, forces from the library in two halves, 48
 * particles a call, outputs into the arrays of the guesses, recovery when the board reports an error. Prints energy
 * error and the sum of the final positions' bits.
 *
 *   hermite_client N STEPS [nearest|lists|errors] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g6_api.h"

enum { kMost = 1024 };
static double x[kMost][3], v[kMost][3], a[kMost][3], jerk[kMost][3], pot[kMost], mass[kMost];
static double x0[kMost][3], v0[kMost][3], a0[kMost][3], jerk0[kMost][3];
static int index_of[kMost];
static const double kEps2 = 1e-3;
static int resent = 0;

/* Particles on a sphere's spiral, turning about z: the same on every machine. */
static void start(int n) {
  for (int i = 0; i < n; ++i) {
    const double z = 2.0 * (i + 0.5) / n - 1.0, r = sqrt(1 - z * z), phase = 2.399963229728653 * i;
    const double radius = 0.5 + 0.5 * (i % 7) / 7.0;
    x[i][0] = radius * r * cos(phase);
    x[i][1] = radius * r * sin(phase);
    x[i][2] = radius * z;
    v[i][0] = -0.4 * x[i][1];
    v[i][1] = 0.4 * x[i][0];
    v[i][2] = 0;
    mass[i] = 1.0 / n;
    index_of[i] = i + 1;
  }
}

static void send(int n, double t) {
  for (int i = 0; i < n; ++i) {
    double zero[3] = {0, 0, 0}, a_by_2[3], jerk_by_6[3];
    for (int k = 0; k < 3; ++k) {
      a_by_2[k] = a[i][k] / 2;
      jerk_by_6[k] = jerk[i][k] / 6;
    }
    g6_set_j_particle(0, i, index_of[i], t, 0, mass[i], zero, jerk_by_6, a_by_2, v[i], x[i]);
  }
}

static void forces(int n, const char* mode) {
  const int pipes = g6_npipes();
  double h2[kMost];
  for (int i = 0; i < n; ++i) h2[i] = 0.25;
  for (int first = 0; first < n; first += pipes) {
    const int ni = n - first < pipes ? n - first : pipes;
    int status, tries = 0, neighbour[kMost];
    do {
      g6calc_firsthalf(0, n, ni, index_of + first, x + first, v + first, a + first, jerk + first, pot + first, kEps2,
                       h2);
      status = strcmp(mode, "nearest") == 0 ? g6calc_lasthalf2(0, n, ni, index_of + first, x + first, v + first, kEps2,
                                                               h2, a + first, jerk + first, pot + first, neighbour)
                                            : g6calc_lasthalf(0, n, ni, index_of + first, x + first, v + first, kEps2,
                                                              h2, a + first, jerk + first, pot + first);
      if (status == 0 && strcmp(mode, "lists") == 0) {
        status = g6_read_neighbour_list(0);
        if (status > 0) h2[0] /= 2;
      }
      if (status != 0) {
        ++resent;
        g6_reset(0);
        g6_reset_fofpga(0);
      }
    } while (status != 0 && ++tries < 5);
    if (status != 0) {
      fprintf(stderr, "the board does not recover\n");
      exit(1);
    }
  }
}

static double energy(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += mass[i] * (0.5 * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) + 0.5 * pot[i]);
  }
  return sum;
}

int main(int count, char** arguments) {
  const int n = atoi(arguments[1]), steps = atoi(arguments[2]);
  const char* mode = count > 3 ? arguments[3] : "";
  if (n > kMost) return 2;
  g6_open(0);
  g6_set_tunit(51);
  g6_set_xunit(51);
  start(n);
  send(n, 0);
  g6_set_ti(0, 0);
  forces(n, mode);
  const double before = energy(n), dt = 1.0 / 512;
  for (int step = 0; step < steps; ++step) {
    send(n, 0);
    g6_set_ti(0, dt);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        x0[i][k] = x[i][k];
        v0[i][k] = v[i][k];
        a0[i][k] = a[i][k];
        jerk0[i][k] = jerk[i][k];
        x[i][k] += dt * (v[i][k] + dt * (a[i][k] / 2 + dt * jerk[i][k] / 6));
        v[i][k] += dt * (a0[i][k] + dt * jerk[i][k] / 2);
      }
    }
    forces(n, mode);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        v[i][k] = v0[i][k] + dt * ((a[i][k] + a0[i][k]) / 2 + dt * (jerk0[i][k] - jerk[i][k]) / 12);
        x[i][k] = x0[i][k] + dt * ((v[i][k] + v0[i][k]) / 2 + dt * (a0[i][k] - a[i][k]) / 12);
      }
    }
  }
  send(n, 0);
  g6_set_ti(0, 0);
  forces(n, mode);
  uint64_t bits = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      uint64_t word;
      memcpy(&word, &x[i][k], sizeof word);
      bits = bits * 31 + word;
    }
  }
  g6_close(0);
  printf("energy_error %.3e bits %016llx resent %d\n", (energy(n) - before) / before, (unsigned long long)bits, resent);
  return 0;
}
