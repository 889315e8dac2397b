// SPH density with Wendland's kernel C4 in three dimensions, of support h [Dehnen and Aly 2012, table 1]:
//   W(r, h) = 495 / (32 pi h^3) (1 - q)^6 (1 + 6 q + 35/3 q^2) for q = r / h < 1
// and the sum of -h dW/dh - 3 W = q dW/dq, of which the host makes the steps of h and the factor Omega of the equations
// of motion [Springel and Hernquist 2002]. Factors that all pairs of i have in common are the host's. Beyond q = 31/32
// W is below 2e-8 of W(0), less than a short word of the sum shows, and counts as 0: so no term is lost far below its
// sum.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float over_h;  // 1 / support
};
struct J {
  double x[3];
  float m;
};
struct F {
  double w;      // sum of m W, in units of 495 35 / (32 pi 3 h^3)
  double slope;  // sum of -m q dW/dq, in units of 495 280 / (32 pi 3 h^3)
};

void sph_density_c4(const I& i, const J& j, F& f) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const float d = j.x[k] - i.x[k];
    sum += static_cast<double>(d) * d;
  }
  const float r2 = sum;
  const float q = r2 * i.over_h * gdr::rsqrt(r2);
  const float left = q < 31 / 32.0f ? 1 - q : 0;
  const float left2 = left * left;
  const float left5 = left2 * left2 * left;
  const float w = left5 * left * (3 / 35.0f + q * (18 / 35.0f + q));
  const float slope = left5 * (q * q) * (0.2f + q);
  f.w += static_cast<double>(w) * j.m;
  f.slope += static_cast<double>(slope) * j.m;
}
