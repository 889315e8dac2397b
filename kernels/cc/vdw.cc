// Van der Waals forces (Lennard-Jones 12-6), the function of kernels/vdw.vsm: ej is the depth of a pair's well as j has it,
// s2 the square of the length at which its potential is zero as i has it.
#include <gdr/kernel.h>

struct I {
  double x[3];
  double eps2;
  double s2;
};
struct J {
  double x[3];
  float ej;
};
struct F {
  double force[3];
  double pot;
};

void vdw(const I& i, const J& j, F& f) {
  float d[3];
  double r2 = i.eps2;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    r2 += static_cast<double>(d[k]) * d[k];
  }
  const float y = gdr::reciprocal(r2);
  const float q = i.s2 * y;
  const float q3 = q * q * q;
  const float eq3 = q3 * j.ej;
  f.pot += static_cast<double>(eq3) * (q3 - 1);
  const float g = eq3 * y * (q3 - 0.5f);
  for (int k = 0; k < 3; ++k) f.force[k] += static_cast<double>(g) * d[k];
}

// Once, behind the sums.
void vdw_finish(F& f) {
  f.pot *= 4;
  for (int k = 0; k < 3; ++k) f.force[k] *= -48.0f;
}
