/* A user's C program: the generated host interface of gravity_jerk.vsm, compiled and called as C, against the same sums
   in plain C. Exit status 0 if every result is within rounding. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gravity_jerk_grape.h"

enum { kParticles = 40 };
static const double kTime = 0.75;
static const double kEps2 = 1.0 / 1024;

static int failed(int status, const char* call) {
  if (status != 0) fprintf(stderr, "%s: %s\n", call, gravity_jerk_strerror(status));
  return status != 0;
}

static void make_particles(gravity_jerk_j_particle* j, gravity_jerk_i_particle* i) {
  for (int n = 0; n < kParticles; ++n) {
    j[n] = (gravity_jerk_j_particle){.indexj = n, .tj = 0.5, .mj = 0.025};
    i[n] = (gravity_jerk_i_particle){.indexi = n, .eps2 = kEps2};
    for (int k = 0; k < 3; ++k) {
      j[n].xj[k] = sin(1.3 * n + 2.1 * k);
      j[n].vj[k] = cos(0.7 * n + 1.7 * k);
      i[n].xi[k] = j[n].xj[k] + 0.25 * j[n].vj[k];
      i[n].vi[k] = j[n].vj[k];
    }
  }
}

/* Sums over all particles but the one with i's own index, and the scales that errors are measured by. */
static int within_rounding(const gravity_jerk_i_particle* i, const gravity_jerk_j_particle* j,
                           const gravity_jerk_result* result) {
  double acc[3] = {0}, jerk[3] = {0}, pot = 0, acc_scale = 0, jerk_scale = 0;
  for (int n = 0; n < kParticles; ++n) {
    double d[3], u[3], r2 = i->eps2, d_u = 0, products = 0, d2 = 0, u2 = 0;
    if (j[n].indexj == i->indexi) continue;
    for (int k = 0; k < 3; ++k) {
      d[k] = j[n].xj[k] + (kTime - j[n].tj) * j[n].vj[k] - i->xi[k];
      u[k] = j[n].vj[k] - i->vi[k];
      d2 += d[k] * d[k];
      u2 += u[k] * u[k];
      d_u += d[k] * u[k];
      products += fabs(d[k] * u[k]);
    }
    r2 += d2;
    const double m_by_r3 = j[n].mj / (r2 * sqrt(r2));
    for (int k = 0; k < 3; ++k) {
      acc[k] += m_by_r3 * d[k];
      jerk[k] += m_by_r3 * (u[k] - 3 * d_u / r2 * d[k]);
    }
    pot -= j[n].mj / sqrt(r2);
    acc_scale += m_by_r3 * sqrt(d2);
    jerk_scale += m_by_r3 * (sqrt(u2) + 3 * sqrt(d2) * products / r2);
  }
  /* 36 roundings to a short word's 25 bits are more than the kernel's longest chain has. */
  const double bound = 36 * ldexp(1, -25);
  int good = fabs(result->pot - pot) <= bound * fabs(pot);
  for (int k = 0; k < 3; ++k) {
    good = good && fabs(result->acc[k] - acc[k]) <= bound * acc_scale;
    good = good && fabs(result->jerk[k] - jerk[k]) <= bound * jerk_scale;
  }
  return good;
}

int main(void) {
  static gravity_jerk_j_particle j[kParticles];
  static gravity_jerk_i_particle i[kParticles];
  static gravity_jerk_result result[kParticles];
  double seconds = 0;
  int64_t events[3];
  make_particles(j, i);
  if (gravity_jerk_grape_run(kParticles) == 0) {
    fprintf(stderr, "a run before init did not fail\n");
    return 1;
  }
  if (strcmp(gravity_jerk_message(), "the kernel is not initialised") != 0) {
    fprintf(stderr, "a run before init says: %s\n", gravity_jerk_message());
    return 1;
  }
  if (failed(gravity_jerk_grape_init(), "init")) return 1;
  if (failed(gravity_jerk_set_ti(kTime), "set_ti")) return 1;
  if (failed(gravity_jerk_send_elt_data0(j, 0, kParticles), "send_elt_data0")) return 1;
  if (failed(gravity_jerk_send_i_particle(i, kParticles), "send_i_particle")) return 1;
  if (failed(gravity_jerk_grape_start(kParticles), "start")) return 1;
  if (failed(gravity_jerk_grape_wait(), "wait")) return 1;
  if (failed(gravity_jerk_get_result(result, kParticles), "get_result")) return 1;
  if (failed(gravity_jerk_emulated_seconds(&seconds), "emulated_seconds")) return 1;
  if (failed(gravity_jerk_events(events), "events")) return 1;
  if (!(seconds > 0) || events[0] != 0 || events[1] != 0) {
    fprintf(stderr, "%g emulated seconds, %d invalid operations, %d overflows\n", seconds, (int)events[0],
            (int)events[1]);
    return 1;
  }
  if (failed(gravity_jerk_grape_close(), "close")) return 1;
  int bad = 0;
  for (int n = 0; n < kParticles; ++n) {
    if (within_rounding(&i[n], j, &result[n])) continue;
    fprintf(stderr, "i-particle %d differs: pot %.17g\n", n, result[n].pot);
    ++bad;
  }
  return bad == 0 ? 0 : 1;
}
