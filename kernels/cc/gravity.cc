// Gravity, the function of kernels/gravity.vsm: acceleration and potential at i of particle j. float is a short word,
// double a long one.
#include <gdr/kernel.h>

struct I {
  double x[3];
  double eps2;
};
struct J {
  double x[3];
  float mj;
};
struct F {
  double acc[3];
  double pot;
};

void gravity(const I& i, const J& j, F& f) {
  float d[3];
  double r2 = i.eps2;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    r2 += static_cast<double>(d[k]) * d[k];
  }
  const float y = gdr::rsqrt(r2);
  const double my = static_cast<double>(y) * j.mj;
  const float my3 = my * (y * y);
  f.pot -= my;
  for (int k = 0; k < 3; ++k) f.acc[k] += static_cast<double>(my3) * d[k];
}
