// Debye's sum for scattering by many points: b_i(q) = sum b_j sin(q r) / (q r), 1 for r = 0. Here i-particles carry the wave
// number, so that each has its own; arguments q r up to 1024.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float q;
};
struct J {
  double x[3];
  float b;
};
struct F {
  double intensity;
};

void debye(const I& i, const J& j, F& f) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const float d = j.x[k] - i.x[k];
    sum += static_cast<double>(d) * d;
  }
  const float r2 = sum;
  const float y = gdr::rsqrt(r2);
  const float qr = r2 * y * i.q;
  const float s = std::sin(qr) * gdr::reciprocal(qr);
  f.intensity += static_cast<double>(qr == 0 ? 1 : s) * j.b;
}
