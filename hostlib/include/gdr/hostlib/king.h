// King's model of a star cluster: an isothermal sphere cut off by the tidal field (King 1966, Astron. J. 71, 64).
#pragma once

#include <cstddef>
#include <vector>

namespace gdr::hostlib {

inline constexpr double kLeastKingW0 = 0.1;
inline constexpr double kMostKingW0 = 16.0;

/// Solution of Poisson's equation for the lowered Maxwellian f ~ exp(-E) - 1, E < 0, with central potential W0:
///   W'' + (2/x) W' = -9 rho(W) / rho(W0),  rho(W) = exp(W) erf(sqrt(W)) - sqrt(4 W / pi) (1 + 2 W / 3)
/// Radii are in units of King's core radius r0 = sqrt(9 sigma^2 / (4 pi G rho0)), potentials and squared velocities in
/// units of sigma^2. The unit of mass is such that M(x) = -x^2 W'(x).
class KingModel {
 public:
  /// Throws gdr::Error for `w0` outside 0.1..16.
  explicit KingModel(double w0);

  [[nodiscard]] double w0() const { return points_.front().w; }
  /// Radius at which W and the density reach 0.
  [[nodiscard]] double tidal_radius() const { return points_.back().x; }
  /// c = log10(r_t / r0).
  [[nodiscard]] double concentration() const;
  [[nodiscard]] double mass() const { return points_.back().m; }

  /// Radius that holds `fraction` (0..1) of the mass.
  [[nodiscard]] double radius_of_mass(double fraction) const;
  /// W at radius x; 0 outside the tidal radius.
  [[nodiscard]] double potential(double x) const;
  /// rho / rho0 where the potential is `w`.
  [[nodiscard]] double density(double w) const;

 private:
  struct Point {
    double x = 0;
    double w = 0;
    double slope = 0;  // W'
    double m = 0;
    double m_slope = 0;
  };
  [[nodiscard]] Point point_at(double x, double w, double slope) const;
  /// One step of the classical fourth-order Runge-Kutta method.
  [[nodiscard]] Point step_from(const Point& point, double h) const;

  double central_ = 1;  // rho(W0)
  std::vector<Point> points_;
};

/// exp(w) erf(sqrt(w)) - sqrt(4 w / pi) (1 + 2 w / 3) for w >= 0, 0 below: the density of a lowered Maxwellian.
[[nodiscard]] double lowered_maxwellian_density(double w);

}  // namespace gdr::hostlib
