// The Gay-Berne potential of equal molecules, without torques.
#include <gdr/kernel.h>
#include <cmath>
using Real = double;
struct I {
  Real x[3];
  Real o[3];
  int id;
};
struct J {
  Real y[3];
  Real p[3];
  int jd;
};
struct F {
  Real f[3];
  Real e;
};
void gayberne(const I& i, const J& j, F& f) {
  Real d[3], r2 = 0;
  for (int c = 0; c < 3; ++c) {
    d[c] = i.x[c] - j.y[c];
    r2 += d[c] * d[c];
  }
  if (i.id == j.jd || r2 > 16) return;
  const Real r = std::sqrt(r2), ri = 1 / r;
  Real a = 0, b = 0, c = 0;
  for (int k = 0; k < 3; ++k) {
    a += i.o[k] * d[k];
    b += j.p[k] * d[k];
    c += i.o[k] * j.p[k];
  }
  a *= ri;
  b *= ri;
  const Real chi = Real(0.2), chp = Real(0.1);
  const Real ap = (a + b), am = (a - b);
  const Real g = 1 - Real(0.5) * chi * (ap * ap / (1 + chi * c) + am * am / (1 - chi * c));
  const Real sig = 1 / std::sqrt(g);
  const Real e1 = 1 / std::sqrt(1 - chi * chi * c * c);
  const Real e2 = 1 - Real(0.5) * chp * (ap * ap / (1 + chp * c) + am * am / (1 - chp * c));
  const Real ep = e1 * e2 * e2;
  const Real rho = 1 / (r - sig + 1);
  const Real r3 = rho * rho * rho, r6 = r3 * r3;
  const Real u = 4 * ep * (r6 * r6 - r6);
  Real fr = 0;
  if (r < 3) fr = 24 * ep * (2 * r6 * r6 - r6) * rho * ri;
  for (int k = 0; k < 3; ++k) f.f[k] += fr * d[k];
  f.e += u;
}
