// A sum like that of two-electron integrals over s-type Gaussians: (p_i p_j)^(-1/2) ... F0(t) with t = pq/(p+q) R^2, where
// F0 is approximated by the rational function 1 / sqrt(1 + 4 t / pi), exact at t = 0 and for large t.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float p;  // exponent
  float c;  // coefficient
};
struct J {
  double x[3];
  float q;
  float cj;
};
struct F {
  double energy;
};

void repulsion(const I& i, const J& j, F& f) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const float d = j.x[k] - i.x[k];
    sum += static_cast<double>(d) * d;
  }
  const float both = i.p + j.q;
  const float product = i.p * j.q;
  const float t = sum * (product / both);
  const float f0 = gdr::rsqrt(1 + 1.27323954f * t);
  const float weight = gdr::rsqrt(both) * gdr::reciprocal(product);
  f.energy += static_cast<double>(weight * f0) * (i.c * j.cj);
}
