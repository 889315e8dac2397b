#include "goose_programs.h"

namespace gdr::compiler_testing {

// Pointers, a counter of long, bounds that are expressions.
const char* const kOneResult = R"(#include <math.h>
#include <stdio.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
static void potential(const double *x, const double *q, double *pot, long first, long n, double eps2) {
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(pot[i])
  for (long i = first + 1; i <= n - 2; i++)
    for (long j = 0; j < n / 2 + 3; j++) {
      double d = x[i] - x[j];
      pot[i] += q[j] / sqrt(d * d + eps2);
    }
}
int main(void) {
  double x[40], q[40], pot[40];
  for (int i = 0; i < 40; i++) x[i] = number(i), q[i] = 1 + number(i + 100), pot[i] = 7;
  potential(x, q, pot, 1, 40, 0.01);
  for (int i = 0; i < 40; i++) printf("%.17g\n", pot[i]);
  return 0;
}
)";

// As programs for GRAPE-DR were written: functions without a type, private variables of the function, and a clause
// result that names the sum which the program makes afterwards.
const char* const kOldC = R"(#pragma GCC diagnostic ignored "-Wimplicit-int"
#include <math.h>
#include <stdio.h>
static double x[60][3], m[60], pot[60], eps2 = 0.01;
#pragma goose func
double rsqrt(double r2) { return 1.0 / sqrt(r2); }
double number(n) { return (((unsigned)n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
energy(n) {
  double dx[3], r2, rinv, pot_n = 0;
  int i, j, k;
  for (i = 0; i < n; i++) pot[i] = 0.0;
#pragma goose parallel for precision (PRECISION) private(dx, r2,rinv) result (pot_n) loopcounter(i,j) nip_pack(1) // pack
  for (i=0;i<n;i++) {
    for (j=0;j<n;j++){
      for (k=0;k<3;k++) dx[k]=x[j][k]-x[i][k];
      r2=dx[0]*dx[0]+dx[1]*dx[1]+dx[2]*dx[2]+eps2;
      rinv=rsqrt(r2);
      pot[i]-=rinv*m[j];
    }
    pot[i]+=m[i]/sqrt(eps2);
    pot[i]*=m[i];
  }
  for (i = 0; i < n; i++) pot_n += pot[i];
  for (i = 0; i < n; i++) printf("%.17g %.17g\n", pot[i], pot_n / 2);
}
main() {
  int i, k;
  for (i = 0; i < 60; i++) for (m[i] = 1 + number(i), k = 0; k < 3; k++) x[i][k] = number(3 * i + k + 100);
  energy(60);
  return 0;
}
)";

// Variables of the function as they were written before C99, arrays of rank 2, macros.
const char* const kTwoResults = R"(#include <math.h>
#include <stdio.h>
#define DIM 3
#define SQUARE(a) ((a) * (a))
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
static double x[50][DIM], acc[50][DIM], pot[50], m[50];
int main(void) {
  double dx[DIM], r2, rinv, eps = 0.1;
  int i, j, k, n = 50;
  for (i = 0; i < n; i++) {
    m[i] = 1 + number(i);
    for (k = 0; k < DIM; k++) x[i][k] = number(3 * i + k + 100);
  }
#pragma goose parallel for precision (PRECISION) loopcounter(i, j) \
    result (acc[i][0..2], pot) nip_pack(1)  // as programs have it

  for (i = 0; i < n; i++) {
    for (k = 0; k < DIM; k++) acc[i][k] = 0;
    pot[i] = 0;
    for (j = 0; j < n; j++) {
      for (k = 0; k < DIM; k++) dx[k] = x[j][k] - x[i][k];
      r2 = SQUARE(dx[0]) + SQUARE(dx[1]) + SQUARE(dx[2]) + eps * eps;
      rinv = 1.0 / sqrt(r2);
      pot[i] -= m[j] * rinv;
      rinv = m[j] * rinv * rinv * rinv;
      for (k = 0; k < DIM; k++) acc[i][k] += rinv * dx[k];
    }
    pot[i] += m[i] / eps;
  }
  for (i = 0; i < n; i++) printf("%.17g %.17g %.17g %.17g\n", acc[i][0], acc[i][1], acc[i][2], pot[i]);
  printf("%d %d 0 0\n", i, j);
  return 0;
}
)";

// Sums in local variables, of which the j-loop's begin before it; float data.
const char* const kThreeResults = R"(#include <math.h>
#include <stdio.h>
static float number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0f - 0.5f; }
int main(void) {
  float x[45], y[45], m[45];
  double ax[45], ay[45], phi[45];
  for (int i = 0; i < 45; i++) x[i] = number(i), y[i] = number(i + 50), m[i] = 1 + number(i + 100);
  for (int step = 0; step < 2; step++) {
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(ax[i], ay[i], phi[i])
    for (int i = 0; i < 45; i++) {
      double sx = 0, sy = 0, sp = step;
      float xi = x[i], yi = y[i];
      for (int j = 0; j < 45; j++) {
        float dx = x[j] - xi, dy = y[j] - yi;
        float r = 1.0f / sqrtf(dx * dx + dy * dy + 0.02f);
        float f = m[j] * r * r * r;
        sp -= m[j] * r;
        sx += f * dx;
        sy += f * dy;
      }
      ax[i] = sx;
      ay[i] = sy * (1 + step);
      phi[i] = sp;
    }
    for (int i = 0; i < 45; i++) printf("%.17g %.17g %.17g\n", ax[i], ay[i], phi[i]);
  }
  return 0;
}
)";

// Least, greatest, numbers of pairs, bits; indices as data; pairs left out.
const char* const kReductions = R"(#include <math.h>
#include <stdio.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
int main(void) {
  double x[60], least[60], most[60];
  int near_[60], kind[60], seen[60];
  for (int i = 0; i < 60; i++) x[i] = number(i), kind[i] = 1 << (i % 7), near_[i] = 1, seen[i] = 0;
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(least[i], most[i], near_[i], seen[i])
  for (int i = 0; i < 60; i++) {
    double low = 1e30, high = -1e30;
    for (int j = 0; j < 60; j++) {
      if (i == j) continue;
      double d = fabs(x[j] - x[i]);
      low = fmin(low, d);
      if (d > high) high = d;
      if (d < 0.1) {
        near_[i]++;
        seen[i] |= kind[j];
      }
    }
    least[i] = low;
    most[i] = high;
  }
  for (int i = 0; i < 60; i++) printf("%.17g %.17g %d %d\n", least[i], most[i], near_[i], seen[i]);
  return 0;
}
)";

// Data of i alone, data of j alone, parameters from structures and globals, other bounds for i and j.
const char* const kDataOfOneSide = R"(#include <stdio.h>
struct box { double side; double scale[2]; };
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
static double offset = 0.25;
static const double kHalf = 0.5;
int main(void) {
  double a[20], b[33], moment[20], field[20];
  struct box box = {2.0, {3.0, -1.5}};
  struct box *shape = &box;
  for (int i = 0; i < 20; i++) a[i] = number(i), field[i] = 1;
  for (int j = 0; j < 33; j++) b[j] = number(j + 40);
#pragma goose parallel for loopcounter(i, j) precision(PRECISION)
  for (int i = 0; i < 20; i++) {
    moment[i] = 0;
    for (int j = 1; j < 33; j++) {
      for (int k = 0; k < 2; k++) moment[i] += shape->scale[k] * b[j] * box.side;
      field[i] -= a[i] * kHalf + offset;
    }
  }
  for (int i = 0; i < 20; i++) printf("%.17g %.17g\n", moment[i], field[i]);
  return 0;
}
)";

// Arrays of three numbers a particle in one run, pointers to where one begins, an allocated table of rows.
const char* const kFlatArrays = R"(#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
static void forces(const double *x, double **f, const double (*w)[2], int n) {
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(f[i][0], f[i][1], f[i][2])
  for (int i = 0; i < n; ++i) {
    const double *xi = &x[3 * i];
    double sum[3] = {0, 0, 0};
    for (int j = 0; j < n; ++j) {
      const double *xj = x + 3 * j;
      double d[3], s = w[j][0] + 0.5;
      for (int k = 0; k < 3; ++k) d[k] = x[3 * j + k] - xi[k];
      for (int k = 0; k < 3; ++k) s += d[k] * d[k] * w[j][1];
      for (int k = 0; k < 3; ++k) sum[k] += d[k] / (s + 0.1) + xj[k];
    }
    for (int k = 0; k < 3; ++k) f[i][k] = sum[k];
  }
}
int main(void) {
  double x[90], w[30][2], *f[30];
  for (int i = 0; i < 90; i++) x[i] = number(i);
  for (int i = 0; i < 30; i++) w[i][0] = 1 + number(i), w[i][1] = 2, f[i] = malloc(3 * sizeof(double));
  forces(x, f, w, 30);
  for (int i = 0; i < 30; i++) printf("%.17g %.17g %.17g\n", f[i][0], f[i][1], f[i][2]);
  return 0;
}
)";

const char* const kStructures = R"(#include <math.h>
#include <stdio.h>
typedef double real;
struct vector { real x, y; };
struct particle { struct { real x, y; } at; real mass; real force[2]; int charge; };
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
static inline real weight(real r2, real h) { return h > 0 ? h / (r2 + h) : 1; }
static struct particle p[40];
int main(void) {
  int i, j;
  struct vector d;
  for (i = 0; i < 40; i++) {
    p[i].at.x = number(i), p[i].at.y = number(i + 50), p[i].mass = 1 + number(i + 99);
    p[i].charge = i % 2 ? 1 : -1;
  }
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(p[i].force)
  for (i = 0; i < 40; i++) {
    p[i].force[0] = p[i].force[1] = 0;
    for (j = 0; j < 40; j++) {
      d.x = p[j].at.x - p[i].at.x;
      d.y = p[j].at.y - p[i].at.y;
      real w = weight(d.x * d.x + d.y * d.y, 0.125);
      if (p[i].charge == p[j].charge) w = -w;
      p[i].force[0] += p[j].mass * w * d.x;
      p[i].force[1] += p[j].mass * w * d.y;
    }
    p[i].force[0] *= p[i].mass;
  }
  for (i = 0; i < 40; i++) printf("%.17g %.17g\n", p[i].force[0], p[i].force[1]);
  return 0;
}
)";

const char* const kVectors = R"(#include <array>
#include <cmath>
#include <cstdio>
#include <vector>
namespace sim {
struct Body {
  std::array<double, 3> position;
  double mass;
  std::array<double, 3> force;
};
constexpr double kSoftening = 0.01;
class Forces {
 public:
  explicit Forces(double cutoff) : cutoff_(cutoff) {}
  double compute(std::vector<Body>& bodies, std::vector<double>& nearest) {
    double energy = 0;
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(bodies[i].force, nearest[i], energy)
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Body& self = bodies[i];
      double best = 1e30;
      for (int k = 0; k < 3; ++k) self.force[k] = 0;
      for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (i == j) continue;
        const auto& other = bodies[j];
        const double dx = other.position[0] - bodies[i].position[0];
        const double dy = other.position[1] - bodies[i].position[1];
        const double dz = other.position[2] - bodies[i].position[2];
        const double r2 = dx * dx + dy * dy + dz * dz + kSoftening;
        best = std::min(best, r2);
        if (r2 > cutoff_) continue;
        const auto rinv = 1 / std::sqrt(r2);
        energy -= other.mass * rinv;
        const double f = other.mass * rinv * rinv * rinv;
        bodies[i].force[0] += f * dx;
        bodies[i].force[1] += f * dy;
        bodies[i].force[2] += f * dz;
      }
      nearest[i] = std::sqrt(best);
    }
    return energy;
  }

 private:
  double cutoff_;
};
}  // namespace sim
int main() {
  std::vector<sim::Body> bodies(40);
  std::vector<double> nearest(bodies.size());
  unsigned n = 0;
  const auto number = [&] { return ((++n * 2654435761u) >> 8) / 16777216.0 - 0.5; };
  for (auto& body : bodies) {
    for (double& x : body.position) x = number();
    body.mass = 1 + number();
  }
  const double energy = sim::Forces(0.3).compute(bodies, nearest);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto& f = bodies[i].force;
    std::printf("%.17g %.17g %.17g %.17g %.17g\n", f[0], f[1], f[2], nearest[i], energy);
  }
}
)";

// A sum over all pairs, and what the host adds to it behind the loop over j.
const char* const kTotals = R"(#include <math.h>
#include <stdio.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
int main(void) {
  double x[50], energy = 1, kinetic = 0, greatest = 0;
  long pairs = 0;
  for (int i = 0; i < 50; i++) x[i] = number(i);
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(energy, kinetic, pairs, greatest)
  for (int i = 0; i < 50; i++) {
    if (x[i] < -0.4) continue;
    for (int j = 0; j < 50; j++) {
      if (j < i) {
        double d = x[j] - x[i];
        energy += d * d;
        greatest = fmax(greatest, d);
        pairs += 1;
      }
    }
    kinetic += x[i] * x[i];
  }
  printf("%.17g %.17g %ld %.17g\n", energy, kinetic, pairs, greatest);
  return 0;
}
)";

const char* const kConditions = R"(#include <math.h>
#include <stdio.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
int main(void) {
  double x[40], s[40], t[40];
  short type[40];
  _Bool odd[40];
  for (int i = 0; i < 40; i++) x[i] = number(i), s[i] = t[i] = 0, type[i] = i % 3, odd[i] = i % 2;
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(s[i], t[i])
  for (int i = 0; i < 40; i++) {
    for (int j = 0; j < 40; j++) {
      double d = x[j] - x[i], w;
      if (odd[j] && d > 0)
        w = d * 2;
      else
        w = d > -0.25 ? 0.25 : -d;
      switch (type[i]) {
        case 0: s[i] += w; break;
        default: t[i] += w * w;
      }
    }
  }
  for (int i = 0; i < 40; i++) printf("%.17g %.17g\n", s[i], t[i]);
  return 0;
}
)";

// The nearest and the farthest one of another kind, each with its number; positions are exact in all words.
const char* const kNearest = R"(#include <stdio.h>
int main(void) {
  static double x[90][3], nearest[90], farthest[90];
  static int who[90], far[90], kind[90];
  for (int i = 0; i < 90; i++) {
    for (int k = 0; k < 3; k++) x[i][k] = (double)(((3 * i + k + 1) * 2654435761u) >> 21) / 1024;
    kind[i] = i % 4;
  }
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(nearest[i], who[i], farthest[i], far[i])
  for (int i = 0; i < 90; i++) {
    nearest[i] = 1e30;
    who[i] = -1;
    farthest[i] = -1;
    far[i] = i < 3 ? -1 : 7;
    for (int j = 0; j < 90; j++) {
      if (i == j || kind[j] == 3) continue;
      double r2 = 0;
      for (int k = 0; k < 3; k++) r2 += (x[j][k] - x[i][k]) * (x[j][k] - x[i][k]);
      if (r2 < nearest[i]) {
        nearest[i] = r2;
        who[i] = j;
      }
      if (r2 > farthest[i] && kind[i] != kind[j]) farthest[i] = r2, far[i] = 2 * j + 1;
    }
  }
  for (int i = 0; i < 90; i++) printf("%.17g %d %.17g %d\n", nearest[i], who[i], farthest[i], far[i]);
  return 0;
}
)";

// Tables at constants, counters, indices of data and of both sides: constants of the file, of the pair, and arrays that
// the program fills.
const char* const kTables = R"(#include <math.h>
#include <stdio.h>
static const double c[4] = {1.5, -2, 3.25, 0.5};
static const float narrow[4] = {1.5f, -2.125f, 3.25f, 0.75f};
static const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const struct { double a; int n; } both[3] = {{1, 2}, {0.25, 5}, {7, 8}};
static double eps[4][4], sigma[4] = {1, 1.5, 2, 3};
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
int main(void) {
  double x[40], q[40], s[40], t[40], u[40], v[40], local[4] = {3, 1, 4, 1}, d[3];
  int type[40], k;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) eps[i][j] = i + 4 * j + 0.5;
  for (int i = 0; i < 40; i++) {
    x[i] = number(i), q[i] = 1 + number(i + 100), type[i] = i * 7 % 4;
    s[i] = t[i] = u[i] = v[i] = 0;
  }
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(s[i], t[i], u[i], v[i])
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      static const double weights[3] = {1, 2, 4};
      double h[4] = {0, 0.5}, r = 0;
      s[i] += eps[type[i]][type[j]] * sigma[type[i]] * sigma[type[j]] * (x[i] - x[j]);
      k = type[i] + type[j];
      if (k > 3) k = 3;
      t[i] += c[k] * q[j] + narrow[k] + local[k] + weights[type[j] % 3];
      for (int n = 3; n >= 0; n--) r = r * (x[i] - x[j]) + c[n];
      k = (type[i] + type[j]) % 3;
      u[i] += r + both[k].a * q[j] + both[k].n + rows[type[j] & 1][k] + rows[1][2];
      h[type[j]] += q[j];
      h[type[i]] += 2;
      for (int n = 0; n < 3; n++) d[n] = h[n] + h[n + 1];
      v[i] += d[k] - d[0];
    }
  for (int i = 0; i < 40; i++) printf("%.17g %.17g %.17g %.17g\n", s[i], t[i], u[i], v[i]);
  return 0;
}
)";

// Loops of the pair that end early, or leave turns out; counters that are read behind them.
const char* const kLoopsThatEnd = R"(#include <math.h>
#include <stdio.h>
static double number(unsigned n) { return ((n * 2654435761u) >> 8) / 16777216.0 - 0.5; }
int main(void) {
  double x[40][3], s[40], t[40], u[40], v[40], r, d[3];
  int type[40], k, l;
  for (int i = 0; i < 40; i++) {
    for (k = 0; k < 3; k++) x[i][k] = number(3 * i + k);
    type[i] = i * 7 % 4, s[i] = t[i] = u[i] = v[i] = 0;
  }
#pragma goose parallel for loopcounter(i, j) precision(PRECISION) result(s[i], t[i], u[i], v[i])
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      r = 0;
      for (k = 0; k < 3; k++) {
        d[k] = x[i][k] - x[j][k];
        if (d[k] < -0.3) continue;
        if (d[k] > 0.4) break;
        r += d[k] * d[k];
      }
      s[i] += r + 10 * k;
      for (l = 0; l < 4; l++) {
        switch ((type[j] + l) & 3) {
          case 0: continue;
          case 1: t[i] += 1; break;
          case 2: t[i] += x[j][0]; /* fall through */
          default: t[i] += 0.25;
        }
        t[i] += l;
      }
      for (int n = 0; n < 3; n++) {
        for (int m = 2; m >= 0; m--) {
          if (x[j][m] > x[i][n]) break;
          u[i] += x[j][m];
        }
        if (x[i][n] > 0.3) break;
        u[i] += 1;
      }
      if (i == j) continue;
      for (k = 2; k > 0; --k)
        if (x[j][k] > 0) break;
      v[i] += k;
    }
  for (int i = 0; i < 40; i++) printf("%.17g %.17g %.17g %.17g\n", s[i], t[i], u[i], v[i]);
  return 0;
}
)";

}  // namespace gdr::compiler_testing
