// Coulomb forces with a cutoff: charges of both particles, softened by nothing; pairs beyond rcut add nothing, and a pair at
// distance 0 does not either. The potential is shifted to 0 at the cutoff.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float qi;
};
struct J {
  double x[3];
  float qj;
};
struct F {
  double force[3];
  double pot;
};
struct P {
  float rcut2;     // the cutoff's square
  float over_rcut;  // 1 / cutoff
};

void coulomb(const I& i, const J& j, F& f, const P& p) {
  float d[3];
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    sum += static_cast<double>(d[k]) * d[k];
  }
  const float r2 = sum;
  const float y = gdr::rsqrt(r2);
  const float qq = r2 < p.rcut2 && r2 > 0 ? i.qi * j.qj : 0;
  const float qy = qq * y;
  f.pot += static_cast<double>(qq) * (y - p.over_rcut);
  const float g = qy * (y * y);
  for (int k = 0; k < 3; ++k) f.force[k] -= static_cast<double>(g) * d[k];
}
