/* The part of the GRAPE-6 library that the clients of this folder call, in double sums over all pairs: what they give
 * on exact forces. Shares nothing with libg6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { kClusters = 4, kSlots = 4096, kPipes = 48, kMostI = 65536 };

struct slot {
  int set, index;
  double t, m, snap[3], jerk[3], a[3], v[3], x[3];
};
struct target {
  int index;
  double x[3], v[3], eps2, h2;
};
static struct slot memory[kClusters][kSlots];
static double now[kClusters];
static struct target targets[kClusters][kMostI];
static int pairs_with[kClusters], target_count[kClusters];

static void predict(const struct slot* j, double t, double* x, double* v) {
  const double d = t - j->t;
  for (int k = 0; k < 3; ++k) {
    x[k] = j->x[k] + j->v[k] * d + j->a[k] * d * d + j->jerk[k] * pow(d, 3) + 0.75 * j->snap[k] * pow(d, 4);
    v[k] = j->v[k] + 2 * j->a[k] * d + 3 * j->jerk[k] * d * d + 3 * j->snap[k] * pow(d, 3);
  }
}

static double squared(const double* a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

int g6_open(int c) {
  memset(memory[c], 0, sizeof memory[c]);
  return 0;
}
int g6_close(int c) { return c < 0; }
int g6_reset(int c) { return c < 0; }
int g6_reset_fofpga(int c) { return c < 0; }
int g6_npipes(void) { return kPipes; }
int g6_getnjmax(int c) { return c < 0 ? 0 : kSlots; }
int g6_set_tunit(int unit) { return unit < 0; }
int g6_set_xunit(int unit) { return unit < 0; }
int g6_set_ti(int c, double t) {
  now[c] = t;
  return 0;
}
int g6_set_njp(int c, int nj) {
  for (int k = nj; k < kSlots; ++k) memory[c][k].set = 0;
  return 0;
}

int g6_set_j_particle(int c, int address, int index, double t, double dt, double m, const double* snap,
                      const double* jerk, const double* a, const double* v, const double* x) {
  struct slot* const j = &memory[c][address];
  (void)dt;
  j->set = 1;
  j->index = index;
  j->t = t;
  j->m = m;
  memcpy(j->snap, snap, sizeof j->snap);
  memcpy(j->jerk, jerk, sizeof j->jerk);
  memcpy(j->a, a, sizeof j->a);
  memcpy(j->v, v, sizeof j->v);
  memcpy(j->x, x, sizeof j->x);
  return 0;
}

static void take(int c, int nj, int ni, const int* index, const double (*x)[3], const double (*v)[3],
                 const double* eps2, int of_each, const double* h2) {
  pairs_with[c] = nj;
  target_count[c] = ni;
  for (int i = 0; i < ni; ++i) {
    struct target* const to = &targets[c][i];
    to->index = index[i];
    memcpy(to->x, x[i], sizeof to->x);
    memcpy(to->v, v[i], sizeof to->v);
    to->eps2 = eps2[of_each ? i : 0];
    to->h2 = h2[i];
  }
}

static void sum(int c, double (*acc)[3], double (*jerk)[3], double* pot, int* nearest) {
  for (int i = 0; i < target_count[c]; ++i) {
    const struct target* const to = &targets[c][i];
    double a[3] = {0}, b[3] = {0}, p = 0, least = INFINITY;
    int found = -1;
    for (int k = 0; k < pairs_with[c]; ++k) {
      const struct slot* const j = &memory[c][k];
      double d[3], u[3];
      if (!j->set || j->index == to->index) continue;
      predict(j, now[c], d, u);
      for (int n = 0; n < 3; ++n) {
        d[n] -= to->x[n];
        u[n] -= to->v[n];
      }
      const double s2 = squared(d) + to->eps2;
      if (s2 < least) {
        least = s2;
        found = j->index;
      }
      if (s2 == 0) continue;
      const double part = j->m / (s2 * sqrt(s2)), du = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
      p -= j->m / sqrt(s2);
      for (int n = 0; n < 3; ++n) {
        a[n] += part * d[n];
        b[n] += part * (u[n] - 3 * du / s2 * d[n]);
      }
    }
    memcpy(acc[i], a, sizeof a);
    memcpy(jerk[i], b, sizeof b);
    pot[i] = p;
    if (nearest) nearest[i] = found;
  }
}

void g6calc_firsthalf(int c, int nj, int ni, const int* index, const double (*x)[3], const double (*v)[3],
                      const double (*a)[3], const double (*jerk)[3], const double* pot, double eps2, const double* h2) {
  (void)a, (void)jerk, (void)pot;
  take(c, nj, ni, index, x, v, &eps2, 0, h2);
}
int g6calc_lasthalf(int c, int nj, int ni, const int* index, const double (*x)[3], const double (*v)[3], double eps2,
                    const double* h2, double (*acc)[3], double (*jerk)[3], double* pot) {
  (void)nj, (void)ni, (void)index, (void)x, (void)v, (void)eps2, (void)h2;
  sum(c, acc, jerk, pot, 0);
  return 0;
}
int g6calc_lasthalf2(int c, int nj, int ni, const int* index, const double (*x)[3], const double (*v)[3], double eps2,
                     const double* h2, double (*acc)[3], double (*jerk)[3], double* pot, int* nearest) {
  (void)nj, (void)ni, (void)index, (void)x, (void)v, (void)eps2, (void)h2;
  sum(c, acc, jerk, pot, nearest);
  return 0;
}

int g6_read_neighbour_list(int c) { return c < 0; }
int g6_get_neighbour_list(int c, int pipe, int most, int* length, int* list) {
  const struct target* const to = &targets[c][pipe];
  *length = 0;
  for (int k = 0; k < pairs_with[c]; ++k) {
    const struct slot* const j = &memory[c][k];
    double d[3], u[3];
    if (!j->set || j->index == to->index) continue;
    predict(j, now[c], d, u);
    for (int n = 0; n < 3; ++n) d[n] -= to->x[n];
    if (!(squared(d) + to->eps2 < to->h2)) continue;
    if (*length >= most) return 1;
    list[(*length)++] = j->index;
  }
  return *length >= most;
}

/* The same as Fortran calls it. */
int g6_open_(int* c) { return g6_open(c == NULL ? 0 : *c); }
int g6_close_(int* c) { return g6_close(*c); }
int g6_reset_(int* c) { return g6_reset(*c); }
int g6_reset_fofpga_(int* c) { return g6_reset_fofpga(*c); }
int g6_npipes_(void) { return kPipes; }
int g6_set_tunit_(int* unit) { return g6_set_tunit(*unit); }
int g6_set_xunit_(int* unit) { return g6_set_xunit(*unit); }
int g6_set_ti_(int* c, double* t) { return g6_set_ti(*c, *t); }
int g6_set_njp_(int* c, int* nj) { return g6_set_njp(*c, *nj); }
int g6_changed_index_(void) { return 0; }
int g6_print_chip_status_(int* c) { return *c < 0; }
int g6_set_j_particle_(int* c, int* address, int* index, double* t, double* dt, double* m, double* snap, double* jerk,
                       double* a, double* v, double* x) {
  return g6_set_j_particle(*c, *address, *index, *t, *dt, *m, snap, jerk, a, v, x);
}
void g6calc_firsthalf_(int* c, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3], double (*a)[3],
                       double (*jerk)[3], double* pot, double* eps2, double* h2) {
  (void)a, (void)jerk, (void)pot;
  take(*c, *nj, *ni, index, (const double(*)[3])x, (const double(*)[3])v, eps2, 0, h2);
}
void g6calc_firsthalf0_(int* c, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3], double (*a)[3],
                        double (*jerk)[3], double* pot, double* eps2, double* h2, int* mode) {
  (void)a, (void)jerk, (void)pot, (void)mode;
  take(*c, *nj, *ni, index, (const double(*)[3])x, (const double(*)[3])v, eps2, 1, h2);
}
int g6calc_lasthalf_(int* c, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3], double* eps2, double* h2,
                     double (*acc)[3], double (*jerk)[3], double* pot) {
  (void)nj, (void)ni, (void)index, (void)x, (void)v, (void)eps2, (void)h2;
  sum(*c, acc, jerk, pot, 0);
  return 0;
}
int g6calc_lasthalf2_(int* c, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3], double* eps2, double* h2,
                      double (*acc)[3], double (*jerk)[3], double* pot, int* nearest) {
  (void)nj, (void)ni, (void)index, (void)x, (void)v, (void)eps2, (void)h2;
  sum(*c, acc, jerk, pot, nearest);
  return 0;
}
int g6calc_lasthalf0_(int* c, int* nj, int* ni, int* index, double (*x)[3], double (*v)[3], double* eps2, double* h2,
                      double (*acc)[3], double (*jerk)[3], double* pot, int* mode) {
  (void)mode;
  return g6calc_lasthalf_(c, nj, ni, index, x, v, eps2, h2, acc, jerk, pot);
}
int g6_read_neighbour_list_(int* c) { return g6_read_neighbour_list(*c); }
int g6_get_neighbour_list_(int* c, int* pipe, int* most, int* length, int* list) {
  return g6_get_neighbour_list(*c, *pipe, *most, length, list);
}
