// Gravity with its time derivative for individual time steps, the function of kernels/gravity_jerk.vsm: j-particles are
// predicted to time ti by a polynomial, aby2 = a/2, a1by6 = jerk/6, a2by18 = snap/18.
#include <gdr/kernel.h>

struct I {
  double x[3];
  double v[3];
  double eps2;
  int index;
  double reserved;
};
struct J {
  int index;
  double tj;
  float mj;
  double x[3];
  double v[3];
  double aby2[3];
  double a1by6[3];
  double a2by18[3];
  double reserved[2];
};
struct F {
  double acc[3];
  double jerk[3];
  double pot;
  double reserved_result;
};
struct P {
  double ti;
};

void gravity_jerk(const I& i, const J& j, F& f, const P& p) {
  const float dt = p.ti - j.tj;
  const float h = dt * 0.75f;
  float d[3];
  float u[3];
  double r2 = i.eps2;
  for (int k = 0; k < 3; ++k) {
    const double s3 = j.a2by18[k] * h;
    const double b2 = j.a1by6[k] + s3;
    const double c2 = b2 + s3;
    const double b1 = j.aby2[k] + b2 * dt;
    const double b0 = j.v[k] + b1 * dt;
    const double c1 = b1 + c2 * dt;
    d[k] = j.x[k] + b0 * dt - i.x[k];
    u[k] = b0 + c1 * dt - i.v[k];
    r2 += static_cast<double>(d[k]) * d[k];
  }
  const float y = gdr::rsqrt(r2);
  const float yy = y * y;
  const float m = i.index == j.index ? 0 : j.mj;
  const float du = static_cast<double>(d[0]) * u[0] + static_cast<double>(d[1]) * u[1] + static_cast<double>(d[2]) * u[2];
  const float q = du * 3.0f * yy;
  const double my = static_cast<double>(y) * m;
  const float my3 = my * yy;
  f.pot -= my;
  for (int k = 0; k < 3; ++k) {
    const float w = u[k] - static_cast<double>(q) * d[k];
    f.acc[k] += static_cast<double>(my3) * d[k];
    f.jerk[k] += static_cast<double>(my3) * w;
  }
}
