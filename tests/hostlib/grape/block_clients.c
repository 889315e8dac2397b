/* Hermite codes with block time steps that call the GRAPE-6 library as codes of its era do, each in its own way:
 *
 *   bhint    addresses are indices less 1, snap is sent, unused pipes are padded, outputs lie on the guesses, resends
 *   kira     probes the pipes before it opens, times on the board are near 0, nearest neighbours and lists are checked,
 *            recovers by reset, close, open and sending all particles again
 *   ph4      arguments by reference, opens a device by its number and then uses that of its process, indices are names,
 *            a first half that no second follows, one array for acceleration and jerk where only densities are wanted
 *   sapporo  opens with a null pointer, i-particles whose index no j-particle has, so that each meets itself at r = 0
 *
 * block_clients PATTERN N T_END prints steps, energy error and the sum of the final bits. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g6_api.h"

int g6_set_j_particle_(int*, int*, int*, double*, double*, double*, double*, double*, double*, double*, double*);
int g6calc_firsthalf_(int*, int*, int*, int*, double (*)[3], double (*)[3], double (*)[3], double (*)[3], double*,
                      double*, double*);

enum { kMost = 1024, kMostPipes = 65536, kTries = 5 };
typedef double vectors[kMost][3];

static int n;
static double mass[kMost], t_of[kMost], dt_of[kMost], pot[kMost];
static vectors x, v, a, jerk, snap;
static const double kEps = 0.01, kEta = 0.1, kLargestStep = 0.125;
static int resent = 0, faults = 0;

/* The particles of a block at its time, and their forces. */
static int active[kMost], count, names[kMostPipes];
static double xi[kMostPipes][3], vi[kMostPipes][3], ai[kMostPipes][3], ji[kMostPipes][3], pi[kMostPipes],
    h2[kMostPipes];

static void fail(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void forces_in_calls(double t, void (*call)(int first, int ni), double offset) {
  const int pipes = g6_npipes();
  g6_set_ti(0, t - offset);
  for (int first = 0; first < count; first += pipes) call(first, count - first < pipes ? count - first : pipes);
}

/* ---- bhint ---- */
static void bhint_send(int i) {
  double a2by18[3], a1by6[3], aby2[3];
  for (int k = 0; k < 3; ++k) {
    a2by18[k] = snap[i][k] / 18;
    a1by6[k] = jerk[i][k] / 6;
    aby2[k] = a[i][k] / 2;
  }
  g6_set_j_particle(0, i, i + 1, t_of[i], dt_of[i], mass[i], a2by18, a1by6, aby2, v[i], x[i]);
}
static void bhint_open(void) {
  double farthest = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) farthest = fmax(farthest, fabs(x[i][k]));
  }
  g6_open(0);
  g6_set_tunit(45);
  g6_set_xunit(63 - (int)ceil(log2(1.1 * farthest)));
  for (int i = 0; i < n; ++i) bhint_send(i);
}
static void bhint_call(int first, int ni) {
  int status, tries = 0;
  for (int i = first + ni; i < first + g6_npipes(); ++i) { /* the last particle again */
    names[i] = names[first + ni - 1];
    memcpy(xi[i], xi[first + ni - 1], sizeof xi[i]);
    memcpy(vi[i], vi[first + ni - 1], sizeof vi[i]);
    h2[i] = h2[first + ni - 1];
  }
  do {
    g6calc_firsthalf(0, n, ni, names + first, xi + first, vi + first, ai + first, ji + first, pi + first, kEps * kEps,
                     h2 + first);
    status = g6calc_lasthalf(0, n, ni, names + first, xi + first, vi + first, kEps * kEps, h2 + first, ai + first,
                             ji + first, pi + first);
    if (status == 0) status = g6_read_neighbour_list(0);
    if (status != 0) ++resent;
  } while (status != 0 && ++tries < kTries);
  if (status != 0) fail("the board does not recover");
  for (int i = 0; i < ni; ++i) {
    int length, list[kMost];
    if (g6_get_neighbour_list(0, i, kMost, &length, list) != 0) fail("a list is wrong");
  }
}
static void bhint_forces(double t) {
  for (int i = 0; i < count; ++i) {
    names[i] = active[i] + 1;
    h2[i] = 0.01;
  }
  forces_in_calls(t, bhint_call, 0);
}

/* ---- kira ---- */
static double kira_offset = 0;
static void kira_send(int i) {
  double bt2[3], a1by6[3], aby2[3];
  for (int k = 0; k < 3; ++k) {
    bt2[k] = snap[i][k] / 18;
    a1by6[k] = jerk[i][k] / 6;
    aby2[k] = a[i][k] / 2;
  }
  g6_set_j_particle(0, i, i, t_of[i] - kira_offset, dt_of[i], mass[i], bt2, a1by6, aby2, v[i], x[i]);
}
static void kira_open(void) {
  if (g6_npipes() <= 0) fail("no board");
  g6_open(0);
  for (int i = 0; i < n; ++i) kira_send(i);
}
static void kira_call(int first, int ni) {
  int status, tries = 0, nearest[kMostPipes];
  do {
    g6calc_firsthalf(0, n, ni, names + first, xi + first, vi + first, ai + first, ji + first, pi + first, kEps * kEps,
                     h2 + first);
    status = g6calc_lasthalf2(0, n, ni, names + first, xi + first, vi + first, kEps * kEps, h2 + first, ai + first,
                              ji + first, pi + first, nearest);
    if (status == 0) {
      const int overflow = g6_read_neighbour_list(0);
      if (overflow > 0) {
        for (int i = first; i < first + ni; ++i) h2[i] /= 2;
        status = 1;
      } else {
        status = overflow;
      }
    }
    for (int i = 0; status == 0 && i < ni; ++i) {
      int length, list[kMost], has_nearest = 0;
      if (nearest[i] < 0 || nearest[i] >= n || pi[first + i] > 0) ++faults;
      if (g6_get_neighbour_list(0, i, kMost, &length, list) != 0) ++faults;
      for (int k = 0; k < length; ++k) has_nearest |= list[k] == nearest[i];
      if (length > 0 && !has_nearest) ++faults;
    }
    if (status != 0) {
      ++resent;
      g6_reset(0);
      g6_reset_fofpga(0);
      g6_close(0);
      kira_open();
      g6_set_ti(0, t_of[active[0]] + dt_of[active[0]] - kira_offset);
    }
  } while (status != 0 && ++tries < kTries);
  if (status != 0) fail("the board does not recover");
}
static void kira_forces(double t) {
  for (int i = 0; i < count; ++i) {
    names[i] = active[i];
    h2[i] = 0.04;
  }
  if (t - kira_offset > 1) { /* keeps the board's times small */
    kira_offset = floor(t);
    for (int i = 0; i < n; ++i) kira_send(i);
  }
  forces_in_calls(t, kira_call, kira_offset);
}

/* ---- ph4 ---- */
static int cluster = 0;
static int name_of(int i) { return 1000000007 + 3 * i; } /* a user's own, beyond what a float holds */
static void ph4_send(int i) {
  double none[3] = {0, 0, 0}, a1by6[3], aby2[3];
  int name = name_of(i);
  for (int k = 0; k < 3; ++k) {
    a1by6[k] = jerk[i][k] / 6;
    aby2[k] = a[i][k] / 2;
  }
  g6_set_j_particle_(&cluster, &i, &name, &t_of[i], &dt_of[i], &mass[i], none, a1by6, aby2, v[i], x[i]);
}
static void ph4_open(void) {
  int device = 3; /* of the host's cards, not the cluster of the other calls */
  g6_open_(&device);
  for (int i = 0; i < n; ++i) ph4_send(i);
}
static void ph4_forces(double t) {
  const int pipes = g6_npipes_();
  double eps2 = kEps * kEps;
  static double one_array[kMostPipes][3];
  for (int i = 0; i < count; ++i) {
    names[i] = name_of(active[i]);
    h2[i] = eps2;
    for (int k = 0; k < 3; ++k) { /* guesses */
      ai[i][k] = a[active[i]][k] / 2;
      ji[i][k] = jerk[active[i]][k] / 6;
    }
  }
  g6_set_ti_(&cluster, &t);
  for (int first = 0; first < count; first += pipes) {
    int ni = count - first < pipes ? count - first : pipes, one = 1;
    g6calc_firsthalf_(&cluster, &n, &one, names + first, xi + first, vi + first, ai + first, ji + first, pi + first,
                      &eps2, h2 + first); /* to wait for the board; the result is not asked for */
    if (first == 0) {
      g6calc_firsthalf_(&cluster, &n, &ni, names, xi, vi, ai, ji, pi, &eps2, h2);
      if (g6calc_lasthalf_(&cluster, &n, &ni, names, xi, vi, &eps2, h2, one_array, one_array, pi) != 0) ++faults;
    }
    g6calc_firsthalf_(&cluster, &n, &ni, names + first, xi + first, vi + first, ai + first, ji + first, pi + first,
                      &eps2, h2 + first);
    if (g6calc_lasthalf_(&cluster, &n, &ni, names + first, xi + first, vi + first, &eps2, h2 + first, ai + first,
                         ji + first, pi + first) != 0) {
      fail("the board fails");
    }
    if (first == 0 && memcmp(one_array, ji, sizeof one_array[0] * (size_t)ni) != 0) ++faults; /* jerk comes last */
  }
}

/* ---- Sapporo2's test ---- */
static void sapporo_open(void) {
  g6_open_(NULL);
  for (int i = 0; i < n; ++i) kira_send(i);
}
static void sapporo_call(int first, int ni) {
  g6calc_firsthalf(0, n, ni, names + first, xi + first, vi + first, ai + first, ji + first, pi + first, kEps * kEps,
                   h2 + first);
  if (g6calc_lasthalf(0, n, ni, names + first, xi + first, vi + first, kEps * kEps, h2 + first, ai + first, ji + first,
                      pi + first) != 0) {
    fail("the board fails");
  }
}
static void sapporo_forces(double t) {
  for (int i = 0; i < count; ++i) {
    names[i] = -1 - active[i];
    h2[i] = 0;
  }
  forces_in_calls(t, sapporo_call, 0);
  for (int i = 0; i < count; ++i) pi[i] += mass[active[i]] / kEps;
}

/* ---- the integrator of all of them ---- */
struct pattern {
  const char* name;
  void (*open)(void);
  void (*send)(int);
  void (*forces)(double);
};
static const struct pattern kPatterns[] = {
    {"bhint", bhint_open, bhint_send, bhint_forces},
    {"kira", kira_open, kira_send, kira_forces},
    {"ph4", ph4_open, ph4_send, ph4_forces},
    {"sapporo", sapporo_open, kira_send, sapporo_forces},
};

static int64_t seed = 20220;
static double draw(void) { /* Park and Miller 1988 */
  seed = seed * 16807 % 2147483647;
  return (double)seed / 2147483647.0;
}
static void draw_direction(double* to, double length) {
  double r2;
  do {
    for (int k = 0; k < 3; ++k) to[k] = 2 * draw() - 1;
    r2 = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
  } while (r2 > 1 || r2 < 1e-4);
  for (int k = 0; k < 3; ++k) to[k] *= length / sqrt(r2);
}
/* Plummer's sphere [Aarseth, Henon and Wielen 1974], G = M = 1, E about -1/4. */
static void make_sphere(void) {
  const double scale = 3 * 3.14159265358979 / 16;
  for (int i = 0; i < n; ++i) {
    const double r = 1 / sqrt(pow(0.99 * draw() + 1e-3, -2.0 / 3) - 1);
    double q, y;
    do {
      q = draw();
      y = 0.1 * draw();
    } while (y > q * q * pow(1 - q * q, 3.5));
    draw_direction(x[i], r * scale);
    draw_direction(v[i], q * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(scale));
    mass[i] = 1.0 / n;
  }
}

static double energy(void) {
  double e = 0;
  for (int i = 0; i < n; ++i) {
    e += 0.5 * mass[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    for (int j = 0; j < i; ++j) {
      double r2 = kEps * kEps;
      for (int k = 0; k < 3; ++k) r2 += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]);
      e -= mass[i] * mass[j] / sqrt(r2);
    }
  }
  return e;
}

static double length(const double* p) { return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]); }

static double power_of_two_below(double dt) { return fmin(exp2(floor(log2(dt))), kLargestStep); }

static void correct(int i, int k_of_block, double t) {
  const double dt = t - t_of[i];
  double crackle[3], wanted;
  for (int k = 0; k < 3; ++k) {
    const double da = a[i][k] - ai[k_of_block][k];
    const double snap0 = (-6 * da - dt * (4 * jerk[i][k] + 2 * ji[k_of_block][k])) / (dt * dt);
    crackle[k] = (12 * da + 6 * dt * (jerk[i][k] + ji[k_of_block][k])) / (dt * dt * dt);
    x[i][k] += dt * (v[i][k] + dt * (a[i][k] / 2 + dt * (jerk[i][k] / 6 + dt * (snap0 / 24 + dt * crackle[k] / 120))));
    v[i][k] += dt * (a[i][k] + dt * (jerk[i][k] / 2 + dt * (snap0 / 6 + dt * crackle[k] / 24)));
    snap[i][k] = snap0 + dt * crackle[k];
    a[i][k] = ai[k_of_block][k];
    jerk[i][k] = ji[k_of_block][k];
  }
  pot[i] = pi[k_of_block];
  t_of[i] = t;
  wanted = kEta * sqrt((length(a[i]) * length(snap[i]) + pow(length(jerk[i]), 2)) /
                       (length(jerk[i]) * length(crackle) + pow(length(snap[i]), 2)));
  if (wanted < dt) {
    dt_of[i] = power_of_two_below(wanted);
  } else if (wanted >= 2 * dt && fmod(t, 2 * dt) == 0) {
    dt_of[i] = fmin(2 * dt, kLargestStep);
  }
}

int main(int arguments, char** argument) {
  const struct pattern* way = 0;
  if (arguments != 4) return 2;
  for (size_t k = 0; k < sizeof kPatterns / sizeof kPatterns[0]; ++k) {
    if (strcmp(kPatterns[k].name, argument[1]) == 0) way = &kPatterns[k];
  }
  n = atoi(argument[2]);
  const double t_end = atof(argument[3]);
  if (!way || n < 2 || n > kMost) return 2;
  make_sphere();
  const double before = energy();
  way->open();
  count = n;
  for (int i = 0; i < n; ++i) {
    active[i] = i;
    memcpy(xi[i], x[i], sizeof xi[i]);
    memcpy(vi[i], v[i], sizeof vi[i]);
  }
  way->forces(0);
  for (int i = 0; i < n; ++i) {
    memcpy(a[i], ai[i], sizeof a[i]);
    memcpy(jerk[i], ji[i], sizeof jerk[i]);
    pot[i] = pi[i];
    dt_of[i] = power_of_two_below(kEta / 16 * length(a[i]) / length(jerk[i]));
  }
  for (int i = 0; i < n; ++i) way->send(i);
  long steps = 0;
  for (double t = 0; t < t_end;) {
    t = INFINITY;
    for (int i = 0; i < n; ++i) t = fmin(t, t_of[i] + dt_of[i]);
    count = 0;
    for (int i = 0; i < n; ++i) {
      const double d = t - t_of[i];
      if (t_of[i] + dt_of[i] != t) continue;
      active[count] = i;
      for (int k = 0; k < 3; ++k) {
        xi[count][k] = x[i][k] + d * (v[i][k] + d * (a[i][k] / 2 + d * (jerk[i][k] / 6 + d * snap[i][k] / 24)));
        vi[count][k] = v[i][k] + d * (a[i][k] + d * (jerk[i][k] / 2 + d * snap[i][k] / 6));
      }
      ++count;
    }
    way->forces(t);
    for (int k = 0; k < count; ++k) correct(active[k], k, t);
    for (int k = 0; k < count; ++k) way->send(active[k]);
    steps += count;
  }
  uint64_t bits = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      uint64_t word;
      memcpy(&word, &x[i][k], sizeof word);
      bits = bits * 31 + word;
    }
  }
  double board_energy = 0;
  for (int i = 0; i < n; ++i) {
    board_energy += mass[i] * (pot[i] + v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) / 2;
  }
  g6_close(0);
  printf("steps %ld energy_error %.3e bits %016llx resent %d faults %d board_energy %.12f\n", steps,
         (energy() - before) / fabs(before), (unsigned long long)bits, resent, faults, board_energy);
  return 0;
}
