// Stokes flow: velocities by the Oseen tensor, u = sum (f / r + (f.d) d / r^3), in units of 1 / (8 pi viscosity); a pair at
// distance 0 adds nothing.
#include <gdr/kernel.h>

struct I {
  double x[3];
};
struct J {
  double x[3];
  float force[3];
  float reserved;
};
struct F {
  double u[3];
};

void oseen(const I& i, const J& j, F& f) {
  float d[3];
  double sum = 0;
  double along = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    sum += static_cast<double>(d[k]) * d[k];
    along += static_cast<double>(d[k]) * j.force[k];
  }
  const float y = gdr::rsqrt(sum);
  const float g = along * (y * y);
  for (int k = 0; k < 3; ++k) {
    const float sum_k = j.force[k] + static_cast<double>(g) * d[k];
    f.u[k] += static_cast<double>(sum_k) * y;
  }
}
