// Three equal masses, each experiment from its own start to its own time: fourth-order Hermite scheme [Makino and
// Aarseth 1992] with a step size for each experiment, h = eta (sum of 1/r^3)^-1/2 over the three pairs. G = m = 1.
// Coordinates are relative to the first body: words 0 to 2 of an array are the second body's, 3 to 5 the third's.
// encounter.vsm is the same scheme, written by hand. docs/kernels/experiments.md
#include <gdr/kernel.h>

struct Start {
  double from_x[6], from_v[6];
  double until;  // the experiment is done when t is no longer before this time
};
struct State {
  double x[6], v[6];
  float a[6], g[6];  // acceleration and its derivative
  double t, until;
  float h;  // next step size
};
struct Result {
  double x[6], v[6], t;
};
struct Parameters {
  float eta;
};

struct Forces {
  double a[6], g[6];
  float density;  // sum of 1/r^3 over the pairs
};

/// What a pair at distance d with relative velocity u adds: force and its derivative, by factors of d and of u.
template <class Add>
inline void add_pair(const float* d, const float* u, Forces& forces, Add add) {
  double r2 = 0, du = 0;
  for (int k = 0; k < 3; ++k) {
    r2 += static_cast<double>(d[k]) * d[k];
    du += static_cast<double>(d[k]) * u[k];
  }
  const float y = gdr::rsqrt(static_cast<float>(r2));
  const float y2 = y * y;
  const float y3 = y * y2;
  const float along = 3 * static_cast<float>(du) * y2;
  forces.density += y3;
  for (int k = 0; k < 3; ++k) {
    const double pull = static_cast<double>(y3) * d[k];
    const float drift = u[k] - along * d[k];
    add(k, pull, static_cast<double>(y3) * drift);
  }
}

inline Forces forces_at(const double* x, const double* v) {
  Forces f = {};
  float d[3], u[3];
  for (int k = 0; k < 3; ++k) d[k] = x[k], u[k] = v[k];
  add_pair(d, u, f, [&](int k, double a, double g) {
    f.a[k] = -a - a, f.g[k] = -g - g;
    f.a[3 + k] = -a, f.g[3 + k] = -g;
  });
  for (int k = 0; k < 3; ++k) d[k] = x[3 + k], u[k] = v[3 + k];
  add_pair(d, u, f, [&](int k, double a, double g) {
    f.a[k] -= a, f.g[k] -= g;
    f.a[3 + k] -= a + a, f.g[3 + k] -= g + g;
  });
  for (int k = 0; k < 3; ++k) d[k] = x[3 + k] - x[k], u[k] = v[3 + k] - v[k];
  add_pair(d, u, f, [&](int k, double a, double g) {
    f.a[k] += a, f.g[k] += g;
    f.a[3 + k] -= a, f.g[3 + k] -= g;
  });
  return f;
}

void begin(const Start& start, State& state, const Parameters& p) {
  const Forces f = forces_at(start.from_x, start.from_v);
  for (int k = 0; k < 6; ++k) {
    state.x[k] = start.from_x[k];
    state.v[k] = start.from_v[k];
    state.a[k] = f.a[k];
    state.g[k] = f.g[k];
  }
  state.t = 0;
  state.until = start.until;
  state.h = p.eta * gdr::rsqrt(f.density);
}

void step(State& s, const Parameters& p) {
  const float h = s.h, h2 = 0.5F * h, h3 = h * 0.333333333F, h12 = h * h * 0.0833333333F;
  double x[6], v[6];
  for (int k = 0; k < 6; ++k) {
    x[k] = s.x[k] + h * (s.v[k] + h2 * (s.a[k] + h3 * s.g[k]));
    v[k] = s.v[k] + h * (s.a[k] + h2 * s.g[k]);
  }
  const Forces f = forces_at(x, v);
  for (int k = 0; k < 6; ++k) {
    const double moved = s.v[k] + h2 * (s.a[k] + f.a[k]) + h12 * (s.g[k] - f.g[k]);
    s.x[k] += h2 * (s.v[k] + moved) + h12 * (s.a[k] - f.a[k]);
    s.v[k] = moved;
    s.a[k] = f.a[k];
    s.g[k] = f.g[k];
  }
  s.t += h;
  s.h = p.eta * gdr::rsqrt(f.density);
}

bool done(const State& s, const Parameters&) { return s.t >= s.until; }

void end(const State& s, Result& result) {
  for (int k = 0; k < 6; ++k) {
    result.x[k] = s.x[k];
    result.v[k] = s.v[k];
  }
  result.t = s.t;
}
