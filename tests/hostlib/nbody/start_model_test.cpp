#include "gdr/hostlib/start_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "gdr/hostlib/king.h"
#include "gdr/hostlib/plummer.h"
#include "nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::worse;

constexpr std::size_t kDrawn = 4096;
// Kolmogorov's bound at the 0.1 % level.
const double kKolmogorov = 1.95 / std::sqrt(static_cast<double>(kDrawn));

StartModel model_of(StartKind kind, std::size_t n, std::uint64_t seed = 1) {
  StartModel model;
  model.kind = kind;
  model.particles = n;
  model.seed = seed;
  return model;
}

StartModel king_of(double w0, std::size_t n) {
  StartModel model = model_of(StartKind::king, n);
  model.w0 = w0;
  return model;
}

double integral(double from, double to, const std::function<double(double)>& f) {
  constexpr int kIntervals = 4000;  // Simpson's rule
  const double h = (to - from) / kIntervals;
  double sum = f(from) + f(to);
  for (int n = 1; n < kIntervals; ++n) sum += (n % 2 == 1 ? 4.0 : 2.0) * f(from + n * h);
  return sum * h / 3.0;
}

/// Largest distance between the distribution of `values` and `cumulative`.
double kolmogorov_distance(std::vector<double> values, const std::function<double(double)>& cumulative) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double expected = cumulative(values[k]);
    distance = worse(distance, expected - static_cast<double>(k) / n);
    distance = worse(distance, static_cast<double>(k + 1) / n - expected);
  }
  return distance;
}

std::vector<double> radii_of(const Particles& p) {
  std::vector<double> radii;
  for (const Vec3& x : p.position) radii.push_back(norm(x));
  return radii;
}

/// log10 of tidal radius by r0, on its own way: W is the variable and x^2 and M / x^3 are the unknowns, which are
/// smooth at the centre; steps of W by extrapolated midpoint rules (Gragg, Bulirsch and Stoer); the density in closed
/// form.
double concentration_by_extrapolation(double w0) {
  using Real = long double;
  using State = std::array<Real, 2>;  // u = x^2, m = M / x^3
  const auto density = [](Real w) {
    const Real root = std::sqrt(std::max<Real>(w, 0));
    return std::exp(w) * std::erf(root) - 2 * root / std::sqrt(std::numbers::pi_v<Real>) * (1 + 2 * w / 3);
  };
  const Real central = density(w0);
  const auto derivative = [&](Real w, const State& y) {
    const auto& [u, m] = y;
    return State{-2 / m, (3 - 9 * density(w) / central / m) / u};
  };
  const auto midpoint = [&](Real w, const State& y, Real h, int parts) {
    const Real step = h / parts;
    State before = y;
    const State first = derivative(w, y);
    State now{y[0] + step * first[0], y[1] + step * first[1]};
    for (int n = 1; n < parts; ++n) {
      const State slope = derivative(w + n * step, now);
      const State after{before[0] + 2 * step * slope[0], before[1] + 2 * step * slope[1]};
      before = now;
      now = after;
    }
    const State last = derivative(w + h, now);
    return State{(now[0] + before[0] + step * last[0]) / 2, (now[1] + before[1] + step * last[1]) / 2};
  };
  // To the second order in u: density = 1 - 3/2 slope u, m = 3 - 27/10 slope u, W = W0 - 3/2 u + 27/40 slope u^2.
  constexpr Real kFirst = 1e-6L;
  constexpr Real kDifference = 1e-4L;
  const Real slope = (density(w0 + kDifference) - density(w0 - kDifference)) / (2 * kDifference * central);
  State y{kFirst, 3 - 2.7L * slope * kFirst};
  Real w = w0 - 1.5L * kFirst + 0.675L * slope * kFirst * kFirst;
  // Steps shrink towards both ends: at the centre the unknowns are quotients of small numbers, and at the edge the
  // density has a root.
  constexpr int kSteps = 600;
  const Real begin = w;
  for (int n = 0; n < kSteps; ++n) {
    const auto at = [&](int k) {
      const Real s = static_cast<Real>(k) / kSteps;
      return begin * (1 - s * s * (3 - 2 * s));
    };
    const Real h = at(n + 1) - at(n);
    constexpr int kRows = 6;
    std::array<State, kRows> table{};
    for (int row = 0; row < kRows; ++row) {
      State fresh = midpoint(at(n), y, h, 2 * (row + 1));
      for (int column = 1; column <= row; ++column) {
        const Real ratio = static_cast<Real>(row + 1) / (row + 1 - column);
        State better{};
        for (std::size_t k = 0; k < 2; ++k) {
          better[k] = fresh[k] + (fresh[k] - table[column - 1][k]) / (ratio * ratio - 1);
        }
        table[column - 1] = fresh;
        fresh = better;
      }
      table[row] = fresh;
    }
    y = table[kRows - 1];
  }
  return static_cast<double>(std::log10(y[0]) / 2);
}

TEST(King, ConcentrationsAreThoseOfAnotherIntegration) {
  for (const double w0 : {0.5, 1.0, 3.0, 5.0, 6.0, 7.0, 9.0, 12.0, 16.0}) {
    EXPECT_NEAR(KingModel(w0).concentration(), concentration_by_extrapolation(w0), 1e-9) << "W0 = " << w0;
  }
}

// Quoted in many places without a source that could be checked; the test above is the oracle.
TEST(King, ConcentrationsAreThoseCommonlyQuoted) {
  for (const auto& [w0, c] : std::vector<std::pair<double, double>>{
           {3, 0.672}, {4, 0.840}, {5, 1.029}, {6, 1.255}, {7, 1.528}, {8, 1.833}, {9, 2.120}}) {
    EXPECT_NEAR(KingModel(w0).concentration(), c, 0.0025) << "W0 = " << w0;
  }
}

TEST(King, DensityIsTheClosedFormOfTheLoweredMaxwellian) {
  EXPECT_EQ(lowered_maxwellian_density(0.0), 0.0);
  EXPECT_EQ(lowered_maxwellian_density(-1.0), 0.0);
  for (const double w : {0.5, 1.0, 3.0, 7.0, 12.0, 16.0}) {
    const double root = std::sqrt(w);
    const double closed =
        std::exp(w) * std::erf(root) - 2.0 * root / std::sqrt(std::numbers::pi) * (1.0 + 2.0 * w / 3.0);
    EXPECT_NEAR(lowered_maxwellian_density(w) / closed, 1.0, 1e-12) << w;
  }
  // The leading term, where the closed form has no digits left.
  const double w = 1e-8;
  EXPECT_NEAR(lowered_maxwellian_density(w) / (8.0 / (15.0 * std::sqrt(std::numbers::pi)) * std::pow(w, 2.5)), 1.0,
              1e-8);
}

TEST(King, SatisfiesTheVirialTheorem) {
  for (const double w0 : {1.0, 3.0, 6.0, 9.0}) {
    const KingModel king(w0);
    const double edge = king.tidal_radius();
    // Energies as integrals over the mass, in the model's units; <v^2> at W from the distribution function.
    const auto shell = [&](double x) { return 9.0 * x * x * king.density(king.potential(x)); };
    const auto mean_square = [](double w) {
      const double most = std::sqrt(2.0 * w);
      const auto f = [&](double v) { return std::expm1(std::max(0.0, w - 0.5 * v * v)) * v * v; };
      const auto f2 = [&](double v) { return f(v) * v * v; };
      return integral(0.0, most, f2) / integral(0.0, most, f);
    };
    double kinetic = 0.0;
    double clausius = 0.0;  // integral of x dW/dx dM = -integral of M / x dM, the potential energy
    constexpr int kShells = 600;
    double enclosed = 0.0;
    for (int n = 0; n < kShells; ++n) {
      // Shells of equal width in sqrt(x), midpoint rule.
      const double a = edge * std::pow(static_cast<double>(n) / kShells, 2);
      const double b = edge * std::pow((n + 1.0) / kShells, 2);
      const double middle = 0.5 * (a + b);
      const double mass = shell(middle) * (b - a);
      const double w = king.potential(middle);
      if (w > 0) kinetic += 0.5 * mass * mean_square(w);
      clausius -= (enclosed + 0.5 * mass) / middle * mass;
      enclosed += mass;
    }
    EXPECT_NEAR(enclosed / king.mass(), 1.0, 2e-4) << w0;
    EXPECT_NEAR(kinetic / -clausius, 0.5, 1e-3) << w0;
  }
}

TEST(King, RadiusOfMassInvertsTheMassOfTheModel) {
  const KingModel king(7.0);
  EXPECT_LT(king.radius_of_mass(0.0), 1e-15);
  // The last 1e-16 of the mass, a double's rounding, takes a thousandth of the radius.
  EXPECT_NEAR(king.radius_of_mass(1.0) / king.tidal_radius(), 1.0, 2e-3);
  for (const double fraction : {0.01, 0.1, 0.5, 0.9, 0.999}) {
    const double r = king.radius_of_mass(fraction);
    const double inside = integral(0.0, r, [&](double x) { return 9.0 * x * x * king.density(king.potential(x)); });
    EXPECT_NEAR(inside / king.mass(), fraction, 1e-6);
  }
  EXPECT_EQ(king.potential(king.tidal_radius()), 0.0);
}

TEST(King, RefusesPotentialsOutOfRange) {
  for (const double w0 : {0.0, 0.05, 16.5, -1.0, std::nan("")}) {
    EXPECT_NE(error_of([&] { (void)KingModel(w0); }).find("0.1 to 16"), std::string::npos);
  }
}

TEST(StartModel, SpheresAreInHenonUnitsAndAtRest) {
  for (const StartKind kind : {StartKind::plummer, StartKind::king, StartKind::uniform, StartKind::cold,
                               StartKind::merger, StartKind::binary}) {
    for (const std::size_t n : {5U, 200U}) {
      const Particles p = make_start(model_of(kind, kind == StartKind::binary ? 2 : n, 3));
      SCOPED_TRACE(name_of(kind));
      EXPECT_NO_THROW(validate(p));
      EXPECT_EQ(p.size(), kind == StartKind::binary ? 2 : n);
      EXPECT_NEAR(total_mass(p), 1.0, 1e-14);
      EXPECT_NEAR(energy(p, 0.0).total(), -0.25, 1e-13);
      EXPECT_LT(norm(centre_of_mass(p)), 1e-13);
      EXPECT_LT(norm(momentum(p)), 1e-13);
    }
  }
}

TEST(StartModel, VirialRatiosAreThoseOfTheKind) {
  for (const StartKind kind : {StartKind::plummer, StartKind::king, StartKind::uniform}) {
    EXPECT_NEAR(energy(make_start(model_of(kind, 100)), 0.0).virial_ratio(), 0.5, 1e-13);
  }
  const Particles cold = make_start(model_of(StartKind::cold, 100));
  EXPECT_EQ(kinetic_energy(cold), 0.0);
}

TEST(StartModel, AModelOfThatSeedIsAlwaysTheSame) {
  for (const StartKind kind :
       {StartKind::plummer, StartKind::king, StartKind::uniform, StartKind::cold, StartKind::merger}) {
    EXPECT_EQ(make_start(model_of(kind, 32, 1)), make_start(model_of(kind, 32, 1)));
    EXPECT_NE(make_start(model_of(kind, 32, 1)), make_start(model_of(kind, 32, 2)));
  }
  EXPECT_EQ(make_start(model_of(StartKind::plummer, 32, 7)), make_plummer(32, 7));
}

TEST(StartModel, KingSpheresFollowTheMassOfTheModel) {
  for (const double w0 : {1.0, 6.0, 9.0}) {
    const Particles p = make_start(king_of(w0, kDrawn));
    const KingModel king(w0);
    // Length of the model in r0 per length of the particles, from the median of both.
    std::vector<double> radii = radii_of(p);
    const double scale = king.radius_of_mass(0.5) / lagrangian_radii(p, std::array{0.5}, {})[0];
    for (double& r : radii) r *= scale;
    EXPECT_LT(*std::max_element(radii.begin(), radii.end()), 1.1 * king.tidal_radius());
    const auto cumulative = [&](double r) {
      double least = 0.0;
      double most = 1.0;
      for (int n = 0; n < 30; ++n) {
        const double f = 0.5 * (least + most);
        (king.radius_of_mass(f) < r ? least : most) = f;
      }
      return 0.5 * (least + most);
    };
    EXPECT_LT(kolmogorov_distance(radii, cumulative), kKolmogorov) << w0;
  }
}

// Mean square speed inside the half-mass radius less that outside, which a wrong distribution of speeds or one that
// does not depend on the radius would shift.
TEST(StartModel, KingSpeedsHaveTheDispersionOfTheModel) {
  const double w0 = 6.0;
  const Particles p = make_start(king_of(w0, kDrawn));
  const KingModel king(w0);
  const double scale = king.radius_of_mass(0.5) / lagrangian_radii(p, std::array{0.5}, {})[0];
  // Both energies of the sample are scaled; sigma in its units from G M / r0 = M(model) sigma^2.
  const double sigma2 = scale / king.mass();
  double ours = 0.0;
  double expected = 0.0;
  double spread = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = king.potential(std::min(norm(p.position[k]) * scale, 0.999 * king.tidal_radius()));
    const double most = std::sqrt(2.0 * w);
    double weight = 0.0;
    double second = 0.0;
    for (int n = 0; n < 64; ++n) {
      const double v = most * (n + 0.5) / 64.0;
      weight += v * v * std::expm1(w - 0.5 * v * v);
      second += v * v * v * v * std::expm1(w - 0.5 * v * v);
    }
    const bool inside = norm(p.position[k]) * scale < king.radius_of_mass(0.5);
    const double sign = inside ? 1.0 : -1.0;
    ours += sign * dot(p.velocity[k], p.velocity[k]) / sigma2;
    expected += sign * second / weight;
    spread += std::pow(second / weight, 2);
  }
  // Four standard errors; a squared speed scatters by about its mean times sqrt(2/3).
  EXPECT_NEAR(ours / kDrawn, expected / kDrawn, 4.0 * std::sqrt(2.0 / 3.0 * spread) / kDrawn);
}

TEST(StartModel, UniformSpheresHaveTheMassProfileOfUniformDensity) {
  for (const StartKind kind : {StartKind::uniform, StartKind::cold}) {
    const Particles p = make_start(model_of(kind, kDrawn, 4));
    // W = -(3/5) G M^2 / R.
    const double radius = 0.6 / -potential_energy(p, 0.0);
    EXPECT_LT(kolmogorov_distance(radii_of(p), [&](double r) { return std::min(1.0, std::pow(r / radius, 3)); }),
              kKolmogorov);
  }
}

TEST(StartModel, MergingSpheresAreOnAParabolicOrbit) {
  StartModel model = model_of(StartKind::merger, 2001);
  model.separation = 20.0;
  model.pericentre = 1.0;
  const Particles p = make_start(model);
  std::array<Particles, 2> spheres;
  for (std::size_t k = 0; k < p.size(); ++k) {
    spheres[k < 1001 ? 0 : 1].push_back(p.id[k], p.mass[k], p.position[k], p.velocity[k]);
  }
  const Vec3 x = centre_of_mass(spheres[1]) - centre_of_mass(spheres[0]);
  const Vec3 v =
      momentum(spheres[1]) * (1.0 / total_mass(spheres[1])) - momentum(spheres[0]) * (1.0 / total_mass(spheres[0]));
  // Two points of total mass 1 on a parabola: v^2 / 2 = 1 / r, and L^2 = 2 q.
  EXPECT_NEAR(0.5 * dot(v, v) * norm(x), 1.0, 1e-12);
  const double scale = norm(x) / model.separation;
  EXPECT_NEAR(dot(cross(x, v), cross(x, v)) / 2.0, scale * model.pericentre, 1e-12);
  EXPECT_LT(dot(x, v), 0.0);
  // Apart, the spheres carry the whole energy: -1/8 each, but for their interaction beyond that of two points.
  EXPECT_NEAR(scale, 1.0, 0.02);
}

TEST(StartModel, MergingSpheresThatAreNotBoundAreRefusedWithTheLeastSeparation) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{2001}}) {
    StartModel model = model_of(StartKind::merger, n);
    model.pericentre = 0.0;
    for (const double separation : {1e-6, 0.001, 0.1, 0.25}) {
      model.separation = separation;
      const std::string error = error_of([&] { (void)make_start(model); });
      EXPECT_NE(error.find("they are not bound"), std::string::npos) << error;
      const std::string before = "must be ";
      model.separation = std::stod(error.substr(error.find(before) + before.size()));
      const Particles p = make_start(model);
      EXPECT_NEAR(kinetic_energy(p) + potential_energy(p, 0.0), -0.25, 1e-12);
      model.separation -= 0.01;
      EXPECT_THROW((void)make_start(model), Error);
    }
  }
}

TEST(StartModel, ABinaryComesBackAfterItsPeriod) {
  StartModel model = model_of(StartKind::binary, 0);
  model.eccentricity = 0.5;
  const Particles p = make_start(model);
  const Vec3 x = p.position[1] - p.position[0];
  const Vec3 v = p.velocity[1] - p.velocity[0];
  const double a = 1.0 / (2.0 / norm(x) - dot(v, v));  // vis viva, M = 1
  EXPECT_NEAR(a, 0.5, 1e-14);
  const double l2 = dot(cross(x, v), cross(x, v));
  EXPECT_NEAR(std::sqrt(1.0 - l2 / a), 0.5, 1e-14);
  EXPECT_NEAR(norm(x), a * 1.5, 1e-14);  // apocentre
}

TEST(StartModel, ThePythagoreanProblemIsThePublishedOne) {
  const Particles p = make_start(model_of(StartKind::pythagorean, 0));
  EXPECT_EQ(p.mass, (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(kinetic_energy(p), 0.0);
  // Sides opposite to the masses have their lengths: E = -(3*4/5 + 4*5/3 + 5*3/4).
  EXPECT_NEAR(potential_energy(p, 0.0), -(12.0 / 5.0 + 20.0 / 3.0 + 15.0 / 4.0), 1e-14);
  EXPECT_EQ(centre_of_mass(p), Vec3{});
}

TEST(StartModel, RefusesWhatItCannotMake) {
  const auto refused = [](StartModel model, const std::string& expected) {
    const std::string error = error_of([&] { (void)make_start(model); });
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  };
  refused(model_of(StartKind::king, 1), "n = 1 is refused: king has from 2 to 4194304 particles");
  refused(model_of(StartKind::merger, 3), "n = 3 is refused: merger has from 4 to 4194304 particles");
  refused(model_of(StartKind::plummer, kMostStartParticles + 1),
          "n = 4194305 is refused: plummer has from 2 to 4194304");
  refused(model_of(StartKind::pythagorean, 4), "pythagorean has 3");
  StartModel model = model_of(StartKind::binary, 2);
  model.eccentricity = 1.0;
  refused(model, "eccentricity = 1");
  model = model_of(StartKind::merger, 8);
  model.pericentre = 5.0;
  refused(model, "pericentre = 5");
  EXPECT_NE(error_of([] { (void)start_kind("sphere"); }).find("plummer, king"), std::string::npos);
}

TEST(StartModel, RefusesParametersOfOtherModels) {
  EXPECT_EQ(error_of([] { require_parameter_of(StartKind::plummer, "w0"); }), "w0 has no effect without start king");
  EXPECT_EQ(error_of([] { require_parameter_of(StartKind::pythagorean, "seed"); }),
            "seed has no effect with start pythagorean: nothing of it is drawn");
  EXPECT_NO_THROW(require_parameter_of(StartKind::king, "w0"));
  EXPECT_NO_THROW(require_parameter_of(StartKind::merger, "seed"));
}

TEST(StartModel, DescriptionsNameWhatTheParticlesDependOn) {
  EXPECT_EQ(describe(model_of(StartKind::plummer, 64)), "plummer 64, seed 1");
  EXPECT_EQ(describe(king_of(5.5, 8)), "king 8, W0 5.5, seed 1");
  EXPECT_EQ(describe(model_of(StartKind::merger, 8)), "merger 8, separation 4, pericentre 0.5, seed 1");
  EXPECT_EQ(describe(model_of(StartKind::binary, 2)), "binary, eccentricity 0.9");
  for (const std::string& name : start_kind_names()) EXPECT_EQ(name_of(start_kind(name)), name);
}

}  // namespace
}  // namespace gdr::hostlib
