// Iterations of z <- z^2 + c with a fixed number of turns: i holds c, j a starting value; counted is how many of 16 turns stay
// within |z| <= 2, over all starting values.
#include <gdr/kernel.h>

struct I {
  float re;
  float im;
};
struct J {
  float z_re;
  float z_im;
};
struct F {
  int turns;
};

void mandelbrot(const I& i, const J& j, F& f) {
  float a = j.z_re;
  float b = j.z_im;
  int inside = 0;
  for (int turn = 0; turn < 16; ++turn) {
    const float aa = a * a;
    const float bb = b * b;
    inside += aa + bb <= 4 ? 1 : 0;
    b = std::fmin(std::fmax(2 * a * b + i.im, -1e8f), 1e8f);
    a = std::fmin(std::fmax(aa - bb + i.re, -1e8f), 1e8f);
  }
  f.turns += inside;
}
