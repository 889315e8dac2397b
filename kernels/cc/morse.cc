// Morse's potential of pairs, depth (e^(-2 a (r - r0)) - 2 e^(-a (r - r0))), and its force; a pair at distance 0 adds nothing.
#include <gdr/kernel.h>

struct I {
  double x[3];
};
struct J {
  double x[3];
  float depth;
};
struct F {
  double force[3];
  double pot;
};
struct P {
  float a;
  float r0;
};

void morse(const I& i, const J& j, F& f, const P& p) {
  float d[3];
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    sum += static_cast<double>(d[k]) * d[k];
  }
  const float r2 = sum;
  const float y = gdr::rsqrt(r2);
  const float r = r2 * y;
  const float e = std::exp(p.a * (p.r0 - r));
  const float depth = r2 > 0 ? j.depth : 0;
  const float de = depth * e;
  f.pot += static_cast<double>(de) * (e - 2);
  const float g = 2 * p.a * de * (1 - e) * y;
  for (int k = 0; k < 3; ++k) f.force[k] += static_cast<double>(g) * d[k];
}
