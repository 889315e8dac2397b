// Gravity for gdr: gdr run gravity.cc --i I.CSV --j J.CSV --param eps2=0.0625
#include <gdr/kernel.h>

struct I {
  double xi[3];
};
struct J {
  double xj[3];
  float mj;
};
struct F {
  double acc[3];
  double pot;
};
struct P {
  double eps2;
};

void gravity(const I& i, const J& j, F& f, const P& p) {
  float d[3];
  double r2 = p.eps2;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.xj[k] - i.xi[k];
    r2 += static_cast<double>(d[k]) * d[k];
  }
  const float y = gdr::rsqrt(r2);
  const double my = static_cast<double>(y) * j.mj;
  const float my3 = my * (y * y);
  f.pot -= my;
  for (int k = 0; k < 3; ++k) f.acc[k] += static_cast<double>(my3) * d[k];
}
