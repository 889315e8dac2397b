// The screened repulsion of nuclei.
#include <gdr/kernel.h>
#include <cmath>
using Real = double;
struct I {
  Real x[3];
  Real Z;
  int id;
};
struct J {
  Real y[3];
  Real Zj;
  int jd;
};
struct F {
  Real f[3];
  Real e, v;
};
void zbl_lj(const I& i, const J& j, F& f) {
  Real d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = i.x[c] - j.y[c];
    r2 += d[c] * d[c];
  }
  if (i.id == j.jd || r2 > 4) return;
  const Real r = std::sqrt(r2);
  const Real a = Real(0.4685) / (Real(std::pow(float(i.Z), 0.23f)) + Real(std::pow(float(j.Zj), 0.23f)));
  const Real x = r / a;
  const Real e1 = Real(0.18175) * std::exp(Real(-3.1998) * x), e2 = Real(0.50986) * std::exp(Real(-0.94229) * x);
  const Real e3 = Real(0.28022) * std::exp(Real(-0.4029) * x), e4 = Real(0.02817) * std::exp(Real(-0.20162) * x);
  const Real phi = e1 + e2 + e3 + e4;
  const Real dphi = (Real(3.1998) * e1 + Real(0.94229) * e2 + Real(0.4029) * e3 + Real(0.20162) * e4) / a;
  const Real k = Real(14.4) * i.Z * j.Zj / r;
  const Real e = k * phi, g = (k * dphi + e / r) / r;
  for (int c = 0; c < 3; ++c) f.f[c] += g * d[c];
  f.e += Real(0.5) * e;
  f.v += Real(0.5) * g * r2;
}
