/* Leapfrog codes that call the GRAPE-5 library as known codes do, each in its own way:
 *
 *   fdps     a device by number, groups of i-particles, each with a list of j-particles whose length changes from call
 * to call: the near particles, then the far ones phantom  includes gp5util.h, one memory of all particles, as many
 * i-particles a call as there are pipelines rebound  includes g5nbutil.h, sets range, scale of a cutoff and softening
 * in every call, masses before positions, parts of the particles as the memory holds them, ghost boxes on both sides,
 * which add their own forces
 *
 * g5_clients PATTERN N STEPS prints the energy error, the bits of the final state and the sum of all forces. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g5nbutil.h"
#include "gp5util.h"

enum { kMost = 2048, kGroup = 32 };
typedef double vectors[kMost][3];

static int n;
static double mass[kMost], pot[kMost];
static vectors x, v, a;
static const double kEps = 0.05, kStep = 1.0 / 128;

static void fdps_forces(void) {
  static double mj[kMost];
  static vectors xj;
  g5_set_eps_to_all(kEps);
  for (int first = 0; first < n; first += kGroup) {
    const int ni = n - first < kGroup ? n - first : kGroup;
    memset(a + first, 0, sizeof a[0] * (size_t)ni);
    memset(pot + first, 0, sizeof pot[0] * (size_t)ni);
    for (int far = 0; far < 2; ++far) {
      static double ai[kGroup][3], pi[kGroup];
      int nj = 0;
      for (int j = 0; j < n; ++j) {
        double r2 = 0;
        for (int k = 0; k < 3; ++k) r2 += (x[j][k] - x[first][k]) * (x[j][k] - x[first][k]);
        if ((r2 > 1) != far) continue;
        mj[nj] = mass[j];
        memcpy(xj[nj++], x[j], sizeof x[j]);
      }
      g5_set_nMC(0, nj);
      g5_set_xmjMC(0, 0, nj, xj, mj);
      g5_set_xiMC(0, ni, x + first);
      g5_runMC(0);
      g5_get_forceMC(0, ni, ai, pi);
      for (int i = 0; i < ni; ++i) {
        pot[first + i] -= pi[i];
        for (int k = 0; k < 3; ++k) a[first + i][k] += ai[i][k];
      }
    }
  }
  for (int i = 0; i < n; ++i) pot[i] += mass[i] / kEps;
}

static void phantom_forces(void) {
  const int pipes = g5_get_number_of_pipelines();
  g5_set_range(-64, 64, mass[0]);
  g5_set_eps_to_all(kEps);
  g5_set_n(n);
  g5_set_xmj(0, n, x, mass);
  for (int first = 0; first < n; first += pipes) {
    const int ni = n - first < pipes ? n - first : pipes;
    g5_set_xi(ni, x + first);
    g5_run();
    g5_get_force(ni, a + first, pot + first);
  }
  for (int i = 0; i < n; ++i) pot[i] = mass[i] / kEps - pot[i];
}

static const double kBox = 1000; /* so far away that ghosts hardly pull */
static void rebound_forces(void) {
  static vectors xi, ai;
  static double pi[kMost];
  const int memory = g5_get_jmemsize();
  g5_set_range(-3 * kBox, 3 * kBox, mass[0]);
  g5_set_eta(2 * kBox);
  memset(a, 0, sizeof a);
  memset(pot, 0, sizeof pot);
  for (int box = -1; box <= 1; ++box) {
    for (int i = 0; i < n; ++i) {
      memcpy(xi[i], x[i], sizeof x[i]);
      xi[i][0] += box * kBox;
    }
    for (int first = 0; first < n; first += memory) {
      const int nj = n - first < memory ? n - first : memory;
      g5_set_jp(0, nj, mass + first, x + first);
      g5_set_n(nj);
      g5_set_eps_to_all(kEps);
      g5_calculate_force_on_x(xi, ai, pi, n);
      for (int i = 0; i < n; ++i) {
        if (box == 0) pot[i] -= pi[i];
        for (int k = 0; k < 3; ++k) a[i][k] += ai[i][k];
      }
    }
  }
  for (int i = 0; i < n; ++i) pot[i] += mass[i] / kEps;
}

static int64_t seed = 20220;
static double draw(void) { /* Park and Miller 1988 */
  seed = seed * 16807 % 2147483647;
  return (double)seed / 2147483647.0;
}

static double energy(void) {
  double e = 0;
  for (int i = 0; i < n; ++i) {
    e += mass[i] * (pot[i] + v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) / 2;
  }
  return e;
}

int main(int arguments, char** argument) {
  static const struct {
    const char* name;
    void (*forces)(void);
  } kPatterns[] = {{"fdps", fdps_forces}, {"phantom", phantom_forces}, {"rebound", rebound_forces}};
  void (*forces)(void) = NULL;
  if (arguments != 4) return 2;
  for (size_t k = 0; k < sizeof kPatterns / sizeof kPatterns[0]; ++k) {
    if (strcmp(kPatterns[k].name, argument[1]) == 0) forces = kPatterns[k].forces;
  }
  n = atoi(argument[2]);
  const int steps = atoi(argument[3]);
  if (!forces || n < 2 || n > kMost) return 2;
  for (int i = 0; i < n; ++i) { /* a ball of uniform density, with some motion */
    double r2;
    mass[i] = 1.0 / n;
    do {
      r2 = 0;
      for (int k = 0; k < 3; ++k) {
        x[i][k] = 2 * draw() - 1;
        r2 += x[i][k] * x[i][k];
      }
    } while (r2 > 1);
    for (int k = 0; k < 3; ++k) v[i][k] = 0.6 * (2 * draw() - 1);
  }
  g5_open();
  forces();
  const double before = energy();
  double forces_of_all = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        v[i][k] += a[i][k] * kStep / 2;
        x[i][k] += v[i][k] * kStep;
      }
    }
    forces();
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        v[i][k] += a[i][k] * kStep / 2;
        forces_of_all += fabs(a[i][k]);
      }
    }
  }
  g5_close();
  uint64_t bits = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      uint64_t word;
      memcpy(&word, &x[i][k], sizeof word);
      bits = bits * 31 + word;
    }
  }
  printf("energy_error %.4e forces %.9e bits %016llx\n", (energy() - before) / fabs(before), forces_of_all,
         (unsigned long long)bits);
  return 0;
}
