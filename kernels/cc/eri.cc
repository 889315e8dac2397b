// Two-electron integrals (ss|ss): the potential of charge clouds j at clouds i. A cloud is the product of two s-type
// Gaussians, itself a Gaussian of exponent p and charge q about its centre, and two of them have the energy
//   (i|j) = q_i q_j (2 / sqrt(pi)) sqrt(rho) F0(t), rho = p_i p_j / (p_i + p_j), t = rho R^2, F0 Boys's function
// [Szabo and Ostlund 1989, appendix A]. Summed over j is (i|j) / q_i. A point charge has width 0; two of them at one
// place add nothing.
//
// With w = 1 / rho = 1/p_i + 1/p_j this is q_j / sqrt(R^2 + w s(t)), where s(t) = t (1 / erf(sqrt t)^2 - 1) falls from
// pi/4 to 0. Here s is the fourth power of a polynomial in u = R^2 / (R^2 + 7 w), fitted so that the energy is off by
// at most 1.9e-8 of itself for every t; 7 gives the least degree.
#include <gdr/kernel.h>

struct I {
  double x[3];
  float width;  // 7 / exponent
};
struct J {
  double x[3];
  float width;
  float charge;
};
struct F {
  double potential;
};

void eri(const I& i, const J& j, F& f) {
  double r2 = 0;
  for (int k = 0; k < 3; ++k) {
    const float d = j.x[k] - i.x[k];
    r2 += static_cast<double>(d) * d;
  }
  const float w = i.width + j.width;
  const float u = static_cast<float>(r2) * gdr::reciprocal(static_cast<float>(r2 + w));
  const float c[] = {0.941396255f, -0.999291901f, -1.05292367f, -0.49126644f, 0.686952666f,
                     1.56752871f,  2.81576566f,   -3.73004213f, 0.269239313f};
  // Estrin's scheme, which waits for less than Horner's
  const float u2 = u * u;
  const float u4 = u2 * u2;
  const float low = (c[0] + c[1] * u) + (c[2] + c[3] * u) * u2;
  const float high = (c[4] + c[5] * u) + (c[6] + c[7] * u) * u2;
  const float q = low + (high + c[8] * u4) * u4;
  const float q2 = q * q;
  const float w_q4 = q2 * (w * (1 / 7.0f)) * q2;
  const float y = gdr::rsqrt(r2 + w_q4);
  f.potential += static_cast<double>(y) * j.charge;
}
