// The real part of Ewald's sum and a Lennard-Jones potential, each with a cutoff, and weights of bonded pairs.
#include <gdr/kernel.h>
#include <cmath>
using Real = double;
struct I {
  Real x[3];
  Real q;
  int id;
};
struct J {
  Real y[3];
  Real p;
  int jd;
};
struct F {
  Real f[3];
  Real e, v;
};
void ewald_table(const I& i, const J& j, F& f) {
  Real d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = i.x[c] - j.y[c];
    r2 += d[c] * d[c];
  }
  if (i.id == j.jd) return;
  if (r2 >= Real(1.44)) return;
  const Real rinv = 1 / std::sqrt(r2);
  const Real r = r2 * rinv;
  const Real x = Real(2.5) * r;
  const Real t = 1 / (1 + Real(0.3275911) * x);
  const Real ex = std::exp(-x * x);
  const Real er =
      t *
      (Real(0.254829592) +
       t * (Real(-0.284496736) + t * (Real(1.421413741) + t * (Real(-1.453152027) + t * Real(1.061405429))))) *
      ex;
  const Real special = i.id / 4 == j.jd / 4 ? Real(0.5) : Real(1);
  const Real pre = i.q * j.p * rinv;
  Real fo = pre * (er + Real(1.12837917) * x * ex);
  if (special < 1) fo -= (1 - special) * pre;
  Real s6 = 0, elj = 0, flj = 0;
  if (r2 < 1) {
    const Real r2i = rinv * rinv;
    s6 = r2i * r2i * r2i * Real(0.001);
    flj = special * s6 * (48 * s6 - 24);
    elj = special * 4 * s6 * (s6 - 1);
  }
  const Real fp = (fo + flj) * rinv * rinv;
  for (int c = 0; c < 3; ++c) f.f[c] += fp * d[c];
  f.e += Real(0.5) * (pre * er - (1 - special) * pre);
  f.v += Real(0.5) * elj;
}
