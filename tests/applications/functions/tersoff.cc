// The two-body part of Tersoff's potential, with its cutoff.
#include <gdr/kernel.h>
#include <cmath>
using Real = double;
struct I {
  Real x[3];
  int id;
};
struct J {
  Real y[3];
  int jd;
};
struct F {
  Real f[3];
  Real e, v;
};
void tersoff(const I& i, const J& j, F& f) {
  Real d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = i.x[c] - j.y[c];
    r2 += d[c] * d[c];
  }
  if (r2 > Real(2.25) || i.id == j.jd) return;
  const Real r = std::sqrt(r2);
  Real fc, dfc;
  const Real R = Real(1.2), D = Real(0.2);
  if (r < R - D) {
    fc = 1;
    dfc = 0;
  } else if (r > R + D) {
    fc = 0;
    dfc = 0;
  } else {
    const float arg = Real(1.5707963267948966) * (r - R) / D;
    fc = Real(0.5) * (1 - std::sin(arg));
    dfc = Real(-0.78539816) / D * std::cos(arg);
  }
  const Real ex = std::exp(Real(-2.2) * r);
  const Real rep = Real(500) * ex;
  const Real fr = -rep * (dfc - Real(2.2) * fc) / r;
  const Real at = Real(-100) * std::exp(Real(-1.1) * r);
  const Real fa = -at * (dfc - Real(1.1) * fc) / r;
  for (int c = 0; c < 3; ++c) f.f[c] += (fr + fa) * d[c];
  f.e += Real(0.5) * fc * rep;
  f.v += Real(0.5) * fc * at;
}
