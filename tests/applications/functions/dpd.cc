// Dissipative particle dynamics: the pair's random number is made of its numbers.
#include <gdr/kernel.h>
#include <cmath>
using Real = double;
struct I {
  Real x[3];
  Real v[3];
  int id;
};
struct J {
  Real y[3];
  Real u[3];
  int jd;
};
struct F {
  Real f[3];
  Real e;
};
void dpd(const I& i, const J& j, F& f) {
  Real d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = i.x[c] - j.y[c];
    r2 += d[c] * d[c];
  }
  if (r2 >= 1 || i.id == j.jd) return;
  const Real r = std::sqrt(r2);
  if (r < Real(1e-10)) return;
  const Real ri = 1 / r;
  Real dot = 0;
  for (int c = 0; c < 3; ++c) dot += d[c] * (i.v[c] - j.u[c]);
  const Real wd = 1 - r;
  unsigned lo = i.id < j.jd ? i.id : j.jd, hi = i.id < j.jd ? j.jd : i.id;
  unsigned h = lo * 7919u + hi * 104729u;
  h ^= h >> 13;
  h *= 40503u;
  h ^= h >> 11;
  const Real rnd = Real(int(h & 0xffff)) * Real(1.52587890625e-05) - Real(0.5);
  Real fp = 25 * wd;
  fp -= Real(4.5) * wd * wd * dot * ri;
  fp += 3 * wd * rnd * Real(7.07);
  fp *= ri;
  for (int c = 0; c < 3; ++c) f.f[c] += d[c] * fp;
  f.e += Real(0.5) * 25 * (Real(0.5) * wd * wd);
}
