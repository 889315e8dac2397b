/* The part of the GRAPE-5 library that g5_clients.c calls, in double sums over all pairs. Shares nothing with libg5. */
#include <math.h>
#include <string.h>

#include "g5nbutil.h"

enum { kMostJ = 4096, kMostI = 4096, kPipes = 128 };
static double eps = 0, m_of[kMostJ], x_of[kMostJ][3], at[kMostI][3];
static int nj = 0;

void g5_open(void) { nj = 0; }
void g5_close(void) {}
int g5_get_number_of_pipelines(void) { return kPipes; }
int g5_get_jmemsize(void) { return 300; } /* less than all particles, as a small card has */
void g5_set_range(double low, double high, double least_mass) { (void)low, (void)high, (void)least_mass; }
void g5_set_eta(double eta) { (void)eta; }
void g5_set_eps_to_all(double to) { eps = to; }
void g5_set_n(int n) { nj = n; }
void g5_set_xmj(int adr, int n, double (*x)[3], double* m) {
  memcpy(m_of + adr, m, sizeof m_of[0] * (size_t)n);
  memcpy(x_of + adr, x, sizeof x_of[0] * (size_t)n);
}
void g5_set_jp(int adr, int n, double* m, double (*x)[3]) { g5_set_xmj(adr, n, x, m); }
void g5_set_xi(int ni, double (*x)[3]) { memcpy(at, x, sizeof at[0] * (size_t)ni); }
void g5_run(void) {}
void g5_get_force(int ni, double (*a)[3], double* p) {
  for (int i = 0; i < ni; ++i) {
    a[i][0] = a[i][1] = a[i][2] = p[i] = 0;
    for (int j = 0; j < nj; ++j) {
      double d[3], r2 = eps * eps;
      for (int k = 0; k < 3; ++k) {
        d[k] = x_of[j][k] - at[i][k];
        r2 += d[k] * d[k];
      }
      if (r2 == 0) continue;
      const double m_by_r = m_of[j] / sqrt(r2);
      p[i] += m_by_r;
      for (int k = 0; k < 3; ++k) a[i][k] += m_by_r / r2 * d[k];
    }
  }
}
void g5_calculate_force_on_x(double (*x)[3], double (*a)[3], double* p, int ni) {
  g5_set_xi(ni, x);
  g5_run();
  g5_get_force(ni, a, p);
}
void g5_set_nMC(int device, int n) { (void)device, g5_set_n(n); }
void g5_set_xmjMC(int device, int adr, int n, double (*x)[3], double* m) { (void)device, g5_set_xmj(adr, n, x, m); }
void g5_set_xiMC(int device, int n, double (*x)[3]) { (void)device, g5_set_xi(n, x); }
void g5_runMC(int device) { (void)device; }
void g5_get_forceMC(int device, int n, double (*a)[3], double* p) { (void)device, g5_get_force(n, a, p); }
