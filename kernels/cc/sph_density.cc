// SPH density with the cubic spline of Monaghan and Lattanzio (1985) in three dimensions, its derivative by the smoothing length
// left out: sum m w(q) / h^3 with q = r / h, w = (1/pi) (1 - 1.5 q^2 + 0.75 q^3) up to 1, (2 - q)^3 / (4 pi) up to 2.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float over_h;  // 1 / smoothing length
};
struct J {
  double x[3];
  float m;
};
struct F {
  double density;
  int neighbours;
};

void sph_density(const I& i, const J& j, F& f) {
  float d[3];
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    sum += static_cast<double>(d[k]) * d[k];
  }
  const float r2 = sum;
  const float q = r2 * gdr::rsqrt(r2) * i.over_h;
  const float left = std::fmax(2 - q, 0.0f);
  const float inner = std::fmax(1 - q, 0.0f);
  // (2 - q)^3 / 4 - (1 - q)^3 is the spline's inner part, too
  const float w = 0.25f * (left * left * left) - inner * inner * inner;
  const float hw = w * (i.over_h * i.over_h * i.over_h) * 0.318309886f;
  f.density += static_cast<double>(hw) * j.m;
  f.neighbours += q < 2 ? 1 : 0;
}
