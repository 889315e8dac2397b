// SPH forces between gas particles with Wendland's kernel C4, which sph_density_c4.cc has, each with its own support:
//   dv_i/dt = - sum m_j (p_i grad W(h_i) + p_j grad W(h_j) + Pi_ij (grad W(h_i) + grad W(h_j)) / 2)
//   du_i/dt = sum m_j (p_i grad W(h_i) + Pi_ij (grad W(h_i) + grad W(h_j)) / 4) . (v_i - v_j)
// where p is pressure / (Omega density^2) [Springel and Hernquist 2002] and Pi_ij = -alpha w (c_i + c_j - 3 w) /
// (density_i + density_j) the viscosity for w = (v_i - v_j) . (x_i - x_j) / r < 0 [Monaghan 1997]. Beyond 31/32 of its
// support a gradient counts as 0: it is below 4e-8 of its scale there.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float v[3];
  float over_h;    // 1 / support
  float gradient;  // 495 280 / (32 pi 3 h^5): -dW/dr / r = gradient (1 - q)^5 (1/5 + q)
  float p;
  float c;  // speed of sound
  float density;
};
struct J {
  double x[3];
  float v[3];
  float over_h;
  float gradient;  // times m
  float p;
  float c;
  float density;
  float m;
};
struct F {
  double acc[3];
  double heating;
};
struct P {
  float quarter_alpha;  // alpha / 4
};

void sph_force_c4(const I& i, const J& j, F& f, const P& param) {
  float d[3];
  double sum = 0;
  double along = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = j.x[k] - i.x[k];
    const float u = j.v[k] - i.v[k];
    sum += static_cast<double>(d[k]) * d[k];
    along += static_cast<double>(u) * d[k];
  }
  const float r2 = sum;
  const float vd = along;
  const float y = gdr::rsqrt(r2);
  const float r = r2 * y;
  const float qi = r * i.over_h;
  const float qj = r * j.over_h;
  const float li = qi < 31 / 32.0f ? 1 - qi : 0;
  const float lj = qj < 31 / 32.0f ? 1 - qj : 0;
  const float li2 = li * li;
  const float lj2 = lj * lj;
  const float gi = li2 * li2 * (li * (0.2f + qi)) * (i.gradient * j.m);
  const float gj = lj2 * lj2 * (lj * (0.2f + qj)) * j.gradient;
  const float w = vd < 0 ? vd * y : 0;
  const float signal = i.c + j.c - (w + w + w);
  const float viscosity = w * signal * gdr::reciprocal(i.density + j.density);
  const float mutual = viscosity * ((gi + gj) * param.quarter_alpha);  // half of Pi times the mean gradient, negative
  const float own = i.p * gi - mutual;
  const float g = own + j.p * gj - mutual;
  for (int k = 0; k < 3; ++k) f.acc[k] -= static_cast<double>(g) * d[k];
  f.heating -= static_cast<double>(own) * vd;
}
